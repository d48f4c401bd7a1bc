import { expect, onTestFinished, test } from 'vitest'
import { resolveRow } from '../../../../electron/services/bridge/client/request-row.ts'
import type { ExchangeEnd, ExchangeStart } from '../../../../electron/services/bridge/types.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { createSnapshots } from '../../../../electron/services/snapshots/snapshots.ts'
import { SnapshotThread } from '../../../../electron/services/snapshots/thread/snapshot-thread.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createTarget } from '../../../support/services/test-client.ts'

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

test('posts all pages once their listing pauses, though nobody asks for them', async () => {
  const { promise: changedTopic, resolve: changed } = Promise.withResolvers<string | null>()
  const thread = new SnapshotThread({
    worker: WORKER_URL,
    dataDir: null,
    listeners: { changed, progress: () => undefined, noticed: () => undefined },
    onFailure: (reason) => expect.unreachable(reason),
  })
  onTestFinished(() => thread.close())
  const place = { topicid: 'topic', host: 'h', instance: null, root: '', sort: '', startedAt: 1, endedAt: 2 }
  const cursors = [null, 'b', 'c', 'd']
  for (const [index, cursor] of cursors.entries()) {
    const text = JSON.stringify({ nodes: [{ noteid: `card ${index}` }], nextCursor: cursors[index + 1] ?? null })
    const bytes = new TextEncoder().encode(text)
    const page = { ...place, origin: { kind: 'place' as const, label: null }, cursor, bytes }
    thread.sendPage({ page, token: null, isRequested: false }, index % 2 === 0)
  }
  expect(await changedTopic).toBe('topic')
  expect((await thread.ask('list', 'topic')).snapshots).toMatchObject([{ cards: cursors.length }])
})

/** Hands the exchange of a listing to snapshots, and returns what became of it. */
async function observeListing(
  end: Pick<ExchangeEnd, 'body' | 'isBodyOwned'>,
  onObserved: () => void = () => undefined,
  options: { readonly maxQueuedBytes?: number } = {},
) {
  const snapshots = createSnapshots({
    dataDir: createTempDir(),
    isVisit: false,
    worker: WORKER_URL,
    bus: createBus(),
    notices: { add: (notice: unknown) => expect.unreachable(JSON.stringify(notice)) },
    log: { error: (reason: string) => expect.unreachable(reason) },
    settings: { get: () => ({ snapshotKeepDays: 1, snapshotMaxMb: 1 }) },
    onTokens: () => undefined,
    ...options,
  } as unknown as Parameters<typeof createSnapshots>[0])
  onTestFinished(() => snapshots.close())
  const target = createTarget('http://127.0.0.1:1/bridge/v1')
  const path = '/study-sets/topic/tree'
  const endpoint = resolveRow('GET', path, target, null)
  const start = { endpoint, target, path, origin: { kind: 'place', label: null }, startedAt: 1 }
  const facts = { isComplete: true, status: 200, hostCode: null, missing: null, durationMs: 1 }
  snapshots.observeExchange(start as unknown as ExchangeStart, { ...facts, ...end } as ExchangeEnd)
  onObserved()
  return snapshots.list('topic')
}

const listingText = JSON.stringify({ nodes: [{ noteid: 'a' }], nextCursor: null })

test('leaves the page of a listing to whoever reads it as well', async () => {
  const body = new TextEncoder().encode(listingText)
  const list = await observeListing({ body })
  expect(list).toMatchObject({ snapshots: [{ cards: 1 }] })
  expect(list).not.toHaveProperty('wasDropped')
  expect(new TextDecoder().decode(body)).toBe(listingText)
})

test('keeps pages whose bytes the recorder takes, and does not keep the buffer around a page', async () => {
  const owned = new TextEncoder().encode(listingText)
  const detach = (): void => void structuredClone(owned.buffer, { transfer: [owned.buffer] })
  const ownedList = await observeListing({ body: owned, isBodyOwned: true }, detach)
  expect(ownedList).toMatchObject({ snapshots: [{ cards: 1 }] })
  const around = new TextEncoder().encode(`..${listingText}..`)
  const body = around.subarray(2, -2)
  expect(await observeListing({ body }, () => around.fill(0))).toMatchObject({ snapshots: [{ cards: 1 }] })
})

test('tells of a listing that became no snapshot because it was too large', async () => {
  const body = new TextEncoder().encode(listingText)
  const list = await observeListing({ body }, undefined, { maxQueuedBytes: 10 })
  expect(list).toMatchObject({ snapshots: [], wasDropped: true })
})
