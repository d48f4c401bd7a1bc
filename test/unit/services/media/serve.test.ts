/** @module-tag slow */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_PICTURE_BYTES } from '../../../../electron/services/media/content-response.ts'
import { MAX_HELD_BYTES } from '../../../../electron/services/media/content.ts'
import {
  startContentHost,
  createPatternedBytes,
  type ContentHost,
  type RangeHandling,
} from '../../../support/hosts/content-host.ts'
import {
  createGateway,
  createContentRef,
  PAGE_CALLER,
  type Gateway,
} from '../../../support/services/content-gateway.ts'
import { createPdf, createPng, createWav } from '../../../support/data/pictures.ts'

const LARGE = MAX_HELD_BYTES + 50_000
const large = createPatternedBytes(LARGE, createWav(LARGE))
const small = createPatternedBytes(70_000, createWav(70_000))

async function openContent(
  bytes: Buffer,
  options: Parameters<typeof startContentHost>[1] = {},
): Promise<Gateway & { host: ContentHost; handle: string }> {
  const host = await startContentHost(bytes, { type: 'audio/wav', ...options })
  const testGateway = createGateway(host.baseUrl)
  const { handle } = await testGateway.contents.open(createContentRef(), PAGE_CALLER, testGateway.neverAborted)
  return { ...testGateway, host, handle }
}

/** Returns the correct response according to RFC 9110, computed with `slice`. */
function computeExpected(
  bytes: Buffer,
  range: string | null,
): { status: number; bytes: Buffer; contentRange?: string } {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  const completeResponse = { status: 200, bytes }
  if (first === undefined || last === undefined || (first === '' && last === '')) return completeResponse
  if (first !== '' && last !== '' && Number(last) < Number(first)) return completeResponse
  const start = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes.length : Math.min(bytes.length, Number(last) + 1)
  const part = bytes.subarray(start, end)
  if (part.length === 0) return { status: 416, bytes: part, contentRange: `bytes */${bytes.length}` }
  return { status: 206, bytes: part, contentRange: `bytes ${start}-${start + part.length - 1}/${bytes.length}` }
}

