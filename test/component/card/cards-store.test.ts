import { createPinia, setActivePinia } from 'pinia'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useCard, useCards, useCardStore } from '../../../renderer/stores/cards.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { startDemoHost, type DemoHost, type DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { AppError } from '../../../shared/errors.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { installFakeServiceProcess } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

let scope: EffectScope
const inScope = <T>(build: () => T): T => scope.run(build) as T

beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
})

const meta = {
  exchangeId: 'e1',
  endpoint: 'notes.batchGet',
  method: 'POST',
  path: '/notes/batch-get',
  status: 200,
  contentType: 'application/json',
  headers: {},
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  byteLength: 1,
}
const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer

/** A host that answers every batch with this text. */
function respondWith(text: (ids: readonly string[]) => string) {
  return installFakeServiceProcess({
    'bridge.read': (input) => {
      const { endpoint, body } = input as { endpoint: string; body?: { noteIds: string[] } }
      if (endpoint !== 'notes.batchGet') return { meta: { ...meta, endpoint }, bytes: bytes('{"routes":[]}') }
      return { meta, bytes: bytes(text(body?.noteIds ?? [])) }
    },
  })
}

describe('a card', () => {
  test('has exactly the text that the host sent, whatever else is in its batch', async () => {
    const ownText = '{"noteid":"B", "big":12345678901234567890,"title":"\\u0041", "parts":[], "twice":1,"twice":2}'
    respondWith(() => `{"bridgeApiVersion":"0.91","items":[{"noteid":"A","parts":5},\n ${ownText},{"noteid":"C"}]}`)
    useConnection().state = createConnectionState()
    const card = inScope(() => useCard(() => 'B'))
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    expect(card.source).toBe(ownText)
    expect(card.findings.map(({ kind }) => kind)).toEqual(['unsafe-number', 'duplicate-key'])
    expect(card.conforms).toBe(true)
    const other = inScope(() => useCard(() => 'A'))
    await vi.waitFor(() => expect(other.status).toBe('ready'))
    expect(other.conforms).toBe(false)
    expect(other.findings).toMatchObject([{ kind: 'schema', path: '/parts' }])
  })

  test('reports the problems of its batch, but not those of other cards in the batch', async () => {
    respondWith(() => '{"bridgeApiVersion":null,"items":[{"noteid":"A","parts":5},{"noteid":"B","parts":[]}]}')
    useConnection().state = createConnectionState()
    const card = inScope(() => useCard(() => 'B'))
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    expect(card.findings).toMatchObject([{ kind: 'schema', path: '/bridgeApiVersion' }])
    expect([card.findingTotal, card.conforms]).toEqual([1, true])
  })

  test('is gone if the items do not contain it, but not if the response has no items', async () => {
    let text = '{"items":[{"noteid":"OTHER"}]}'
    respondWith(() => text)
    useConnection().state = createConnectionState()
    const card = inScope(() => useCard(() => 'a'))
    await vi.waitFor(() => expect(card.status).toBe('missing'))
    expect([card.missing, card.item, card.error]).toEqual([true, null, null])
    text = '{"cards":[]}'
    const another = inScope(() => useCard(() => 'b'))
    await vi.waitFor(() => expect(another.status).toBe('failed'))
    expect(another.error).toMatchObject({
      kind: 'malformed',
      code: 'ANSWER_UNFIT',
      wire: { params: { path: '/items' } },
    })
    // An unusable entry may be the very card.
    text = '{"items":[{"noteid":"OTHER"},{"noteid":7}]}'
    another.reload()
    await vi.waitFor(() => expect(another.error?.wire.params).toMatchObject({ path: '/items/1/noteid' }))
    text = '{"items":[{"noteid":"B"}]}'
    another.reload()
    await vi.waitFor(() => expect(another.item?.noteid).toBe('B'))
  })

  test('waits for a host, is marked as stale after an interruption, and is reloaded from another host', async () => {
    const { calls } = respondWith((ids) => `{"items":[${ids.map((id) => `{"noteid":"${id}"}`).join()}]}`)
    const state = useConnection()
    const card = inScope(() => useCard(() => 'A'))
    await nextTick()
    expect(card.status).toBe('idle')
    expect(calls).toEqual([])
    state.state = createConnectionState()
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    state.state = createConnectionState({ epoch: 2 })
    await nextTick()
    expect([card.isStale, card.status]).toEqual([true, 'ready'])
    const { profile } = createConnectionState()
    state.state = createConnectionState({ epoch: 3, profile: profile ? { ...profile, id: 'p2' } : null })
    await nextTick()
    expect(card.item).toBeNull()
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    expect(calls.length).toBe(2)
  })

  test('is read again once the host is back, after the host rejected the token', async () => {
    let isRefused = true
    const { calls } = installFakeServiceProcess({
      'bridge.read': () => {
        if (isRefused) throw new AppError({ kind: 'http', status: 401, message: 'token', retryable: false })
        return { meta, bytes: bytes('{"items":[{"noteid":"A"}]}') }
      },
    })
    const state = useConnection()
    state.state = createConnectionState()
    const card = inScope(() => useCard(() => 'A'))
    await vi.waitFor(() => expect(card.status).toBe('failed'))
    state.state = createConnectionState({ phase: 'offline' })
    await nextTick()
    isRefused = false
    state.state = createConnectionState()
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    expect([card.error, calls.length]).toEqual([null, 2])
  })

  test('follows its id, and is released with its scope', async () => {
    const { calls, cancelled } = installFakeServiceProcess({ 'bridge.read': () => new Promise(() => undefined) })
    useConnection().state = createConnectionState()
    const id = ref('A')
    inScope(() => useCard(() => id.value))
    await vi.waitFor(() => expect(calls.length).toBe(1))
    id.value = 'B'
    await vi.waitFor(() => expect(cancelled.length).toBe(1))
    await vi.waitFor(() => expect(calls.length).toBe(2))
    scope.stop()
    await vi.waitFor(() => expect(cancelled.length).toBe(2))
  })
})

