import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { spareTreeWorker, TreeWorker } from '../../renderer/workers/tree-client.ts'

/** A worker that notes that it was started, and what it was sent. */
class FakeWorker {
  static started: FakeWorker[] = []
  onmessage: unknown = null
  onerror: ((event: { message: string }) => void) | null = null
  readonly sent: unknown[] = []

  constructor() {
    FakeWorker.started.push(this)
  }

  postMessage(message: unknown): void {
    this.sent.push(message)
  }

  terminate(): void {
    this.onmessage = null
  }
}

beforeEach(() => {
  FakeWorker.started = []
  vi.stubGlobal('Worker', FakeWorker)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('a tree takes the worker that was started ahead, the next one starts its own', () => {
  spareTreeWorker()
  spareTreeWorker()
  expect(FakeWorker.started.length).toBe(1)
  new TreeWorker('root').close()
  expect(FakeWorker.started.length).toBe(1)
  expect(FakeWorker.started[0]?.sent).toMatchObject([{ task: 'open', root: 'root' }])
  new TreeWorker('').close()
  expect(FakeWorker.started.length).toBe(2)
})

test('one that could not start ahead is not used', async () => {
  spareTreeWorker()
  FakeWorker.started[0]?.onerror?.({ message: 'gone' })
  const tree = new TreeWorker('')
  expect(FakeWorker.started.length).toBe(2)
  const asked = tree.source(0)
  FakeWorker.started[1]?.onerror?.({ message: 'gone' })
  await expect(asked).rejects.toThrow('gone')
})
