import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { readEndpoint, useRead } from '../../renderer/stores/host-read.ts'
import { useResource } from '../../renderer/stores/resource.ts'
import { useSettings } from '../../renderer/stores/settings.ts'
import { useTree } from '../../renderer/stores/tree.ts'
import { useShortcuts, type Action } from '../../renderer/stores/shortcuts.ts'
import { AppError } from '../../shared/errors.ts'
import type { ConnectionState } from '../../shared/ipc/connection.ts'
import { defaultSettings, type Settings } from '../../shared/ipc/settings.ts'
import { installFakeServiceProcess, pressKey } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'

/** What the next page of a tree says besides its nodes. */
const nextPage = vi.hoisted((): { flags: Record<string, unknown> } => ({ flags: {} }))
vi.mock('../../renderer/workers/tree-client.ts', () => ({
  TreeWorker: class {
    stopFetching = (): void => undefined
    close = (): void => undefined
    readPage = () => ({
      head: Promise.resolve({ nodeTotal: 0, nextCursor: null, count: 0, findings: [], ...nextPage.flags }),
      chunk: Promise.resolve({ start: 0, count: 0, parents: new Int32Array() }),
    })
    call = (): Promise<null> => Promise.resolve(null)
  },
}))

let scope: EffectScope
const inScope = <T>(build: () => T): T => scope.run(build) as T

