import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { MAX_HELD_BYTES } from '../../../../electron/services/media/content.ts'
import type { RequestLimits } from '../../../../electron/services/bridge/types.ts'
import { findLayersParameter } from '../../../../shared/bridge/resources/notes.ts'
import { MAX_SLICE_BYTES } from '../../../../shared/ipc/content.ts'
import {
  respond,
  respondHostError,
  respondHtml500,
  behaveInTurn,
  respondRedirect,
  resetConnection,
  neverRespond,
  stallBody,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { expectAppError, testLimits, TOKEN } from '../../../support/services/test-client.ts'
import { startContentHost, createPatternedBytes } from '../../../support/hosts/content-host.ts'
import { createGateway, createContentRef, PAGE_CALLER } from '../../../support/services/content-gateway.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { createJpeg, createPng, createWav } from '../../../support/data/pictures.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const OTHER_PAGE = 'desktop/2/0'

/** Changes one byte in the middle. */
function damage(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1
  return Buffer.concat([bytes.subarray(0, middle), Buffer.of((bytes[middle] ?? 0) ^ 0xff), bytes.subarray(middle + 1)])
}

describe('opening content', () => {
  test('returns the metadata after the first bytes', async () => {
    const picture = createPng(31, 17)
    const host = await startContentHost(picture, { type: 'image/png', headers: { 'Accept-Ranges': 'bytes' } })
    const { contents, get, neverAborted } = createGateway(host.baseUrl)
    const facts = await contents.open(createContentRef('c/1', { maxEdge: 128 }), PAGE_CALLER, neverAborted)
    expect(facts).toEqual({
      handle: expect.stringMatching(/^[\w-]{32}$/) as unknown,
      kind: 'image',
      mediaType: 'image/png',
      declaredType: 'image/png',
      mismatch: false,
      undecodable: false,
      byteLength: picture.length,
      hostRanges: true,
      fromCache: false,
      width: 31,
      height: 17,
      status: 200,
      path: '/notes/N1/content/c%2F1?maxEdge=128',
      durationMs: expect.any(Number) as unknown,
      receivedAt: expect.any(Number) as unknown,
      epoch: 1,
      exchangeId: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      fileName: 'N1-c_1.png',
    })
    const got = await get(facts.handle)
    expect([got.status, got.bytes.equals(picture)]).toEqual([200, true])
    expect(host.requestedRanges).toEqual([null])
  })

  test('returns the size of a JPEG whose dimensions follow 100 KB of other data', async () => {
    const host = await startContentHost(createJpeg(4_000, 3_000, 6, 100_000), { type: 'image/jpeg' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    expect(await contents.open(createContentRef(), PAGE_CALLER, neverAborted)).toMatchObject({
      width: 3_000,
      height: 4_000,
    })
  })

  test('safety 6: sends the expected headers, uncompressed, and a Range only for a part', async () => {
    const bytes = createPatternedBytes(MAX_HELD_BYTES + 100_000, createWav())
    const server = await startMisbehavingHost(respond(bytes, { type: 'audio/wav' }))
    const { contents, neverAborted, get } = createGateway(server.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    await get(handle, 'bytes=8000000-8000009')
    const names = server.requests.map(({ headers }) => headers.map(([name, value]) => `${name}: ${value}`))
    const golden = [
      'Accept: */*',
      'Accept-Encoding: identity',
      'User-Agent: bridge-inspector/1.2.3',
      `Authorization: Bearer ${TOKEN}`,
      `Host: 127.0.0.1:${server.port}`,
      'Connection: keep-alive',
    ]
    const ranged = [...golden.slice(0, 3), 'Range: bytes=8000000-8000009', ...golden.slice(3)]
    expect(names).toEqual([golden, ranged])
    await server.close()
  })

  test.each<[string, Behaviour, object, Partial<RequestLimits>?]>([
    [
      'an error of the host',
      respondHostError(404, { code: 'CONTENT_NOT_FOUND', message: 'gone' }),
      { kind: 'host', code: 'CONTENT_NOT_FOUND', status: 404 },
    ],
    ['an error that says 200', respondHostError(200, { code: 'BUSY', message: 'x' }), { kind: 'host', code: 'BUSY' }],
    ['a redirect', respondRedirect(302, 'http://127.0.0.1:1/x'), { kind: 'http', code: 'REDIRECT_REFUSED' }],
    ['a page of a proxy', respondHtml500(), { kind: 'http', code: 'HTTP_STATUS', status: 500 }],
    ['a reset', resetConnection(), { kind: 'offline', code: 'CONNECTION_RESET' }],
    ['silence', neverRespond(), { kind: 'timeout', code: 'TIMEOUT_IDLE' }, { idleTimeoutMs: 300 }],
    ['a stall', stallBody('GIF89a', 5_000), { kind: 'timeout', code: 'TIMEOUT_IDLE' }, { idleTimeoutMs: 300 }],
    [
      'a part that was not requested',
      respond(createPng(), { status: 206, type: 'image/png', headers: { 'Content-Range': 'bytes 0-9/500' } }),
      { kind: 'malformed', code: 'RANGE_WRONG' },
    ],
    ['fewer bytes than announced', respond('GIF89a', { length: 9_000 }), { kind: 'malformed', code: 'TRUNCATED' }],
  ])('fails with %s, and sends a new request the next time', async (_name, behaviour, expected, limits = {}) => {
    const server = await startMisbehavingHost(behaviour)
    const currentLimits = { ...limits }
    const { contents, neverAborted } = createGateway(server.baseUrl, { limits: currentLimits })
    const error = await expectAppError(contents.open({ ...createContentRef() }, PAGE_CALLER, neverAborted))
    expect(error.wire).toMatchObject(expected)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: expect.any(Number) as unknown, requests: 0 })
    server.setBehaviour(respond(createPng(), { type: 'image/png' }))
    Object.assign(currentLimits, testLimits)
    expect((await contents.open(createContentRef(), PAGE_CALLER, neverAborted)).kind).toBe('image')
    await server.close()
  })

  test.each([
    ['gzip', createPng(31, 17)],
    ['br', createPng(31, 17)],
    ['deflate', createPng(31, 17)],
    ['lzma', createPng(31, 17)],
    ['gzip, br', createPng(31, 17)],
    ['gzip, gzip, gzip, gzip, gzip', createPng(31, 17)],
    ['gzip', createPatternedBytes(MAX_HELD_BYTES + 300_000, createWav())],
    ['gzip', damage(gzipSync(createPatternedBytes(90_000)))],
    ['gzip', gzipSync(createPatternedBytes(90_000)).subarray(0, -20)],
  ])('gives bytes that do not decode as %s as they were received, and says so', async (encoding, bytes) => {
    const headers = { 'Content-Encoding': encoding, 'Accept-Ranges': 'bytes' }
    for (const chunked of [false, true]) {
      const host = await startContentHost(bytes, { headers, chunked })
      const { contents, get, neverAborted } = createGateway(host.baseUrl)
      const { handle, undecodable } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
      expect(undecodable).toBe(true)
      // The second reader requests the rest of a large body as a part of it.
      for (const reader of [1, 2]) expect((await get(handle)).bytes.equals(bytes), `reader ${reader}`).toBe(true)
      const file = path.join(createTempDir(), 'saved')
      await contents.saveToFile(handle, PAGE_CALLER, () => Promise.resolve(file), neverAborted)
      expect(readFileSync(file).equals(bytes)).toBe(true)
    }
  })

  test('decodes bytes that are encoded as declared', async () => {
    const picture = createPng(31, 17)
    const host = await startContentHost(gzipSync(picture), { headers: { 'Content-Encoding': 'gzip' } })
    const { contents, get, neverAborted } = createGateway(host.baseUrl)
    const facts = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    expect(facts).toMatchObject({ undecodable: false, kind: 'image', width: 31 })
    expect((await get(facts.handle)).bytes.equals(picture)).toBe(true)
  })

  test('retries at a host that is busy for a moment', async () => {
    const busy = respondHostError(429, { code: 'SCAN_BUSY', message: 'x', retryAfterSeconds: 0 })
    const server = await startMisbehavingHost(behaveInTurn(busy, respond(createPng(), { type: 'image/png' })))
    const { contents, neverAborted } = createGateway(server.baseUrl)
    expect((await contents.open(createContentRef(), PAGE_CALLER, neverAborted)).width).toBe(3)
    await server.close()
  })

  test('sends nothing for anything but content', async () => {
    const host = await startContentHost(createPng())
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const refusals = [
      [{ ...createContentRef(), endpoint: 'notes.batchGet' }, 'ENDPOINT_UNKNOWN'],
      [{ ...createContentRef(), endpoint: 'notes.move' }, 'ENDPOINT_UNKNOWN'],
      [{ ...createContentRef(), params: { noteid: '..', contentId: 'x' } }, 'PARAM_SEGMENT'],
      [{ ...createContentRef(), params: { noteid: 'N' } }, 'PARAM_MISSING'],
      [{ ...createContentRef(), query: { maxEdge: 5 } }, 'PARAM_RANGE'],
      [{ ...createContentRef(), query: { url: 'http://x' } }, 'PARAM_UNKNOWN'],
    ] as const
    for (const [ref, code] of refusals) {
      expect((await expectAppError(contents.open(ref as never, PAGE_CALLER, neverAborted))).code).toBe(code)
    }
    expect(host.requestedRanges).toEqual([])
  })

  test('accepts a JSON file with a member "error", and a long one', async () => {
    const small = JSON.stringify({ error: 'in my data' })
    const long = JSON.stringify({ error: { code: 'X', message: 'Y' }, more: 'x'.repeat(100_000) })
    for (const text of [small, long]) {
      const host = await startContentHost(Buffer.from(text), { type: 'application/json' })
      const { contents, neverAborted, get } = createGateway(host.baseUrl)
      const { handle, kind } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
      expect([kind, (await get(handle)).bytes.toString()]).toEqual(['text', text])
    }
  })

  test('uses the name of the layer parameter from the host’s own paths', async () => {
    const host = await startContentHost(createPng(8, 8), { type: 'image/png' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const item = { parts: [{}, { contentPath: '/x?a=base64', occlusionBaseContentPath: '/x?maxEdge=9&variant=base' }] }
    expect(findLayersParameter({ parts: [{ contentPath: '/x?layers=base' }] })).toBe('layers')
    expect(findLayersParameter({ parts: [{ contentPath: '/x?%0a=base' }, 7, null] })).toBeNull()
    const layersName = findLayersParameter(item) ?? ''
    const facts = await contents.open(
      { ...createContentRef('c', { layers: 'base', maxEdge: 64 }), layersName },
      PAGE_CALLER,
      neverAborted,
    )
    expect([facts.path, facts.fileName]).toEqual(['/notes/N1/content/c?maxEdge=64&variant=base', 'N1-c-base.png'])
    const wrong = contents.open({ ...createContentRef('c', { layers: 'both' }), layersName }, PAGE_CALLER, neverAborted)
    expect((await expectAppError(wrong)).code).toBe('PARAM_VALUE')
  })

  test('recognizes an error under any media type, and requests it again the next time', async () => {
    const body = JSON.stringify({ error: { code: 'CONTENT_GONE', message: 'no longer here' } })
    const host = await startContentHost(Buffer.from(body), { type: 'image/png' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    for (let round = 0; round < 2; round += 1) {
      const { kind, code } = (await expectAppError(contents.open(createContentRef(), PAGE_CALLER, neverAborted))).wire
      expect([kind, code]).toEqual(['host', 'CONTENT_GONE'])
    }
    expect(host.requestedRanges).toHaveLength(2)
    expect(contents.getUsage()).toMatchObject({ handles: 0, bytes: 0 })
  })

  test('safety 1: masks a token that the host echoes in a text', async () => {
    const text = `${'x'.repeat(70_000)} ${TOKEN} ${Buffer.from(TOKEN).toString('base64')} ${'y'.repeat(70_000)}`
    const host = await startContentHost(Buffer.from(text), { type: 'text/plain' })
    const { contents, neverAborted, get } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const shownText = (await get(handle)).bytes.toString()
    expect(shownText).toHaveLength(text.length)
    expect(shownText).not.toContain(TOKEN.slice(0, 16))
    expect(shownText).toMatch(/^x{70000} \*+ \*+=* y{70000}$/)
    const slice = await contents.readSlice(handle, 69_990, 70_300, PAGE_CALLER, neverAborted)
    expect(Buffer.from(slice.bytes).toString()).not.toContain(TOKEN.slice(-16))
  })
})

describe('cache of content', () => {
  test('turns twenty concurrent requests for the same content into one', async () => {
    const host = await startContentHost(createPng(), { type: 'image/png', delayMs: 50 })
    const { contents, neverAborted, get } = createGateway(host.baseUrl)
    const all = await Promise.all(
      Array.from({ length: 20 }, () => contents.open(createContentRef(), PAGE_CALLER, neverAborted)),
    )
    expect(new Set(all.map(({ handle }) => handle)).size).toBe(20)
    for (const { handle, fromCache } of all) {
      expect([fromCache, (await get(handle)).bytes.equals(createPng())]).toEqual([false, true])
    }
    const later = await contents.open(createContentRef(), OTHER_PAGE, neverAborted)
    expect([later.fromCache, later.exchangeId]).toEqual([true, all[0]?.exchangeId])
    expect(host.requestedRanges).toHaveLength(1)
  })

  test.each(['answered', 'ignored'] as const)(
    'safety 50: has no token far beyond the part in memory, whole or in parts (ranges %s by the host)',
    async (ranges) => {
      const coded = [...TOKEN].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
      const line = 'innocent text, line after line\n'
      const writeAt = (place: number, secret: string, text: Buffer): void => void text.write(secret, place)
      const text = Buffer.from(line.repeat(Math.ceil((MAX_HELD_BYTES + 3_000_000) / line.length)))
      // The tokens stand where memory ends, within the remainder, and at the very end.
      const places = [
        MAX_HELD_BYTES - 10,
        MAX_HELD_BYTES + 65_530,
        MAX_HELD_BYTES + 1_000_000,
        text.length - coded.length,
      ]
      for (const place of places) writeAt(place, place === MAX_HELD_BYTES + 65_530 ? TOKEN : coded, text)
      const host = await startContentHost(text, { type: 'text/plain', ranges })
      const { contents, neverAborted, get } = createGateway(host.baseUrl)
      const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
      const allBytes = (await get(handle)).bytes
      expect(allBytes).toHaveLength(text.length)
      expect(allBytes.includes(TOKEN.slice(0, 16))).toBe(false)
      expect(allBytes.includes('%')).toBe(false)
      expect(allBytes.toString().replaceAll('*', '')).toHaveLength(text.length - TOKEN.length - 3 * coded.length)
      for (const place of places) {
        const [from, to] = [place + 20, Math.min(place + 60, text.length)]
        const slice = Buffer.from((await contents.readSlice(handle, from, to, PAGE_CALLER, neverAborted)).bytes)
        expect(slice.equals(allBytes.subarray(from, to))).toBe(true)
        const part = (await get(handle, `bytes=${from}-${to - 1}`)).bytes
        expect(part.equals(allBytes.subarray(from, to))).toBe(true)
      }
    },
  )

  test('separates requests, hosts, tokens and epochs, and can be bypassed', async () => {
    const host = await startContentHost(createPng(), { type: 'image/png' })
    const { contents, neverAborted, setTarget } = createGateway(host.baseUrl)
    const isCached = async (query = {}, fresh = false): Promise<boolean> =>
      (await contents.open({ ...createContentRef('c', query), fresh }, PAGE_CALLER, neverAborted)).fromCache
    expect(await isCached()).toBe(false)
    expect(await isCached()).toBe(true)
    expect(await isCached({ maxEdge: 64 })).toBe(false)
    expect(await isCached({}, true)).toBe(false)
    expect(await isCached()).toBe(true)
    setTarget({ epoch: 2 })
    expect(await isCached()).toBe(false)
    setTarget({ token: `${TOKEN}x` })
    expect(await isCached()).toBe(false)
    setTarget({ token: null })
    expect(await isCached()).toBe(false)
    expect(host.requestedRanges).toHaveLength(6)
  })

  test('is limited in bytes, and evicted content is requested again correctly', async () => {
    const size = 300_000
    const host = await startContentHost(createPatternedBytes(size, createWav()), { type: 'audio/wav' })
    const { contents, neverAborted, get } = createGateway(host.baseUrl, { cacheBytes: 1_000_000 })
    const handles: string[] = []
    for (let index = 0; index < 8; index += 1) {
      const { handle } = await contents.open(createContentRef(`c${index}`), PAGE_CALLER, neverAborted)
      await get(handle)
      handles.push(handle)
    }
    expect(contents.getUsage().bytes).toBeLessThanOrEqual(1_000_000)
    expect(host.requestedRanges).toHaveLength(8)
    expect((await get(handles[7] ?? '')).bytes.length).toBe(size)
    expect(host.requestedRanges).toHaveLength(8)
    const first = await get(handles[0] ?? '')
    expect(first.bytes.equals(createPatternedBytes(size, createWav()))).toBe(true)
    expect(host.requestedRanges).toHaveLength(9)
    contents.releasePage(PAGE_CALLER)
    expect(contents.getUsage().bytes).toBeLessThanOrEqual(1_000_000)
  })

  test('does not contain content that is larger than the cache', async () => {
    const host = await startContentHost(createPatternedBytes(MAX_HELD_BYTES + 1, createWav()), { type: 'audio/wav' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    expect(contents.getUsage().bytes).toBeLessThan(400_000)
  })
})

describe('safety 11: content that nobody waits for', () => {
  const endlessContent = { size: 1e9, make: (from: number, to: number) => Buffer.alloc(to - from, from === 0 ? 1 : 2) }

  test('is canceled at the host while it opens', async () => {
    const host = await startContentHost(createPng(), { delayMs: 60_000 })
    const { contents } = createGateway(host.baseUrl)
    const abort = new AbortController()
    const opening = contents.open(createContentRef(), PAGE_CALLER, abort.signal)
    await expect.poll(() => host.requestedRanges.length).toBe(1)
    abort.abort()
    expect((await expectAppError(opening)).kind).toBe('cancelled')
    await expect.poll(() => host.countOpenResponses()).toBe(0)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })

  test('is kept for a second caller if the first one leaves', async () => {
    const host = await startContentHost(createPng(), { type: 'image/png', delayMs: 100 })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const abort = new AbortController()
    const first = contents.open(createContentRef(), PAGE_CALLER, abort.signal)
    const second = contents.open(createContentRef(), OTHER_PAGE, neverAborted)
    abort.abort()
    expect((await expectAppError(first)).kind).toBe('cancelled')
    expect((await second).kind).toBe('image')
  })

  test.each(['released', 'left', 'closed'])('ends when it is %s while the rest waits at the host', async (action) => {
    const host = await startContentHost(endlessContent)
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    expect(host.countOpenResponses()).toBe(1)
    if (action === 'released') contents.release(handle, PAGE_CALLER)
    else if (action === 'left') contents.releasePage(PAGE_CALLER)
    else contents.close()
    await expect.poll(() => host.countOpenResponses()).toBe(0)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })

  test('is requested at most six at a time per page, and never if its caller leaves before', async () => {
    const host = await startContentHost(createPng(), { delayMs: 60_000 })
    const { contents } = createGateway(host.baseUrl)
    const abort = new AbortController()
    const all = Array.from({ length: 20 }, (_, index) =>
      contents.open(createContentRef(`c${index}`), PAGE_CALLER, abort.signal),
    )
    await expect.poll(() => host.requestedRanges.length).toBe(6)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(host.requestedRanges).toHaveLength(6)
    abort.abort()
    for (const outcome of await Promise.allSettled(all)) expect(outcome.status).toBe('rejected')
    await expect.poll(() => host.countOpenResponses()).toBe(0)
    expect(host.requestedRanges).toHaveLength(6)
    expect(contents.getUsage().requests).toBe(0)
  })

  test('leaves few unread remainders at the host', async () => {
    const host = await startContentHost(endlessContent)
    const { contents, neverAborted } = createGateway(host.baseUrl)
    for (let index = 0; index < 12; index += 1)
      await contents.open(createContentRef(`c${index}`), PAGE_CALLER, neverAborted)
    await expect.poll(() => host.countOpenResponses()).toBeLessThanOrEqual(4)
  })
})

describe('handle of content', () => {
  test('safety 19: leads nowhere if it belongs to another page, is released, expired or guessed', async () => {
    const host = await startContentHost(createPatternedBytes(MAX_HELD_BYTES * 2, createWav()), { type: 'audio/wav' })
    const { contents, neverAborted, get } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const requestCount = host.requestedRanges.length
    const foreign = { canUse: (page: string) => page === OTHER_PAGE }
    expect((await get(handle, 'bytes=9000000-', foreign)).status).toBe(404)
    for (const guess of ['', 'x', `${handle}x`, handle.slice(1), '../notes', '__proto__', handle.toLowerCase() + 'A']) {
      expect((await get(guess)).status).toBe(404)
    }
    expect((await expectAppError(contents.readSlice(handle, 0, 9, OTHER_PAGE, neverAborted))).code).toBe(
      'CONTENT_UNKNOWN',
    )
    contents.release(handle, OTHER_PAGE)
    expect((await get(handle, 'bytes=0-9')).status).toBe(206)
    contents.release(handle, PAGE_CALLER)
    expect((await get(handle)).status).toBe(404)
    expect(host.requestedRanges).toHaveLength(requestCount)
  })

  test('of another connection is not requested from the current one', async () => {
    const [host, other] = [
      await startContentHost(createPatternedBytes(MAX_HELD_BYTES * 2, createWav())),
      await startContentHost(createPatternedBytes(MAX_HELD_BYTES * 2, createWav())),
    ]
    const { contents, neverAborted, get, setTarget } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    setTarget({ baseUrl: other.baseUrl })
    expect((await get(handle, 'bytes=9000000-')).status).toBe(502)
    expect(other.requestedRanges).toEqual([])
  })

  test('accepts only GET and HEAD', async () => {
    const host = await startContentHost(createPng())
    const { contents, neverAborted, get } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await get(handle, null, { method })).status).toBe(405)
    }
    expect((await get(handle, null, { method: 'HEAD' })).bytes.length).toBe(0)
  })
})

describe('slice of content', () => {
  test('contains the requested bytes, or less at the end', async () => {
    const bytes = createPatternedBytes(200_000, createWav())
    const host = await startContentHost(bytes, { type: 'audio/wav' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    for (const [start, end] of [
      [0, 1],
      [5, 100],
      [199_990, 200_100],
      [200_000, 200_001],
      [0, 200_000],
    ] as const) {
      const slice = await contents.readSlice(handle, start, end, PAGE_CALLER, neverAborted)
      expect(slice.meta).toEqual({ start, total: 200_000 })
      expect(Buffer.from(slice.bytes).equals(bytes.subarray(start, end))).toBe(true)
    }
    for (const [start, end] of [
      [5, 5],
      [9, 5],
      [0, MAX_SLICE_BYTES + 1],
    ] as const) {
      expect((await expectAppError(contents.readSlice(handle, start, end, PAGE_CALLER, neverAborted))).code).toBe(
        'SLICE_INVALID',
      )
    }
  })

  test('can be read from the part that is still at the host', async () => {
    const bytes = createPatternedBytes(MAX_HELD_BYTES * 2, createWav())
    const host = await startContentHost(bytes, { type: 'audio/wav' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    for (const start of [0, 60_000, 65_536, 9_000_000, MAX_HELD_BYTES * 2 - 10]) {
      const slice = await contents.readSlice(handle, start, start + 100_000, PAGE_CALLER, neverAborted)
      expect(Buffer.from(slice.bytes).equals(bytes.subarray(start, start + 100_000))).toBe(true)
    }
    host.ranges = 'shifted'
    expect(
      (await expectAppError(contents.readSlice(handle, 9_000_000, 9_000_100, PAGE_CALLER, neverAborted))).code,
    ).toBe('RANGE_WRONG')
  })
})
