import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { IpcDispatcher, ListingPage } from '../../../electron/handlers/app-ports.ts'
import { ByteFrameReader } from '../../../renderer/workers/byte-frame-reader.ts'
import { ListingAccessExpiredError, ListingReader } from '../../../renderer/workers/listing-reader.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ListingAccess } from '../../../shared/ipc/listing.ts'
import { startBrowserHostSession, createFakeDispatcher } from '../../support/browser/browser-host-session.ts'

const input = { endpoint: 'studySets.tree', params: {}, query: {} }
const meta = {
  ...{ exchangeId: 'x', endpoint: 'studySets.tree', method: 'GET', path: '/study-sets/T/tree', status: 200 },
  ...{ contentType: 'application/json', headers: {}, durationMs: 1, receivedAt: 1, epoch: 1, byteLength: 0 },
}
const pageOf = (cursor: string | null, bytes: Uint8Array): ListingPage => ({
  cursor,
  reply: { ok: true, value: { meta: { ...meta, byteLength: bytes.byteLength }, bytes: new Uint8Array(bytes).buffer } },
})

let listing = new ListingReader()
afterEach(() => {
  listing.close()
  listing = new ListingReader()
})

const LARGE = 65_536

/** A browser host in front of a door that lists, and the way in to it. */
async function behind(list: IpcDispatcher['readListing']): Promise<{ door: ListingAccess; requests: unknown[] }> {
  const requests: unknown[] = []
  const entered = await startBrowserHostSession({
    ...createFakeDispatcher(),
    readListing(caller, request, signal) {
      requests.push(request)
      return list(caller, request, signal)
    },
  })
  onTestFinished(() => entered.host.close())
  const headers = Object.fromEntries(
    entered.allowedHeaders.slice(1).map((line) => line.split(': ') as [string, string]),
  )
  return { door: { url: `http://127.0.0.1:${entered.host.port}/ipc/listing`, headers }, requests }
}

const codeOf = (failure: unknown): string | undefined => (failure instanceof AppError ? failure.code : String(failure))

/** What was asked for, without the rest of the input. */
const briefly = (requests: readonly unknown[]): unknown[] =>
  requests.map((request) => {
    const { input: requestInput, maxPages } = request as { input: { query: { cursor?: string } }; maxPages: number }
    return [requestInput.query.cursor ?? null, maxPages]
  })

/**
 * A host with this many pages after the first, each named by its number, for whoever asks for
 * `maxPages` of them.
 */
const numbered = (count: number, bytesOf: (n: number) => Uint8Array): IpcDispatcher['readListing'] =>
  async function* (_caller, request) {
    const { input: requestInput, maxPages } = request as { input: { query: { cursor?: string } }; maxPages: number }
    const from = Number(requestInput.query.cursor ?? 0)
    for (let n = from; n < Math.min(count, from + maxPages); n += 1)
      yield pageOf(n === 0 ? null : String(n), bytesOf(n))
  }

test('large pages arrive byte for byte, and each request asks for twice as many as the one before', async () => {
  const bodies = [3_000_000, LARGE, LARGE, LARGE, 0, 1, LARGE, LARGE, LARGE].map((size) => randomBytes(size))
  const { door, requests } = await behind(numbered(bodies.length, (n) => bodies[n] ?? Buffer.alloc(0)))
  for (const [n, body] of bodies.entries()) {
    const { bytes, meta: receivedMeta } = await listing.readPage(door, `l${n}`, input, n === 0 ? null : String(n))
    expect(Buffer.compare(Buffer.from(bytes), body)).toBe(0)
    expect(receivedMeta.byteLength).toBe(body.byteLength)
  }
  expect(briefly(requests)).toEqual([
    [null, 1],
    ['1', 2],
    ['3', 4],
    ['7', 1],
    ['8', 2],
  ])
})

test('small pages are requested one by one', async () => {
  const { door, requests } = await behind(numbered(4, () => Buffer.from('{}')))
  for (const cursor of [null, '1', '2', '3']) await listing.readPage(door, `at-${cursor}`, input, cursor)
  expect(briefly(requests)).toEqual([null, '1', '2', '3'].map((cursor) => [cursor, 1]))
})

test('the right page is requested if the response continues with another one', async () => {
  const { door, requests } = await behind(async function* (_caller, request) {
    const { cursor = null } = (request as { input: { query: { cursor?: string } } }).input.query
    yield pageOf(cursor, Buffer.alloc(LARGE))
    yield pageOf('guessed', Buffer.alloc(LARGE))
  })
  for (const cursor of [null, 'right', 'last']) {
    expect((await listing.readPage(door, `at-${cursor}`, input, cursor)).bytes.byteLength).toBe(LARGE)
  }
  expect(briefly(requests)).toEqual([
    [null, 1],
    ['right', 1],
    ['last', 1],
  ])
})

