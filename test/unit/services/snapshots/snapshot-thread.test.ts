import { expect, onTestFinished, test } from 'vitest'
import { SnapshotThread } from '../../../../electron/services/snapshots/thread/snapshot-thread.ts'

const WORKER_URL = new URL('../../../../electron/services/snapshots/thread/worker.ts', import.meta.url)

test('has no room for further pages until the thread has read those that wait', async () => {
  const thread = new SnapshotThread({
    worker: WORKER_URL,
    dataDir: null,
    maxQueuedBytes: 100,
    listeners: { changed: () => undefined, progress: () => undefined, noticed: () => undefined },
    onFailure: (reason) => expect.unreachable(reason),
  })
  onTestFinished(() => thread.close())
  const text = JSON.stringify({ nodes: [{ noteid: 'a' }], nextCursor: null, padding: 'x'.repeat(20) })
  const bytes = new TextEncoder().encode(text)
  const page = {
    ...{ topicid: 'topic', host: 'h', instance: null, origin: { kind: 'place' as const, label: null } },
    ...{ root: '', sort: '', cursor: null, startedAt: 1, endedAt: 2, bytes },
  }
  expect(thread.hasRoom(100)).toBe(true)
  thread.sendPage({ page, token: null, isRequested: false })
  expect(thread.hasRoom(100)).toBe(false)
  expect((await thread.ask('list', 'topic')).snapshots).toMatchObject([{ cards: 1 }])
  expect(thread.hasRoom(100)).toBe(true)
})