beforeEach(() => {
  setActivePinia(createPinia())
  // The page opens one stream for all its stores: it has to be that of the transport the tests push
  // through.
  installFakeServiceProcess({})
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

const offline = new AppError({ kind: 'offline', code: 'CONNECTION_REFUSED', message: 'nobody', retryable: true })

describe('a resource', () => {
  test('keeps its last good value while it reloads and if the reload fails', async () => {
    const outcomes: (() => Promise<string>)[] = [() => Promise.resolve('one'), () => Promise.reject(offline)]
    const resource = inScope(() => useResource(() => outcomes.shift()?.() ?? Promise.resolve('three')))
    expect(resource.status).toBe('idle')
    await resource.reload()
    expect([resource.status, resource.data]).toEqual(['ready', 'one'])
    const secondReload = resource.reload()
    expect([resource.status, resource.data]).toEqual(['loading', 'one'])
    await secondReload
    expect([resource.status, resource.data, resource.error]).toEqual(['failed', 'one', offline])
    await resource.reload()
    expect([resource.status, resource.data, resource.error]).toEqual(['ready', 'three', null])
  })

  test('keeps the result of the newer read, whichever finishes last', async () => {
    const resolvers: ((value: string) => void)[] = []
    const signals: AbortSignal[] = []
    const resource = inScope(() =>
      useResource<string>((signal) => {
        signals.push(signal)
        return new Promise((resolve) => resolvers.push(resolve))
      }),
    )
    const first = resource.reload()
    const second = resource.reload()
    expect(signals[0]?.aborted).toBe(true)
    resolvers[1]?.('new')
    await second
    resolvers[0]?.('old')
    await first
    expect([resource.status, resource.data]).toEqual(['ready', 'new'])
  })

  test('requests a spinner only after a while', async () => {
    vi.useFakeTimers()
    const resource = inScope(() => useResource(() => new Promise<string>(() => undefined)))
    void resource.reload()
    vi.advanceTimersByTime(149)
    expect(resource.isSlow).toBe(false)
    vi.advanceTimersByTime(1)
    expect(resource.isSlow).toBe(true)
    resource.cancel()
    expect([resource.isSlow, resource.status]).toEqual([false, 'idle'])
  })

  test('safety 39: is stale after an interruption, with the reason, until it is reloaded', async () => {
    const state = useConnection()
    state.state = createConnectionState({ epoch: 1 })
    const resource = inScope(() => useResource(() => Promise.resolve('x')))
    await resource.reload()
    expect(resource.isStale).toBe(false)
    const now = Date.now() + 5
    state.state = createConnectionState({
      epoch: 2,
      gaps: [{ id: 1, reason: 'host-restarted', from: now, until: now }],
    })
    expect([resource.isStale, resource.staleReason]).toEqual([true, 'host-restarted'])
    await resource.reload()
    expect([resource.isStale, resource.staleReason]).toEqual([false, null])
  })

  test('reloads when the host is back if it failed for lack of a host', async () => {
    const state = useConnection()
    state.state = createConnectionState({ phase: 'offline' })
    const load = vi.fn().mockRejectedValueOnce(offline).mockResolvedValue('back')
    const resource = inScope(() => useResource<string>(load))
    await resource.reload()
    expect(resource.status).toBe('failed')
    state.state = createConnectionState({ phase: 'online', epoch: 2 })
    await vi.waitFor(() => expect(resource.data).toBe('back'))
  })

  test('is online once a connect command says so, whatever was pushed meanwhile', async () => {
    const reply = Promise.withResolvers<ConnectionState>()
    const service = installFakeServiceProcess({
      'connection.get': () => createConnectionState({ phase: 'none', epoch: 0 }),
      'connection.connect': () => reply.promise,
    })
    const connection = useConnection()
    await connection.start()
    const connected = connection.connect('p1')
    service.push({ topic: 'connection.changed', payload: createConnectionState({ phase: 'connecting', epoch: 0 }) })
    reply.resolve(createConnectionState({ phase: 'online', epoch: 1 }))
    await connected
    expect(connection.online).toBe(true)
  })

  test('safety 39: does not flood a host that comes and goes with requests', async () => {
    const state = useConnection()
    const load = vi.fn().mockRejectedValue(offline)
    const resource = inScope(() => useResource<string>(load))
    await resource.reload()
    for (let round = 0; round < 20; round += 1) {
      state.state = createConnectionState({ phase: 'offline' })
      await nextTick()
      state.state = createConnectionState({ phase: 'online', epoch: round })
      await nextTick()
      await vi.waitFor(() => expect(resource.status).toBe('failed'))
    }
    expect(load.mock.calls.length).toBeLessThanOrEqual(2)
  })
})

test.each([
  ['nothing', {}, { walkLimitReached: false, isTruncated: false, isSortConfirmed: false }],
  ['that it is cut', { isTruncated: true }, { walkLimitReached: false, isTruncated: true, isSortConfirmed: false }],
  [
    'its order, and that the walk ended early',
    { sort: 'document', walkLimitReached: true },
    { walkLimitReached: true, isTruncated: false, isSortConfirmed: true },
  ],
])('a tree whose page reports %s has the matching flags', async (_, flags, marks) => {
  nextPage.flags = flags
  try {
    installFakeServiceProcess({ 'bridge.read': () => ({ meta, bytes: bytes('{}') }), 'bridge.limits': () => ({}) })
    vi.stubGlobal('requestIdleCallback', (run: (deadline: unknown) => void) => run({ timeRemaining: () => 50 }))
    const tree = useTree()
    tree.open({ topicid: 'T', root: '', sort: '', pageSize: 10 })
    await vi.waitFor(() => expect(tree.total).toBe(0))
    expect(tree.flags).toMatchObject(marks)
  } finally {
    nextPage.flags = {}
    vi.unstubAllGlobals()
  }
})

test('a tree reports an unexpected failure', async () => {
  installFakeServiceProcess({ 'bridge.read': () => ({ meta, bytes: bytes('{}') }), 'bridge.limits': () => ({}) })
  vi.stubGlobal('requestIdleCallback', () => {
    throw new Error('this page never rests')
  })
  const tree = useTree()
  tree.open({ topicid: 'T', root: '', sort: '', pageSize: 10 })
  await vi.waitFor(() => expect(tree.status).toBe('failed'))
  expect(tree.error?.kind).toBe('internal')
  vi.unstubAllGlobals()
})

const meta = {
  exchangeId: 'e1',
  endpoint: 'studySets.palette',
  method: 'GET',
  path: '/x',
  status: 200,
  contentType: 'application/json',
  headers: {},
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  byteLength: 1,
}
const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer

describe('reading an endpoint', () => {
  test('returns the value with its data problems', async () => {
    const { calls } = installFakeServiceProcess({
      'bridge.read': () => ({ meta, bytes: bytes('{"count":1e400,"colors":[]}') }),
    })
    const response = await readEndpoint('studySets.palette', { params: { topicid: 't' } })
    expect(calls[0]?.input).toEqual({ endpoint: 'studySets.palette', params: { topicid: 't' }, query: {} })
    expect(response.conforms).toBe(false)
    expect(response.findings.map(({ kind }) => kind)).toContain('unsafe-number')
    expect(new TextDecoder().decode(response.raw)).toBe('{"count":1e400,"colors":[]}')
  })

  test('safety 33: fails for anything but JSON, and shows the beginning of the response', async () => {
    installFakeServiceProcess({ 'bridge.read': () => ({ meta, bytes: bytes('<html>oops') }) })
    await expect(readEndpoint('studySets.palette', { params: { topicid: 't' } })).rejects.toMatchObject({
      kind: 'malformed',
      code: 'NOT_JSON',
      wire: { exchangeId: 'e1', details: '<html>oops' },
    })
  })

  test('safety 54: fails for a response of which nothing fits, names the location and keeps the text', async () => {
    installFakeServiceProcess({ 'bridge.read': () => ({ meta, bytes: bytes('{"colors":"x"}') }) })
    const failure: unknown = await readEndpoint('studySets.palette', { params: { topicid: 'T' } }).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({
      kind: 'malformed',
      code: 'ANSWER_UNFIT',
      wire: { exchangeId: 'e1', params: { path: '/colors', expected: 'array', found: 'string' } },
    })
    expect(failure instanceof AppError && new TextDecoder().decode(failure.responseBytes ?? new ArrayBuffer(0))).toBe(
      '{"colors":"x"}',
    )
  })

  test('follows its dependencies, and never shows the value of another dependency', async () => {
    const { calls } = installFakeServiceProcess({ 'bridge.read': () => ({ meta, bytes: bytes('{"colors":[]}') }) })
    const topicid = ref<string | null>(null)
    const resource = inScope(() =>
      useRead('studySets.palette', () => (topicid.value === null ? null : { params: { topicid: topicid.value } })),
    )
    expect([resource.status, calls.length]).toEqual(['idle', 0])
    topicid.value = 'a'
    await vi.waitFor(() => expect(resource.status).toBe('ready'))
    topicid.value = 'b'
    await nextTick()
    expect(resource.data).toBeNull()
    await vi.waitFor(() => expect(resource.status).toBe('ready'))
    expect(calls).toHaveLength(2)
    topicid.value = null
    await nextTick()
    expect([resource.status, resource.data === null]).toEqual(['ready', false])
    topicid.value = 'b'
    await nextTick()
    expect(resource.data).not.toBeNull()
    expect(calls).toHaveLength(2)
  })
})

describe('settings', () => {
  test('apply at once and are saved together', async () => {
    vi.useFakeTimers()
    let stored: Settings = defaultSettings
    const { calls } = installFakeServiceProcess({
      'settings.update': (patch) => (stored = { ...stored, ...(patch as Partial<Settings>) }),
    })
    const settings = useSettings()
    settings.update({ inspectorWidth: 300 })
    settings.update({ inspectorWidth: 310 })
    settings.update({ theme: 'dark' })
    expect(settings.theme).toBe('dark')
    await vi.runAllTimersAsync()
    expect(calls.map(({ input }) => input)).toEqual([{ inspectorWidth: 310, theme: 'dark' }])
    expect(stored).toMatchObject({ inspectorWidth: 310, theme: 'dark' })
  })

  test('are not reverted by an event from before a running save', async () => {
    vi.useFakeTimers()
    let resolveCall: (saved: Settings) => void = () => undefined
    const { push } = installFakeServiceProcess({
      'settings.get': () => defaultSettings,
      'settings.update': () => new Promise<Settings>((resolve) => (resolveCall = resolve)),
    })
    const settings = useSettings()
    await settings.start()
    settings.update({ density: 'comfortable' })
    await vi.advanceTimersByTimeAsync(1_000)
    push({ topic: 'settings.changed', payload: { ...defaultSettings, theme: 'dark' } })
    expect(settings.values).toMatchObject({ density: 'comfortable', theme: 'dark' })
    resolveCall({ ...defaultSettings, theme: 'dark', density: 'comfortable' })
    await vi.runAllTimersAsync()
    push({ topic: 'settings.changed', payload: defaultSettings })
    expect(settings.values.density).toBe(defaultSettings.density)
  })

  test('are not reverted by a read that began before a change', async () => {
    vi.useFakeTimers()
    const read = Promise.withResolvers<Settings>()
    installFakeServiceProcess({ 'settings.get': () => read.promise })
    const settings = useSettings()
    const isStarted = settings.start()
    settings.update({ density: 'comfortable' })
    read.resolve({ ...defaultSettings, theme: 'dark' })
    await isStarted
    expect(settings.values).toMatchObject({ density: 'comfortable', theme: 'dark' })
  })

  test('apply even if they could not be saved, and report that', async () => {
    vi.useFakeTimers()
    installFakeServiceProcess({})
    const settings = useSettings()
    settings.update({ density: 'comfortable' })
    await vi.runAllTimersAsync()
    expect(settings.values.density).toBe('comfortable')
    expect(settings.error).toMatchObject({ kind: 'internal' })
  })
})

describe('shortcuts', () => {
  const action = (id: string, keys: string, run: () => void, more: Partial<Action> = {}): Action => ({
    id,
    titleKey: 'settings.title',
    groupKey: 'shortcuts.group.go',
    keys,
    run,
    ...more,
  })

  test('run their actions, including key sequences, but no single keys while the user types', async () => {
    const shortcuts = useShortcuts()
    const done: string[] = []
    shortcuts.register([
      action('a', '$mod+K', () => done.push('a')),
      action('b', 'G L', () => done.push('b')),
      action('h', '[Shift]+?', () => done.push('h')),
      action('c', 'X', () => done.push('c'), { isEnabled: () => false }),
    ])
    const stop = shortcuts.listen(window)
    const input = document.body.appendChild(document.createElement('input'))
    pressKey(input, 'k', { ctrlKey: true })
    pressKey(input, 'g')
    pressKey(input, 'l')
    pressKey(document.body, 'g')
    pressKey(document.body, 'l')
    pressKey(document.body, 'x')
    pressKey(document.body, '?', { shiftKey: true })
    expect(done).toEqual(['a', 'b', 'h'])
    useSettings().update({ shortcuts: { a: 'F2', b: '' } })
    await nextTick()
    pressKey(document.body, 'k', { ctrlKey: true })
    pressKey(document.body, 'F2')
    pressKey(document.body, 'g')
    pressKey(document.body, 'l')
    stop()
    pressKey(document.body, 'F2')
    expect(done).toEqual(['a', 'b', 'h', 'a'])
  })
  // The keys of K, G and L, as Chromium reports them.
  const layouts: Readonly<Record<string, readonly KeyboardEventInit[]>> = {
    Russian: [
      { key: 'л', code: 'KeyK' },
      { key: 'п', code: 'KeyG' },
      { key: 'д', code: 'KeyL' },
    ],
    Greek: [
      { key: 'κ', code: 'KeyK' },
      { key: 'γ', code: 'KeyG' },
      { key: 'λ', code: 'KeyL' },
    ],
    Hebrew: [
      { key: 'ל', code: 'KeyK' },
      { key: 'ע', code: 'KeyG' },
      { key: 'ך', code: 'KeyL' },
    ],
    Arabic: [
      { key: 'ن', code: 'KeyK' },
      { key: 'ل', code: 'KeyG' },
      { key: 'م', code: 'KeyL' },
    ],
    Dvorak: [
      { key: 'k', code: 'KeyV' },
      { key: 'g', code: 'KeyU' },
      { key: 'l', code: 'KeyP' },
    ],
    'Caps Lock': [
      { key: 'K', code: 'KeyK' },
      { key: 'G', code: 'KeyG' },
      { key: 'L', code: 'KeyL' },
    ],
    'Russian with Caps Lock': [
      { key: 'Л', code: 'KeyK' },
      { key: 'П', code: 'KeyG' },
      { key: 'Д', code: 'KeyL' },
    ],
  }
  test.each(Object.entries(layouts))(
    'are where the keys of the layout are: %s',
    (_layout, [command = {}, first = {}, second = {}]) => {
      const shortcuts = useShortcuts()
      const done: string[] = []
      shortcuts.register([
        action('palette', '$mod+K', () => done.push('palette')),
        action('library', 'G L', () => done.push('library')),
      ])
      const stop = shortcuts.listen(window)
      const press = (init: KeyboardEventInit): void => pressKey(document.body, init.key ?? '', init)
      press({ ...command, ctrlKey: true })
      press(first)
      press(second)
      stop()
      expect(done).toEqual(['palette', 'library'])
    },
  )

  test('with another alphabet in the settings stay as they were recorded', () => {
    useSettings().update({ shortcuts: { own: '$mod+Л' } })
    const shortcuts = useShortcuts()
    const done: string[] = []
    shortcuts.register([
      action('palette', '$mod+K', () => done.push('palette')),
      action('own', '$mod+Y', () => done.push('own')),
    ])
    const stop = shortcuts.listen(window)
    pressKey(document.body, 'л', { code: 'KeyK', ctrlKey: true })
    pressKey(document.body, 'k', { ctrlKey: true })
    stop()
    expect(done).toEqual(['own', 'palette'])
  })

  test('are run by no press that composes a character, nor is any other listener', () => {
    const shortcuts = useShortcuts()
    const done: string[] = []
    shortcuts.register([
      action('palette', '$mod+K', () => done.push('palette')),
      action('kill', 'L', () => done.push('kill')),
      action('one', '[Shift]+1', () => done.push('one')),
    ])
    const stop = shortcuts.listen(window)
    const input = document.body.appendChild(document.createElement('input'))
    input.addEventListener('keydown', ({ key }) => done.push(key))
    for (const init of [
      { key: 'Enter', code: 'Enter', isComposing: true },
      { key: 'Enter', code: 'Enter', keyCode: 229 },
      { key: 'Escape', code: 'Escape', isComposing: true },
      { key: 'Process', code: 'KeyK', ctrlKey: true },
      { key: 'k', code: 'KeyK', ctrlKey: true, isComposing: true },
      { key: 'Dead', code: 'KeyK', ctrlKey: true },
    ])
      pressKey(input, init.key, init)
    // AltGr, as Chromium reports it on Linux and on Windows.
    for (const modifiers of [{}, { ctrlKey: true, altKey: true }]) {
      const typed = new KeyboardEvent('keydown', { key: 'l', code: 'KeyL', bubbles: true, ...modifiers })
      // The simulated DOM does not know this modifier.
      typed.getModifierState = (modifier) => modifier === 'AltGraph'
      document.body.dispatchEvent(typed)
    }
    expect(done).toEqual([])
    pressKey(input, 'Enter', { code: 'Enter' })
    // AZERTY has its digits with Shift.
    pressKey(document.body, '1', { code: 'Digit1', shiftKey: true })
    stop()
    expect(done).toEqual(['Enter', 'one'])
  })

  test('never run by text whose field has gone, but at once after the user has left the field', () => {
    const shortcuts = useShortcuts()
    const done: string[] = []
    shortcuts.register([action('x', 'X', () => done.push('x'))])
    const stop = shortcuts.listen(window)
    const focusField = (): HTMLInputElement => {
      const input = document.body.appendChild(document.createElement('input'))
      input.focus()
      return input
    }
    const removed = focusField()
    pressKey(removed, 'x')
    removed.remove()
    pressKey(document.body, 'x')
    // The place that receives the lost focus was not chosen by the user.
    const main = document.body.appendChild(document.createElement('main'))
    main.tabIndex = -1
    main.focus()
    pressKey(main, 'x')
    main.remove()
    expect(done).toEqual([])

    const blurred = focusField()
    blurred.blur()
    pressKey(document.body, 'x')
    expect(done).toEqual([])

    const left = focusField()
    pressKey(left, 'Escape')
    left.blur()
    pressKey(document.body, 'Shift')
    pressKey(document.body, 'x')
    expect(done).toEqual(['x'])
    const clicked = focusField()
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }))
    clicked.blur()
    pressKey(document.body, 'x')
    expect(done).toEqual(['x', 'x'])
    // A layer that closes returns the focus from its field to where it was.
    const place = document.body.appendChild(document.createElement('main'))
    place.dispatchEvent(new FocusEvent('focusin', { bubbles: true, relatedTarget: focusField() }))
    pressKey(place, 'x')
    expect(done).toEqual(['x', 'x', 'x'])
    stop()
  })
})