test('an error of the host is passed on unchanged, and its page can be requested again', async () => {
  const { wire } = new AppError({ kind: 'host', code: 'BUSY', status: 503, message: 'later', retryable: true })
  let tries = 0
  const { door } = await behind(async function* () {
    tries += 1
    if (tries === 1) {
      yield pageOf(null, Buffer.from('first'))
      yield { cursor: 'a', reply: { ok: false, error: wire } }
    } else yield pageOf('a', Buffer.from('second'))
  })
  await listing.readPage(door, 'l1', input, null)
  const failure: unknown = await listing.readPage(door, 'l2', input, 'a').catch((error: unknown) => error)
  expect(failure instanceof AppError && failure.wire).toEqual(wire)
  expect(Buffer.from((await listing.readPage(door, 'l3', input, 'a')).bytes).toString()).toBe('second')
})

test('a secret of an earlier run fails with its own error', async () => {
  const { door, requests } = await behind(async function* () {})
  const outdated = { ...door, headers: { ...door.headers, 'x-bridge-inspector-page': 'old' } }
  await expect(listing.readPage(outdated, 'l', input, null)).rejects.toBeInstanceOf(ListingAccessExpiredError)
  expect(requests).toEqual([])
})

test('a service that breaks off or is gone is reported', async () => {
  const { promise: read, resolve: wasRead } = Promise.withResolvers<null>()
  const { door } = await behind(async function* () {
    yield pageOf(null, Buffer.from('first'))
    await read
    throw new Error('a defect')
  })
  await listing.readPage(door, 'l1', input, null)
  wasRead(null)
  expect(await listing.readPage(door, 'l2', input, 'a').catch(codeOf)).toBe('SERVICE_GONE')
  const nobody = { ...door, url: 'http://127.0.0.1:1/ipc/listing' }
  expect(await listing.readPage(nobody, 'l3', input, null).catch(codeOf)).toBe('SERVICE_GONE')
})

test.each(['close', 'finish'] as const)('%s cancels the stream while more pages follow', async (mode) => {
  let hungUp = false
  const { door } = await behind(async function* (_caller, _request, signal) {
    signal.addEventListener('abort', () => (hungUp = true))
    for (let n = 0; !signal.aborted; n += 1) {
      yield pageOf(n === 0 ? null : String(n), Buffer.alloc(1_000_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  await listing.readPage(door, 'l', input, null)
  void listing[mode]()
  await expect.poll(() => hungUp).toBe(true)
})

test('a pending page fails when the listing is closed', async () => {
  const { door } = await behind(async function* (_caller, _request, signal) {
    yield pageOf(null, Buffer.from('first'))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  await listing.readPage(door, 'l', input, null)
  const waiting = listing.readPage(door, 'l2', input, 'a').catch(codeOf)
  listing.close()
  expect(await waiting).toBe('SERVICE_GONE')
})

/**
 * Sizes of pieces, and of what is asked for: tiny ones, and some that are read into their own
 * buffers.
 */
const sizes = fc.array(fc.oneof(fc.nat({ max: 9 }), fc.integer({ min: 4090, max: 10_000 })), { maxLength: 12 })

test.each(['bytes', undefined] as const)('frames do not depend on how the bytes arrive (type %s)', async (type) => {
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (arriving, lengths) => {
      const all = randomBytes(arriving.reduce((sum, size) => sum + size, 0))
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        // The types know no stream that may be of either kind.
        ...({ type } as { type: undefined }),
        start(controller) {
          let from = 0
          for (const size of arriving) {
            if (size > 0) controller.enqueue(new Uint8Array(all.subarray(from, from + size)))
            from += size
          }
          controller.close()
        },
      })
      const frames = new ByteFrameReader(stream)
      let offset = 0
      for (const length of lengths) {
        const left = all.length - offset
        if (length > left) {
          if (left > 0) await expect(frames.readFrame(length)).rejects.toThrow('ends early')
          else expect(await frames.readFrame(length)).toBeNull()
          return
        }
        const frame = await frames.readFrame(length)
        expect(Buffer.from(frame ?? new ArrayBuffer(0)).equals(all.subarray(offset, offset + length))).toBe(true)
        offset += length
      }
    }),
  )
})