describe('safety 22: served ranges', () => {
  const arbitraryOffset = (size: number): fc.Arbitrary<number> =>
    fc.oneof(fc.nat(size + 10), fc.constantFrom(0, 1, 65_535, 65_536, 65_537, size - 1, size, size + 1))
  const arbitraryBound = (size: number): fc.Arbitrary<string> =>
    fc.oneof(arbitraryOffset(size).map(String), fc.constant(''))
  const arbitraryHeader = (size: number): fc.Arbitrary<string | null> =>
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc
          .tuple(arbitraryBound(size), arbitraryBound(size))
          .map(([first, last]) => `bytes=${first}-${last}`),
      },
      // Players mostly request short ranges.
      { weight: 6, arbitrary: arbitraryOffset(size).map((start) => `bytes=${start}-${start + 1_000}`) },
      { weight: 2, arbitrary: fc.constantFrom(null, 'bytes=x', 'items=0-1', 'bytes=0-1,5-9') },
    )

  test.each<[string, Buffer, RangeHandling, boolean]>([
    ['a small content', small, 'answered', false],
    ['a small content without a length', small, 'ignored', true],
    ['a host that supports ranges', large, 'answered', false],
    ['a host that ignores ranges', large, 'ignored', false],
    ['a host that sends less at a time', large.subarray(0, MAX_HELD_BYTES + 20_000), 'short', false],
  ])('are those of a slice for %s', async (_name, bytes, ranges, chunked) => {
    const { get, handle, host, contents } = await openContent(bytes, { ranges, chunked })
    // If the host sends no length, the gateway has to read everything to know it.
    await get(handle, 'bytes=0-0')
    await fc.assert(
      fc.asyncProperty(arbitraryHeader(bytes.length), async (range) => {
        // A host that sends a thousand bytes at a time is asked only for a few thousand.
        fc.pre(ranges !== 'short' || computeExpected(bytes, range).bytes.length < 20_000)
        const got = await get(handle, range, { canTakePieces: false })
        const correct = computeExpected(bytes, range)
        expect([range, got.status, got.bytes.length, got.error]).toEqual([
          range,
          correct.status,
          correct.bytes.length,
          null,
        ])
        expect(got.bytes.equals(correct.bytes)).toBe(true)
        expect(got.headers['Content-Range']).toBe(correct.contentRange)
        expect(got.headers['Content-Length']).toBe(String(correct.bytes.length))
        expect(got.headers['Accept-Ranges']).toBe('bytes')
      }),
      { numRuns: 60 },
    )
    contents.releasePage(PAGE_CALLER)
    await expect.poll(() => host.countOpenResponses()).toBe(0)
    expect(contents.getUsage().requests).toBe(0)
  })

  test.each<[RangeHandling, number]>([
    ['shifted', 502],
    ['unsaid', 502],
    ['resized', 502],
    ['encoded', 502],
  ])('are refused if the parts of the host are %s', async (ranges, status) => {
    const { get, handle } = await openContent(large, { ranges })
    const got = await get(handle, 'bytes=1000000-1000999')
    expect([got.status, got.bytes.length]).toEqual([status, 0])
  })

  test('end with an error if a part breaks off', async () => {
    const { get, handle } = await openContent(large, { ranges: 'cut' })
    const got = await get(handle, 'bytes=1000000-3000000')
    expect(got.status).toBe(206)
    expect(got.error).toMatchObject({ code: 'TRUNCATED' })
    expect(got.bytes.length).toBeLessThan(2_000_001)
  })

  test('never combine changed content with its earlier bytes', async () => {
    const { get, handle, host } = await openContent(large, { headers: { ETag: '"one"' } })
    expect((await get(handle, 'bytes=1000000-1000009')).status).toBe(206)
    host.headers = { ETag: '"two"' }
    expect((await get(handle, 'bytes=1000000-1000009')).status).toBe(502)
  })

  test('become the complete content if it has no length and is too large to hold', async () => {
    const { get, handle, contents, neverAborted } = await openContent(large, { ranges: 'ignored', chunked: true })
    const facts = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    expect(facts.byteLength).toBeNull()
    for (const range of [null, 'bytes=5-9', 'bytes=-3', 'bytes=9000000-']) {
      const got = await get(handle, range)
      expect([got.status, got.headers['Content-Length'], got.headers['Accept-Ranges']]).toEqual([
        200,
        undefined,
        'none',
      ])
      expect(got.bytes.equals(large)).toBe(true)
    }
  })

  test('follow If-Range, and become the complete content for another tag', async () => {
    const { get, handle } = await openContent(large)
    const tag = (await get(handle, null, { method: 'HEAD' })).headers['ETag'] ?? ''
    expect(tag).toMatch(/^"[\w-]{20,}"$/)
    const requestIfRange = async (ifRange: string): Promise<readonly [number, number]> => {
      const { status, bytes } = await get(handle, 'bytes=10-19', { ifRange })
      return [status, bytes.length]
    }
    expect(await requestIfRange(tag)).toEqual([206, 10])
    for (const other of ['"another"', `W/${tag}`, '', 'Sat, 21 Nov 2026 00:00:00 GMT', '*']) {
      expect(await requestIfRange(other), other).toEqual([200, large.length])
    }
    expect((await get(handle, 'bytes=99999999999-', { ifRange: '"another"' })).status).toBe(200)
  })

  test('are refused for other methods, with the allowed ones', async () => {
    const { get, handle } = await openContent(large)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect(await get(handle, null, { method })).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } })
    }
  })

  test('are correct for empty content', async () => {
    const { get, handle } = await openContent(Buffer.alloc(0))
    expect(await get(handle)).toMatchObject({ status: 200, headers: { 'Content-Length': '0' } })
    expect(await get(handle, 'bytes=0-')).toMatchObject({ status: 416, headers: { 'Content-Range': 'bytes */0' } })
  })

  test('are ignored for HEAD, which sends no bytes and no request', async () => {
    const { get, handle, host } = await openContent(large)
    const before = host.requestedRanges.length
    for (const range of [null, 'bytes=1000000-1000009', 'bytes=99999999-']) {
      const got = await get(handle, range, { method: 'HEAD' })
      expect([got.status, got.bytes.length]).toEqual([200, 0])
      expect(got.headers['Content-Length']).toBe(String(large.length))
    }
    expect(host.requestedRanges).toHaveLength(before)
  })

  test('become pieces for a returning player, but only if the host supports ranges', async () => {
    const bytes = createPatternedBytes(MAX_HELD_BYTES * 2, createWav(MAX_HELD_BYTES * 2))
    const lengths: number[] = []
    for (const ranges of ['answered', 'ignored'] as const) {
      const { get, handle } = await openContent(bytes, {
        ranges,
        headers: ranges === 'answered' ? { 'Accept-Ranges': 'bytes' } : {},
      })
      for (const range of ['bytes=0-', 'bytes=9000000-', 'bytes=9000000-16000000']) {
        const got = await get(handle, range)
        const start = Number(/\d+/.exec(range)?.[0])
        expect(got.bytes.equals(bytes.subarray(start, start + got.bytes.length))).toBe(true)
        expect(got.headers['Content-Range']).toBe(`bytes ${start}-${start + got.bytes.length - 1}/${bytes.length}`)
        lengths.push(got.bytes.length)
      }
    }
    const pieceBytes = 4 * 1024 * 1024
    expect(lengths).toEqual([pieceBytes, pieceBytes, 7_000_001, bytes.length, bytes.length - 9_000_000, 7_000_001])
  })
})

