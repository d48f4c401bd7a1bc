import { describe, expect, test } from 'vitest'
import { MAX_HELD_BYTES } from '../../../../electron/services/media/content.ts'
import type { RequestLimits } from '../../../../electron/services/bridge/types.ts'
import { findLayersParameter } from '../../../../shared/bridge/resources/notes.ts'
import { MAX_SLICE_BYTES } from '../../../../shared/ipc/content.ts'
import {
  answer,
  hostError,
  html500,
  inTurn,
  redirect,
  reset,
  silence,
  stall,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { failureOf, TOKEN } from '../../../support/services/bridge.ts'
import { contentHost, patterned } from '../../../support/hosts/content-host.ts'
import { gateway, noteContent, PAGE } from '../../../support/services/content.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { jpeg, png, wav } from '../../../support/data/pictures.ts'

const OTHER = 'desktop/2/0'

describe('opening a content', () => {
  test('returns what is known after its first bytes', async () => {
    const picture = png(31, 17)
    const host = await contentHost(picture, { type: 'image/png', headers: { 'Accept-Ranges': 'bytes' } })
    const { contents, get, never } = gateway(host.baseUrl)
    const facts = await contents.open(noteContent('c/1', { maxEdge: 128 }), PAGE, never)
    expect(facts).toEqual({
      handle: expect.stringMatching(/^[\w-]{32}$/) as unknown,
      kind: 'image',
      mediaType: 'image/png',
      declaredType: 'image/png',
      mismatch: false,
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
    expect(host.asked).toEqual([null])
  })

  test('of a JPEG whose dimensions follow 100 KB of other data', async () => {
    const host = await contentHost(jpeg(4_000, 3_000, 6, 100_000), { type: 'image/jpeg' })
    const { contents, never } = gateway(host.baseUrl)
    expect(await contents.open(noteContent(), PAGE, never)).toMatchObject({ width: 3_000, height: 4_000 })
  })

  test('safety 6: the request has the golden headers, uncompressed, and a Range only for a part', async () => {
    const bytes = patterned(MAX_HELD_BYTES + 100_000, wav())
    const server = await startMisbehavingHost(answer(bytes, { type: 'audio/wav' }))
    const { contents, never, get } = gateway(server.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
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
      hostError(404, { code: 'CONTENT_NOT_FOUND', message: 'gone' }),
      { kind: 'host', code: 'CONTENT_NOT_FOUND', status: 404 },
    ],
    ['an error that says 200', hostError(200, { code: 'BUSY', message: 'x' }), { kind: 'host', code: 'BUSY' }],
    ['a redirect', redirect(302, 'http://127.0.0.1:1/x'), { kind: 'http', code: 'REDIRECT_REFUSED' }],
    ['a page of a proxy', html500(), { kind: 'http', code: 'HTTP_STATUS', status: 500 }],
    ['a reset', reset(), { kind: 'offline', code: 'CONNECTION_RESET' }],
    ['silence', silence(), { kind: 'timeout', code: 'TIMEOUT_IDLE' }, { idleTimeoutMs: 300 }],
    ['a stall', stall('GIF89a', 5_000), { kind: 'timeout', code: 'TIMEOUT_IDLE' }, { idleTimeoutMs: 300 }],
    [
      'an encoding that was not asked for',
      answer('x', { headers: { 'Content-Encoding': 'zstd' } }),
      { kind: 'malformed', code: 'ENCODING_UNKNOWN' },
    ],
    [
      'a part that nobody asked for',
      answer(png(), { status: 206, type: 'image/png', headers: { 'Content-Range': 'bytes 0-9/500' } }),
      { kind: 'malformed', code: 'RANGE_WRONG' },
    ],
    ['fewer bytes than announced', answer('GIF89a', { length: 9_000 }), { kind: 'malformed', code: 'TRUNCATED' }],
  ])('fails with %s, and is asked for anew the next time', async (_name, behaviour, expected, limits = {}) => {
    const server = await startMisbehavingHost(behaviour)
    const { contents, never } = gateway(server.baseUrl, { limits })
    const error = await failureOf(contents.open({ ...noteContent() }, PAGE, never))
    expect(error.wire).toMatchObject(expected)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: expect.any(Number) as unknown, requests: 0 })
    server.behave(answer(png(), { type: 'image/png' }))
    expect((await contents.open(noteContent(), PAGE, never)).kind).toBe('image')
    await server.close()
  })

  test('a host that is busy for a moment is asked again', async () => {
    const busy = hostError(429, { code: 'SCAN_BUSY', message: 'x', retryAfterSeconds: 0 })
    const server = await startMisbehavingHost(inTurn(busy, answer(png(), { type: 'image/png' })))
    const { contents, never } = gateway(server.baseUrl)
    expect((await contents.open(noteContent(), PAGE, never)).width).toBe(3)
    await server.close()
  })

  test('sends nothing for anything but content', async () => {
    const host = await contentHost(png())
    const { contents, never } = gateway(host.baseUrl)
    const refusals = [
      [{ ...noteContent(), endpoint: 'notes.batchGet' }, 'ENDPOINT_UNKNOWN'],
      [{ ...noteContent(), endpoint: 'notes.move' }, 'ENDPOINT_UNKNOWN'],
      [{ ...noteContent(), params: { noteid: '..', contentId: 'x' } }, 'PARAM_SEGMENT'],
      [{ ...noteContent(), params: { noteid: 'N' } }, 'PARAM_MISSING'],
      [{ ...noteContent(), query: { maxEdge: 5 } }, 'PARAM_RANGE'],
      [{ ...noteContent(), query: { url: 'http://x' } }, 'PARAM_UNKNOWN'],
    ] as const
    for (const [ref, code] of refusals) {
      expect((await failureOf(contents.open(ref as never, PAGE, never))).code).toBe(code)
    }
    expect(host.asked).toEqual([])
  })

  test('a JSON file with a member "error" is content, and so is a long one', async () => {
    const small = JSON.stringify({ error: 'in my data' })
    const long = JSON.stringify({ error: { code: 'X', message: 'Y' }, more: 'x'.repeat(100_000) })
    for (const text of [small, long]) {
      const host = await contentHost(Buffer.from(text), { type: 'application/json' })
      const { contents, never, get } = gateway(host.baseUrl)
      const { handle, kind } = await contents.open(noteContent(), PAGE, never)
      expect([kind, (await get(handle)).bytes.toString()]).toEqual(['text', text])
    }
  })

  test('the layer is asked for by the name that the host uses in its own paths', async () => {
    const host = await contentHost(png(8, 8), { type: 'image/png' })
    const { contents, never } = gateway(host.baseUrl)
    const item = { parts: [{}, { contentPath: '/x?a=base64', occlusionBaseContentPath: '/x?maxEdge=9&variant=base' }] }
    expect(findLayersParameter({ parts: [{ contentPath: '/x?layers=base' }] })).toBe('layers')
    expect(findLayersParameter({ parts: [{ contentPath: '/x?%0a=base' }, 7, null] })).toBeNull()
    const layersName = findLayersParameter(item) ?? ''
    const facts = await contents.open({ ...noteContent('c', { layers: 'base', maxEdge: 64 }), layersName }, PAGE, never)
    expect([facts.path, facts.fileName]).toEqual(['/notes/N1/content/c?maxEdge=64&variant=base', 'N1-c-base.png'])
    const wrong = contents.open({ ...noteContent('c', { layers: 'both' }), layersName }, PAGE, never)
    expect((await failureOf(wrong)).code).toBe('PARAM_VALUE')
  })

  test('an error of the host is one under any media type, and is asked for again the next time', async () => {
    const body = JSON.stringify({ error: { code: 'CONTENT_GONE', message: 'no longer here' } })
    const host = await contentHost(Buffer.from(body), { type: 'image/png' })
    const { contents, never } = gateway(host.baseUrl)
    for (let round = 0; round < 2; round += 1) {
      const { kind, code } = (await failureOf(contents.open(noteContent(), PAGE, never))).wire
      expect([kind, code]).toEqual(['host', 'CONTENT_GONE'])
    }
    expect(host.asked).toHaveLength(2)
    expect(contents.getUsage()).toMatchObject({ handles: 0, bytes: 0 })
  })

  test('safety 1: a token the host echoes in a text is not passed to the page', async () => {
    const text = `${'x'.repeat(70_000)} ${TOKEN} ${Buffer.from(TOKEN).toString('base64')} ${'y'.repeat(70_000)}`
    const host = await contentHost(Buffer.from(text), { type: 'text/plain' })
    const { contents, never, get } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    const shown = (await get(handle)).bytes.toString()
    expect(shown).toHaveLength(text.length)
    expect(shown).not.toContain(TOKEN.slice(0, 16))
    expect(shown).toMatch(/^x{70000} \*+ \*+=* y{70000}$/)
    const slice = await contents.readSlice(handle, 69_990, 70_300, PAGE, never)
    expect(Buffer.from(slice.bytes).toString()).not.toContain(TOKEN.slice(-16))
  })
})

describe('the cache', () => {
  test('twenty concurrent requests for the same content are one', async () => {
    const host = await contentHost(png(), { type: 'image/png', delayMs: 50 })
    const { contents, never, get } = gateway(host.baseUrl)
    const all = await Promise.all(Array.from({ length: 20 }, () => contents.open(noteContent(), PAGE, never)))
    expect(new Set(all.map(({ handle }) => handle)).size).toBe(20)
    for (const { handle, fromCache } of all) {
      expect([fromCache, (await get(handle)).bytes.equals(png())]).toEqual([false, true])
    }
    const later = await contents.open(noteContent(), OTHER, never)
    expect([later.fromCache, later.exchangeId]).toEqual([true, all[0]?.exchangeId])
    expect(host.asked).toHaveLength(1)
  })

  test.each(['answered', 'ignored'] as const)(
    'safety 50: nor one far beyond what is kept in memory, whole or in parts; ranges %s by the host',
    async (ranges) => {
      const coded = [...TOKEN].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
      const line = 'innocent text, line after line\n'
      const at = (place: number, secret: string, text: Buffer): void => void text.write(secret, place)
      const text = Buffer.from(line.repeat(Math.ceil((MAX_HELD_BYTES + 3_000_000) / line.length)))
      // Where memory ends, in the middle of what follows, and at the very end.
      const places = [
        MAX_HELD_BYTES - 10,
        MAX_HELD_BYTES + 65_530,
        MAX_HELD_BYTES + 1_000_000,
        text.length - coded.length,
      ]
      for (const place of places) at(place, place === MAX_HELD_BYTES + 65_530 ? TOKEN : coded, text)
      const host = await contentHost(text, { type: 'text/plain', ranges })
      const { contents, never, get } = gateway(host.baseUrl)
      const { handle } = await contents.open(noteContent(), PAGE, never)
      const whole = (await get(handle)).bytes
      expect(whole).toHaveLength(text.length)
      expect(whole.includes(TOKEN.slice(0, 16))).toBe(false)
      expect(whole.includes('%')).toBe(false)
      expect(whole.toString().replaceAll('*', '')).toHaveLength(text.length - TOKEN.length - 3 * coded.length)
      for (const place of places) {
        const [from, to] = [place + 20, Math.min(place + 60, text.length)]
        const slice = Buffer.from((await contents.readSlice(handle, from, to, PAGE, never)).bytes)
        expect(slice.equals(whole.subarray(from, to))).toBe(true)
        const part = (await get(handle, `bytes=${from}-${to - 1}`)).bytes
        expect(part.equals(whole.subarray(from, to))).toBe(true)
      }
    },
  )

  test('another request, host, token or epoch is another content; fresh requests again', async () => {
    const host = await contentHost(png(), { type: 'image/png' })
    const { contents, never, turn } = gateway(host.baseUrl)
    const opened = async (query = {}, fresh = false): Promise<boolean> =>
      (await contents.open({ ...noteContent('c', query), fresh }, PAGE, never)).fromCache
    expect(await opened()).toBe(false)
    expect(await opened()).toBe(true)
    expect(await opened({ maxEdge: 64 })).toBe(false)
    expect(await opened({}, true)).toBe(false)
    expect(await opened()).toBe(true)
    turn({ epoch: 2 })
    expect(await opened()).toBe(false)
    turn({ token: `${TOKEN}x` })
    expect(await opened()).toBe(false)
    turn({ token: null })
    expect(await opened()).toBe(false)
    expect(host.asked).toHaveLength(6)
  })

  test('holds only so many bytes; what was evicted is requested again and still correct', async () => {
    const size = 300_000
    const host = await contentHost(patterned(size, wav()), { type: 'audio/wav' })
    const { contents, never, get } = gateway(host.baseUrl, { cacheBytes: 1_000_000 })
    const handles: string[] = []
    for (let at = 0; at < 8; at += 1) {
      const { handle } = await contents.open(noteContent(`c${at}`), PAGE, never)
      await get(handle)
      handles.push(handle)
    }
    expect(contents.getUsage().bytes).toBeLessThanOrEqual(1_000_000)
    expect(host.asked).toHaveLength(8)
    expect((await get(handles[7] ?? '')).bytes.length).toBe(size)
    expect(host.asked).toHaveLength(8)
    const first = await get(handles[0] ?? '')
    expect(first.bytes.equals(patterned(size, wav()))).toBe(true)
    expect(host.asked).toHaveLength(9)
    contents.releasePage(PAGE)
    expect(contents.getUsage().bytes).toBeLessThanOrEqual(1_000_000)
  })

  test('what is larger than the cache is not cached', async () => {
    const host = await contentHost(patterned(MAX_HELD_BYTES + 1, wav()), { type: 'audio/wav' })
    const { contents, never } = gateway(host.baseUrl)
    await contents.open(noteContent(), PAGE, never)
    expect(contents.getUsage().bytes).toBeLessThan(400_000)
  })
})

describe('safety 11: what nobody waits for any more is ended', () => {
  const endlessly = { size: 1e9, make: (from: number, to: number) => Buffer.alloc(to - from, from === 0 ? 1 : 2) }

  test('cancelled while it opens: the host sees the end of its request', async () => {
    const host = await contentHost(png(), { delayMs: 60_000 })
    const { contents } = gateway(host.baseUrl)
    const abort = new AbortController()
    const opening = contents.open(noteContent(), PAGE, abort.signal)
    await expect.poll(() => host.asked.length).toBe(1)
    abort.abort()
    expect((await failureOf(opening)).kind).toBe('cancelled')
    await expect.poll(() => host.open()).toBe(0)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })

  test('if one of two waiting for the same content leaves, the other gets it', async () => {
    const host = await contentHost(png(), { type: 'image/png', delayMs: 100 })
    const { contents, never } = gateway(host.baseUrl)
    const abort = new AbortController()
    const first = contents.open(noteContent(), PAGE, abort.signal)
    const second = contents.open(noteContent(), OTHER, never)
    abort.abort()
    expect((await failureOf(first)).kind).toBe('cancelled')
    expect((await second).kind).toBe('image')
  })

  test.each(['released', 'left', 'closed'])('%s while the rest waits at the host', async (how) => {
    const host = await contentHost(endlessly)
    const { contents, never } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    expect(host.open()).toBe(1)
    if (how === 'released') contents.release(handle, PAGE)
    else if (how === 'left') contents.releasePage(PAGE)
    else contents.close()
    await expect.poll(() => host.open()).toBe(0)
    expect(contents.getUsage()).toEqual({ handles: 0, bytes: 0, requests: 0 })
  })

  test('at most six are requested at once per page, the others wait; those that leave first are never requested', async () => {
    const host = await contentHost(png(), { delayMs: 60_000 })
    const { contents } = gateway(host.baseUrl)
    const abort = new AbortController()
    const all = Array.from({ length: 20 }, (_, at) => contents.open(noteContent(`c${at}`), PAGE, abort.signal))
    await expect.poll(() => host.asked.length).toBe(6)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(host.asked).toHaveLength(6)
    abort.abort()
    for (const outcome of await Promise.allSettled(all)) expect(outcome.status).toBe('rejected')
    await expect.poll(() => host.open()).toBe(0)
    expect(host.asked).toHaveLength(6)
    expect(contents.getUsage().requests).toBe(0)
  })

  test('few unread remainders wait at the host, and are released', async () => {
    const host = await contentHost(endlessly)
    const { contents, never } = gateway(host.baseUrl)
    for (let at = 0; at < 12; at += 1) await contents.open(noteContent(`c${at}`), PAGE, never)
    await expect.poll(() => host.open()).toBeLessThanOrEqual(4)
  })
})

describe('handles', () => {
  test('safety 19: of another page, released, expired or guessed lead nowhere and request nothing from the host', async () => {
    const host = await contentHost(patterned(MAX_HELD_BYTES * 2, wav()), { type: 'audio/wav' })
    const { contents, never, get } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    const asked = host.asked.length
    const foreign = { canUse: (page: string) => page === OTHER }
    expect((await get(handle, 'bytes=9000000-', foreign)).status).toBe(404)
    for (const guess of ['', 'x', `${handle}x`, handle.slice(1), '../notes', '__proto__', handle.toLowerCase() + 'A']) {
      expect((await get(guess)).status).toBe(404)
    }
    expect((await failureOf(contents.readSlice(handle, 0, 9, OTHER, never))).code).toBe('CONTENT_UNKNOWN')
    contents.release(handle, OTHER)
    expect((await get(handle, 'bytes=0-9')).status).toBe(206)
    contents.release(handle, PAGE)
    expect((await get(handle)).status).toBe(404)
    expect(host.asked).toHaveLength(asked)
  })

  test('a handle of another connection is not requested from the current one', async () => {
    const [host, other] = [
      await contentHost(patterned(MAX_HELD_BYTES * 2, wav())),
      await contentHost(patterned(MAX_HELD_BYTES * 2, wav())),
    ]
    const { contents, never, get, turn } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    turn({ baseUrl: other.baseUrl })
    expect((await get(handle, 'bytes=9000000-')).status).toBe(502)
    expect(other.asked).toEqual([])
  })

  test('no other method', async () => {
    const host = await contentHost(png())
    const { contents, never, get } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await get(handle, null, { method })).status).toBe(405)
    }
    expect((await get(handle, null, { method: 'HEAD' })).bytes.length).toBe(0)
  })
})

