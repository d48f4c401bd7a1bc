import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { readContentSlice, saveContent, useContent } from '../../renderer/stores/content.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import type { ContentRef } from '../../shared/ipc/content.ts'
import { installFakeServiceProcess, type FakeServiceProcess } from '../support/vue/mounting.ts'
import { createConnectionState, createContentFacts } from '../support/vue/states.ts'

let scope: EffectScope
const inScope = <T>(build: () => T): T => scope.run(build) as T
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => scope.stop())

const contentOf = (contentId: string): ContentRef => ({
  endpoint: 'notes.content',
  params: { noteid: 'N', contentId },
  query: {},
})

let opened = 0

/** A service process that opens anything. */
function service(
  open: (input: unknown) => unknown = () => createContentFacts(`h${(opened += 1)}`),
): FakeServiceProcess {
  opened = 0
  return installFakeServiceProcess({ 'content.open': open, 'content.release': () => ({}) })
}

const listRequests = ({ calls }: FakeServiceProcess, method: string): unknown[] =>
  calls.filter((call) => call.method === method).map(({ input }) => input)

describe('content shown on a page', () => {
  test('is opened, has an address that contains only its handle, and is released with its viewer', async () => {
    const door = service()
    const content = inScope(() => useContent(() => contentOf('c')))
    expect([content.status, content.data?.url ?? null]).toEqual(['loading', null])
    await settle()
    expect([content.status, content.data?.handle]).toEqual(['ready', 'h1'])
    expect(content.data?.url ?? null).toBe('bridge-content://bridge-inspector/h1')
    expect(listRequests(door, 'content.open')).toEqual([contentOf('c')])
    expect(listRequests(door, 'content.release')).toEqual([])
    scope.stop()
    expect(listRequests(door, 'content.release')).toEqual([{ handle: 'h1' }])
  })

  test('is replaced at once by other content or by none', async () => {
    const door = service()
    const source = ref<ContentRef | null>(contentOf('a'))
    const content = inScope(() => useContent(() => source.value))
    await settle()
    source.value = contentOf('b')
    await nextTick()
    expect([content.status, content.data?.url ?? null, content.data]).toEqual(['loading', null, null])
    expect(listRequests(door, 'content.release')).toEqual([{ handle: 'h1' }])
    await settle()
    expect(content.data?.handle).toBe('h2')
    // The same source again is no change.
    source.value = contentOf('b')
    await settle()
    expect(listRequests(door, 'content.open')).toHaveLength(2)
    source.value = null
    await nextTick()
    expect([content.status, content.data?.url ?? null]).toEqual(['idle', null])
    expect(listRequests(door, 'content.release')).toEqual([{ handle: 'h1' }, { handle: 'h2' }])
  })

  test('is not opened without a source', async () => {
    const door = service()
    const content = inScope(() => useContent(() => null))
    await content.reload()
    expect([content.status, door.calls.length]).toEqual(['idle', 0])
  })

  test('is reloaded from the host on request, and stays visible until the new content arrives', async () => {
    const door = service()
    const content = inScope(() => useContent(() => contentOf('c')))
    await settle()
    const secondReload = content.reload()
    expect([content.status, content.data?.handle]).toEqual(['loading', 'h1'])
    await secondReload
    expect(content.data?.handle).toBe('h2')
    expect(listRequests(door, 'content.open')).toEqual([contentOf('c'), { ...contentOf('c'), fresh: true }])
    expect(listRequests(door, 'content.release')).toEqual([{ handle: 'h1' }])
  })

  test('reports why it could not be opened, and opens once the host is back', async () => {
    const offline = new AppError({ kind: 'offline', code: 'CONNECTION_REFUSED', message: 'x', retryable: true })
    let fails = true
    service(() => {
      if (fails) throw offline
      return createContentFacts('late')
    })
    const store = useConnection()
    store.state = createConnectionState({ phase: 'offline' })
    const content = inScope(() => useContent(() => contentOf('c')))
    await settle()
    expect([content.status, content.error?.code, content.data?.url ?? null]).toEqual([
      'failed',
      'CONNECTION_REFUSED',
      null,
    ])
    fails = false
    store.state = createConnectionState()
    await settle()
    expect([content.status, content.data?.handle, content.error]).toEqual(['ready', 'late', null])
  })

  test('is opened again after the service process restarted, because its handles are lost', async () => {
    const door = service()
    const store = useConnection()
    const content = inScope(() => useContent(() => contentOf('c')))
    await settle()
    store.serviceReachable = false
    await nextTick()
    expect(content.data?.handle).toBe('h1')
    store.serviceReachable = true
    await settle()
    expect(content.data?.handle).toBe('h2')
    expect(listRequests(door, 'content.release')).toEqual([])
  })

  test('stays unchanged if opening it again is cancelled', async () => {
    const door = service(() => new Promise(() => undefined))
    const content = inScope(() => useContent(() => contentOf('c')))
    await nextTick()
    content.cancel()
    expect(content.status).toBe('idle')
    expect(door.cancelled).toHaveLength(1)
  })
})

describe('bytes of content', () => {
  test('are read as a slice', async () => {
    const bytes = new Uint8Array([1, 2, 3]).buffer
    const door = installFakeServiceProcess({ 'content.slice': () => ({ meta: { start: 5, total: 8 }, bytes }) })
    expect(await readContentSlice('h', 5, 9)).toEqual({ bytes, start: 5, total: 8 })
    expect(door.calls[0]?.input).toEqual({ handle: 'h', start: 5, end: 9 })
  })

  test('are saved to the file that the user chose', async () => {
    installFakeServiceProcess({ 'content.save': () => ({ saved: false }) })
    expect(await saveContent('h', 'x.png')).toBe(false)
    installFakeServiceProcess({
      'content.save': () => {
        throw createRefusedError('CONTENT_UNKNOWN', 'x')
      },
    })
    await expect(saveContent('h', 'x.png')).rejects.toMatchObject({ code: 'CONTENT_UNKNOWN' })
  })
})