describe('headers of served content', () => {
  test('safety 18, safety 20: have our own policy, no sniffing and no caching, whatever the host sends', async () => {
    const responses: [Buffer, string][] = [
      [createPng(), 'text/html'],
      [Buffer.from('<svg onload="alert(1)"/>'), 'image/svg+xml'],
      [Buffer.from('<script>alert(1)</script>'), 'text/html; charset=utf-7'],
      [createPdf(), 'application/pdf'],
      [Buffer.from([1, 2, 250]), 'text/html'],
    ]
    const types: unknown[] = []
    for (const [bytes, type] of responses) {
      const { get, handle } = await openContent(bytes, {
        type,
        headers: {
          'Set-Cookie': 'a=b',
          'Content-Security-Policy': 'x',
          Link: '</x>; rel=preload',
          Refresh: '0;url=/x',
        },
      })
      for (const more of [
        { isForImage: true },
        { isForImage: false },
        { isDownload: true, isForImage: false },
        { method: 'HEAD', isForImage: false },
      ]) {
        const { headers } = await get(handle, null, more)
        expect(headers).toMatchObject({
          'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': 'no-store',
        })
        expect(Object.keys(headers).filter((name) => /cookie|link|refresh|allow-origin/i.test(name))).toEqual([])
        types.push([more.isForImage, headers['Content-Type'], headers['Content-Disposition']?.split(';')[0]])
      }
    }
    const plain = 'text/plain; charset=utf-8'
    const expectRow = (image: string, other: string, disposition = 'inline'): unknown[] => [
      [true, image, disposition],
      [false, other, disposition],
      [false, other, 'attachment'],
      [false, other, disposition],
    ]
    expect(types).toEqual([
      ...expectRow('image/png', 'image/png'),
      ...expectRow('image/svg+xml', plain),
      ...expectRow(plain, plain),
      ...expectRow('application/pdf', 'application/pdf', 'attachment'),
      ...expectRow('application/octet-stream', 'application/octet-stream', 'attachment'),
    ])
  })

  test('safety 20: have no line break from a content type', async () => {
    const { get, handle } = await openContent(createPng(), { type: 'image/png; x="\\r\\nSet-Cookie: a=b"' })
    const { headers } = await get(handle)
    expect(headers['Content-Type']).toBe('image/png')
    expect(JSON.stringify(headers)).not.toMatch(/set-cookie/i)
  })

  test('are safe with hostile file names', async () => {
    const host = await startContentHost(Buffer.from('x'), { type: 'text/plain' })
    const { contents, neverAborted, get } = createGateway(host.baseUrl)
    for (const path of ['a"; filename="evil.exe', '图\u202Egnp.exe', "it's (1)%0d%0a.txt", `${'x'.repeat(500)}.txt`]) {
      const facts = await contents.open(createContentRef(path), PAGE_CALLER, neverAborted)
      const { headers } = await get(facts.handle, null, { isDownload: true })
      expect(headers['Content-Disposition']).toMatch(
        /^attachment; filename="[\x20\x21\x23-\x24\x26-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/,
      )
      expect(decodeURIComponent(headers['Content-Disposition']?.split("''")[1] ?? '')).toBe(facts.fileName)
    }
  })

  test('end an endless picture', async () => {
    const piece = Buffer.alloc(65_536)
    const endless = {
      size: MAX_PICTURE_BYTES * 2,
      make: (from: number, to: number) =>
        from === 0 ? Buffer.concat([createPng(), piece]).subarray(0, to) : piece.subarray(0, to - from),
    }
    const host = await startContentHost(endless, { type: 'image/png', chunked: true })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    const { body } = await contents.serve({
      method: 'GET',
      handle,
      range: null,
      ifRange: null,
      isDownload: false,
      isForImage: true,
      canTakePieces: true,
      canUse: () => true,
      signal: neverAborted,
    })
    let size = 0
    const readBody = async (): Promise<void> => {
      for await (const part of body ?? []) size += (part as Buffer).length
    }
    await expect(readBody()).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
    expect(size).toBeLessThanOrEqual(MAX_PICTURE_BYTES)
    await expect.poll(() => host.countOpenResponses()).toBe(0)
  })
})