describe('slices', () => {
  test('hold what was requested, or less at the end', async () => {
    const bytes = patterned(200_000, wav())
    const host = await contentHost(bytes, { type: 'audio/wav' })
    const { contents, never } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    for (const [start, end] of [
      [0, 1],
      [5, 100],
      [199_990, 200_100],
      [200_000, 200_001],
      [0, 200_000],
    ] as const) {
      const slice = await contents.readSlice(handle, start, end, PAGE, never)
      expect(slice.meta).toEqual({ start, total: 200_000 })
      expect(Buffer.from(slice.bytes).equals(bytes.subarray(start, end))).toBe(true)
    }
    for (const [start, end] of [
      [5, 5],
      [9, 5],
      [0, MAX_SLICE_BYTES + 1],
    ] as const) {
      expect((await failureOf(contents.readSlice(handle, start, end, PAGE, never))).code).toBe('SLICE_INVALID')
    }
  })

  test('of what is still at the host', async () => {
    const bytes = patterned(MAX_HELD_BYTES * 2, wav())
    const host = await contentHost(bytes, { type: 'audio/wav' })
    const { contents, never } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    for (const start of [0, 60_000, 65_536, 9_000_000, MAX_HELD_BYTES * 2 - 10]) {
      const slice = await contents.readSlice(handle, start, start + 100_000, PAGE, never)
      expect(Buffer.from(slice.bytes).equals(bytes.subarray(start, start + 100_000))).toBe(true)
    }
    host.ranges = 'shifted'
    expect((await failureOf(contents.readSlice(handle, 9_000_000, 9_000_100, PAGE, never))).code).toBe('RANGE_WRONG')
  })
})
