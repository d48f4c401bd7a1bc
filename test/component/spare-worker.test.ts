import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prewarmTreeWorker, TreeWorker } from '../../renderer/workers/tree-client.ts'

/** A worker that notes that it was started, and what it was sent. */
class FakeWorker {
  static started: FakeWorker[] = []
  onmessage: ((event: { data: unknown }) => void) | null = null
  onerror: ((event: { message: string }) => void) | null = null
  readonly sentRequests: { readonly method: string; readonly id: number }[] = []
  ended = false

  constructor() {
    FakeWorker.started.push(this)
  }

  postMessage(message: { method: string; id: number }): void {
    this.sentRequests.push(message)
  }

  terminate(): void {
    this.ended = true
  }

  /** Answers everything that it was asked. */
  respond(): void {
    for (const { id } of this.sentRequests) this.onmessage?.({ data: { id, value: undefined } })
  }
}

beforeEach(() => {
  FakeWorker.started = []
  vi.stubGlobal('Worker', FakeWorker)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('the first tree uses the prewarmed worker, the next one starts its own', () => {
  prewarmTreeWorker()
  prewarmTreeWorker()
  expect(FakeWorker.started.length).toBe(1)
  new TreeWorker('root', 'T').close()
  expect(FakeWorker.started.length).toBe(1)
  expect(FakeWorker.started[0]?.sentRequests).toMatchObject([{ method: 'open', input: { root: 'root' } }])
  new TreeWorker('', 'T').close()
  expect(FakeWorker.started.length).toBe(2)
})

test('a closed tree leaves its idle worker to the next tree', async () => {
  prewarmTreeWorker()
  const [worker] = FakeWorker.started
  const tree = new TreeWorker('first', 'T')
  worker?.respond()
  tree.close()
  expect(worker?.ended).toBe(false)
  const next = new TreeWorker('second', 'T')
  expect(FakeWorker.started.length).toBe(1)
  expect(worker?.sentRequests).toMatchObject([
    { method: 'open', input: { root: 'first' } },
    { method: 'open', input: { root: 'second' } },
  ])
  const idIndex = next.indexOf('id')
  worker?.onmessage?.({ data: { id: 2, value: Int32Array.of(7) } })
  await expect(idIndex).resolves.toBe(7)
  next.close()
})

test('a busy or failed worker is terminated with its tree', () => {
  const busy = new TreeWorker('', 'T')
  busy.close()
  expect(FakeWorker.started.at(-1)?.ended).toBe(true)
  const broken = new TreeWorker('', 'T')
  FakeWorker.started.at(-1)?.respond()
  FakeWorker.started.at(-1)?.onerror?.({ message: 'gone' })
  broken.close()
  expect(FakeWorker.started.at(-1)?.ended).toBe(true)
})

test('a worker that failed to prewarm is not used', async () => {
  prewarmTreeWorker()
  FakeWorker.started[0]?.onerror?.({ message: 'gone' })
  const tree = new TreeWorker('', 'T')
  expect(FakeWorker.started.length).toBe(2)
  const pendingSource = tree.call('getNodeSource', 0)
  FakeWorker.started[1]?.onerror?.({ message: 'gone' })
  await expect(pendingSource).rejects.toThrow('gone')
})
