import { describe, expect, test } from 'vitest'
import type { IpcDispatcher } from '../../../electron/handlers/app-ports.ts'
import { createCallerKeys, createListingReader } from '../../../electron/handlers/listing-reader.ts'
import { AppError } from '../../../shared/errors.ts'
import type { CallReply } from '../../../shared/ipc/method-definition.ts'

const input = { endpoint: 'studySets.tree', params: { topicid: 'T' }, query: { limit: 2 } }
const never = new AbortController().signal
const pageOf = (nextCursor: string | null): CallReply => ({
  ok: true,
  value: { meta: {}, bytes: new TextEncoder().encode(JSON.stringify({ nodes: [], nextCursor })).buffer },
})

/** A door that answers by cursor, the first page under ''. */
function doorTo(responses: Readonly<Record<string, CallReply>>) {
  const requests: unknown[] = []
  const cancelled: unknown[] = []
  let dropped = 0
  const door: Pick<IpcDispatcher, 'call' | 'cancel'> = {
    async call(_caller, request) {
      requests.push(request)
      const { input: requestInput } = request as { input: { query: { cursor?: string } } }
      return responses[requestInput.query.cursor ?? ''] ?? (await new Promise<CallReply>(() => undefined))
    },
    cancel: (_caller, id) => void cancelled.push(id),
  }
  const listing = createListingReader(door, () => (dropped += 1))
  const all = async (request: unknown, signal = never) => {
    const cursors: (string | null)[] = []
    const errors: (string | undefined)[] = []
    for await (const { cursor, reply } of listing('page', request, signal)) {
      cursors.push(cursor)
      if (!reply.ok) errors.push(reply.error.code)
    }
    return { cursors, errors }
  }
  return { listing, all, requests, cancelled, dropped: () => dropped }
}

test('reads each page by its own call, with the cursor of the previous page', async () => {
  const { all, requests } = doorTo({ '': pageOf('a'), a: pageOf('b'), b: pageOf(null) })
  expect(await all({ id: 'l', input, maxPages: 16 })).toEqual({ cursors: [null, 'a', 'b'], errors: [] })
  expect(requests).toEqual([
    { id: 'l.1', method: 'bridge.read', input: { ...input, readAhead: true } },
    { id: 'l.2', method: 'bridge.read', input: { ...input, readAhead: true, query: { limit: 2, cursor: 'a' } } },
    { id: 'l.3', method: 'bridge.read', input: { ...input, readAhead: true, query: { limit: 2, cursor: 'b' } } },
  ])
})

test('may start at any cursor', async () => {
  const { all } = doorTo({ '': pageOf('a'), a: pageOf('b'), b: pageOf(null) })
  const from = { ...input, query: { ...input.query, cursor: 'a' } }
  expect((await all({ id: 'l', input: from, maxPages: 16 })).cursors).toEqual(['a', 'b'])
})

test('reads no more pages than requested', async () => {
  const { all, requests } = doorTo({ '': pageOf('a'), a: pageOf('b'), b: pageOf(null) })
  expect((await all({ id: 'l', input, maxPages: 2 })).cursors).toEqual([null, 'a'])
  expect(requests).toHaveLength(2)
})

test('follows a cursor cycle only once', async () => {
  const { all } = doorTo({ '': pageOf('a'), a: pageOf('b'), b: pageOf('a') })
  expect((await all({ id: 'l', input, maxPages: 16 })).cursors).toEqual([null, 'a', 'b'])
})

test('ends with an error at the page where the error occurs', async () => {
  const { wire } = new AppError({ kind: 'host', code: 'BUSY', message: 'later', retryable: true })
  const { all, requests } = doorTo({ '': pageOf('a'), a: { ok: false, error: wire } })
  expect(await all({ id: 'l', input, maxPages: 16 })).toEqual({ cursors: [null, 'a'], errors: ['BUSY'] })
  expect(requests).toHaveLength(2)
})

test.each([
  ['nothing', undefined],
  ['no id', { input, maxPages: 1 }],
  ['too many pages', { id: 'l', input, maxPages: 17 }],
  ['a member too many', { id: 'l', input, maxPages: 1, method: 'vault.set' }],
  ['an input of another kind', { id: 'l', input: { url: 'http://127.0.0.1' }, maxPages: 1 }],
])('refuses %s', async (_name, request) => {
  const { all, requests } = doorTo({ '': pageOf(null) })
  expect((await all(request)).errors).toEqual(['REQUEST_MALFORMED'])
  expect(requests).toEqual([])
})

test('cancels the pending page and drops pages read ahead when the reader closes', async () => {
  const { listing, cancelled, dropped, requests } = doorTo({ '': pageOf('slow') })
  const abort = new AbortController()
  const pages = listing('page', { id: 'l', input, maxPages: 16 }, abort.signal)[Symbol.asyncIterator]()
  await pages.next()
  void pages.next()
  await expect.poll(() => requests.length).toBe(2)
  abort.abort()
  expect(cancelled).toEqual(['l.2'])
  expect(dropped()).toBe(1)
})

test('reads nothing after the reader closes between two pages', async () => {
  const { listing, requests, dropped } = doorTo({ '': pageOf('a'), a: pageOf(null) })
  const abort = new AbortController()
  for await (const page of listing('page', { id: 'l', input, maxPages: 16 }, abort.signal)) {
    expect(page.cursor).toBeNull()
    abort.abort()
  }
  expect(requests).toHaveLength(1)
  expect(dropped()).toBe(1)
})

describe('the key of an IPC caller', () => {
  test('identifies the caller that it was issued to', () => {
    const keys = createCallerKeys()
    const [first, second] = [keys.issueKey('desktop/7/0'), keys.issueKey('desktop/8/0')]
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(keys.issueKey('desktop/7/0')).toBe(first)
    expect([keys.findCaller(first), keys.findCaller(second)]).toEqual(['desktop/7/0', 'desktop/8/0'])
    for (const other of [null, '', `${first}x`, first.slice(1), 'x'.repeat(43), 'é'.repeat(43)])
      expect(keys.findCaller(other)).toBeNull()
  })

  test('is invalid after the caller has left', () => {
    const keys = createCallerKeys()
    const key = keys.issueKey('desktop/7/0')
    keys.revokeKey('desktop/7/0')
    expect(keys.findCaller(key)).toBeNull()
    expect(keys.issueKey('desktop/7/0')).not.toBe(key)
  })
})