/** A real demo host behind the real service process, as the page has them. */
async function realHost(options: DemoHostOptions = {}): Promise<DemoHost> {
  const token = `mnb0.${'t'.repeat(40)}`
  const host = await startDemoHost({ nodes: 1200, token, ...options })
  onTestFinished(() => host.close())
  const dir = createTempDir()
  const file = path.join(dir, 'token')
  writeFileSync(file, token, { mode: 0o600 })
  const composed = await startComposedApp(dir, ['--base-url', host.baseUrl, '--token-file', file])
  const door = composed.app.dispatcher
  Object.defineProperty(window, 'bridgeInspector', {
    value: {
      call: (request: unknown) => door.call('page', request),
      cancel: (id: string) => door.cancel('page', id),
      listen: () => () => undefined,
    },
    configurable: true,
  })
  const state = useConnection()
  await vi.waitFor(async () => {
    await state.load()
    expect(state.online).toBe(true)
  })
  return host
}

const batches = (host: DemoHost): number => host.log.filter(({ endpoint }) => endpoint === 'notes.batchGet').length

describe('cards read from a demo host', () => {
  test('takes five requests for a thousand cards, and reports the missing one', async () => {
    const host = await realHost()
    const ids = Array.from({ length: 999 }, (_, n) => host.state.generatedSet.getNoteid(n))
    const rows = inScope(() => useCards(() => [...ids, 'NO-SUCH-CARD']))
    await vi.waitFor(() => expect(rows.get(ids.at(-1) ?? '').status).toBe('ready'))
    await vi.waitFor(() => expect(rows.get('NO-SUCH-CARD').status).toBe('missing'))
    expect(batches(host)).toBe(5)
    ids.forEach((id, n) => expect(rows.get(id).item?.title).toBe(host.state.generatedSet.getTitle(n)))
    inScope(() => useCard(() => ids[500] ?? null))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(batches(host)).toBe(5)
  })

  test('uses the batch limit from the capabilities of the host', async () => {
    const host = await realHost({ noteLimit: 30 })
    const ids = Array.from({ length: 100 }, (_, n) => host.state.generatedSet.getNoteid(n))
    const rows = inScope(() => useCards(() => ids))
    await vi.waitFor(() => expect(ids.every((id) => rows.get(id).status === 'ready')).toBe(true))
    expect(batches(host)).toBe(4)
  })

  test('reloads a changed card where it is visible', async () => {
    const host = await realHost()
    const id = host.state.generatedSet.getNoteid(3)
    const card = inScope(() => useCard(() => id))
    await vi.waitFor(() => expect(card.status).toBe('ready'))
    host.state.generatedSet.retainCard(3).title = 'Changed'
    useCardStore().invalidate([id])
    await vi.waitFor(() => expect(card.item?.title).toBe('Changed'))
  })
})
