import { afterAll, describe, expect, test } from 'vitest'
import { handleContentRequest } from '../../electron/desktop/content-protocol.ts'
import type { ContentReader } from '../../electron/handlers/app-ports.ts'
import { startBrowserHostSession, createFakeDispatcher } from '../support/browser/browser-host-session.ts'
import { startContentHost, createPatternedBytes } from '../support/hosts/content-host.ts'
import { createGateway, createContentRef } from '../support/services/content-gateway.ts'
import { createWav } from '../support/data/pictures.ts'
import { figure } from './figures.ts'

/** Content length in bytes of the examples in RFC 9110. */
const SIZE = 10_000
const bytes = createPatternedBytes(SIZE, createWav(SIZE))

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}
type Ask = (headers: Readonly<Record<string, string>>, method?: string) => Promise<Answer>

/** `tag` in a header is replaced by the ETag of the content. */
interface Case {
  readonly of: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: 200 | 206 | 416
  /** First and last byte. */
  readonly span?: readonly [first: number, last: number]
  readonly method?: 'HEAD'
}

const range = (value: string): { readonly Range: string } => ({ Range: value })
const fullResponse = { status: 200 } as const
const part = (first: number, last: number) => ({ status: 206, span: [first, last] }) as const
const unsatisfiable = { status: 416 } as const

const cases: readonly Case[] = [
  { of: '14.1.2: the first 500 bytes', headers: range('bytes=0-499'), ...part(0, 499) },
  { of: '14.1.2: the second 500 bytes', headers: range('bytes=500-999'), ...part(500, 999) },
  { of: '14.1.2: the final 500 bytes', headers: range('bytes=-500'), ...part(9_500, 9_999) },
  { of: '14.1.2: the final 500 bytes, said from the front', headers: range('bytes=9500-'), ...part(9_500, 9_999) },
  // A server may ignore several ranges and send everything (14.2).
  { of: '14.1.2: the first and last byte alone', headers: range('bytes=0-0,-1'), ...fullResponse },
  { of: '14.1.2: spans that touch', headers: range('bytes=500-600,601-999'), ...fullResponse },
  { of: '14.1.2: spans that overlap', headers: range('bytes=500-700,601-999'), ...fullResponse },
  { of: '14.1.2: spans with blanks', headers: range('bytes= 0-999, 4500-5499, -1000'), ...fullResponse },
  { of: '14.1.2: one byte', headers: range('bytes=0-0'), ...part(0, 0) },
  { of: '14.1.2: the last byte', headers: range('bytes=9999-9999'), ...part(9_999, 9_999) },
  { of: '14.1.2: a last position beyond the end', headers: range('bytes=9000-99999'), ...part(9_000, 9_999) },
  { of: '14.1.2: as many digits as fit on a line', headers: range(`bytes=0-${'9'.repeat(40)}`), ...part(0, 9_999) },
  { of: '14.1.2: a suffix longer than the content', headers: range('bytes=-20000'), ...part(0, 9_999) },
  { of: '14.1.2: a last position before the first is invalid', headers: range('bytes=600-500'), ...fullResponse },
  { of: '14.1.2: a first position at the end', headers: range('bytes=10000-'), ...unsatisfiable },
  { of: '14.1.2: a first position beyond the end', headers: range('bytes=10000-10001'), ...unsatisfiable },
  { of: '14.1.2: a first position of many digits', headers: range(`bytes=${'9'.repeat(40)}-`), ...unsatisfiable },
  { of: '14.1.2: a suffix of no bytes', headers: range('bytes=-0'), ...unsatisfiable },
  { of: '14.1: a unit in capitals', headers: range('Bytes=0-499'), ...part(0, 499) },
  { of: '14.1: another unit', headers: range('seconds=1-2'), ...fullResponse },
  { of: '14.1.1: no range at all', headers: range('bytes='), ...fullResponse },
  { of: '14.1.1: a hyphen alone', headers: range('bytes=-'), ...fullResponse },
  { of: '14.1.1: no unit', headers: range('0-499'), ...fullResponse },
  { of: '14.1.1: letters', headers: range('bytes=a-f'), ...fullResponse },
  { of: '14.1.1: a sign', headers: range('bytes=+1-5'), ...fullResponse },
  { of: '14.1.1: a fraction', headers: range('bytes=0.5-1'), ...fullResponse },
  { of: '14.1.1: two hyphens', headers: range('bytes=0--1'), ...fullResponse },
  { of: '14.1.1: a list that ends with a comma', headers: range('bytes=0-1,'), ...fullResponse },
  { of: '14.1.1: a thousand spans', headers: range(`bytes=${Array(1_000).fill('0-').join(',')}`), ...fullResponse },
  { of: '14.2: no field', headers: {}, ...fullResponse },
  { of: '14.2: an empty field', headers: range(''), ...fullResponse },
  { of: '14.2: a range means nothing to HEAD', headers: range('bytes=0-499'), ...fullResponse, method: 'HEAD' },
  { of: '14.2: nor does one beyond the end', headers: range('bytes=20000-'), ...fullResponse, method: 'HEAD' },
  { of: '13.1.5: the same tag', headers: { ...range('bytes=0-499'), 'If-Range': 'tag' }, ...part(0, 499) },
  { of: '13.1.5: another tag', headers: { ...range('bytes=0-499'), 'If-Range': '"other"' }, ...fullResponse },
  {
    of: '13.1.5: a weak tag never matches',
    headers: { ...range('bytes=0-499'), 'If-Range': 'W/tag' },
    ...fullResponse,
  },
  {
    of: '13.1.5: a date',
    headers: { ...range('bytes=0-499'), 'If-Range': 'Tue, 15 Nov 1994 12:45:26 GMT' },
    ...fullResponse,
  },
  { of: '13.1.5: neither tag nor date', headers: { ...range('bytes=0-499'), 'If-Range': 'x' }, ...fullResponse },
  {
    of: '13.1.5: another tag and nothing there',
    headers: { ...range('bytes=20000-'), 'If-Range': '"o"' },
    ...fullResponse,
  },
  {
    of: '13.1.5: the same tag and nothing there',
    headers: { ...range('bytes=20000-'), 'If-Range': 'tag' },
    ...unsatisfiable,
  },
  { of: '13.1.5: without a range', headers: { 'If-Range': '"other"' }, ...fullResponse },
]

/** Serves the same bytes through the browser host and through the desktop app's protocol. */
async function startVariants(): Promise<{ ask: Readonly<Record<string, Ask>>; close: () => Promise<void> }> {
  const { baseUrl } = await startContentHost(bytes, { type: 'audio/wav' })
  const ownGateway = createGateway(baseUrl)
  const { handle } = await ownGateway.contents.open(createContentRef(), 'desktop/1/0', ownGateway.neverAborted)
  const door: ContentReader = (request) => ownGateway.contents.serve({ ...request, canUse: () => true })
  const { host, cookie } = await startBrowserHostSession(createFakeDispatcher(), door)
  const origin = `http://127.0.0.1:${host.port}`
  const readResponse = async (response: Response): Promise<Answer> => ({
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  })
  return {
    close: () => host.close(),
    ask: {
      'browser host': async (headers, method = 'GET') => {
        const page = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'audio' }
        return readResponse(await fetch(`${origin}/content/${handle}`, { method, headers: { ...page, ...headers } }))
      },
      'desktop app': async (headers, method = 'GET') => {
        const url = `bridge-content://bridge-inspector/${handle}`
        const request = { url, method, headers: new Headers(headers), signal: ownGateway.neverAborted }
        return readResponse(await handleContentRequest(request, door, 'desktop/1/'))
      },
    },
  }
}

const counted: Record<string, number> = { cases: cases.length }
afterAll(() => figure('ranges', counted))

describe('range requests of RFC 9110', () => {
  test('get the required response from the browser host and the desktop app', async () => {
    const { ask, close } = await startVariants()
    for (const [variant, send] of Object.entries(ask)) {
      const tag = (await send({}, 'HEAD')).headers.get('etag') ?? ''
      expect(tag, '8.8.3: a strong tag').toMatch(/^"[\x21\x23-\x7e]+"$/)
      for (const { of, headers, status, span, method } of cases) {
        const label = `${variant}: ${of}`
        const sentHeaders = Object.entries(headers).map(([name, value]) => [
          name,
          name === 'If-Range' ? value.replace('tag', tag) : value,
        ])
        const response = await send(Object.fromEntries(sentHeaders) as Record<string, string>, method)
        expect(response.status, label).toBe(status)
        expect(response.headers.get('etag'), label).toBe(tag)
        expect(response.headers.get('accept-ranges'), label).toBe('bytes')
        const [first, last] = span ?? [0, SIZE - 1]
        const expected = status === 416 || method === 'HEAD' ? Buffer.alloc(0) : bytes.subarray(first, last + 1)
        expect(response.bytes.equals(expected), label).toBe(true)
        const length = status === 416 ? 0 : last + 1 - first
        expect(response.headers.get('content-length'), label).toBe(String(length))
        const expectedRange = { 200: null, 206: `bytes ${first}-${last}/${SIZE}`, 416: `bytes */${SIZE}` }[status]
        expect(response.headers.get('content-range'), label).toBe(expectedRange)
        counted[variant] = (counted[variant] ?? 0) + 1
      }
      // RFC 9110 §15.5.6: the response to a refused method lists the allowed ones.
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const reply = await send(range('bytes=0-0'), method)
        expect([reply.status, reply.headers.get('allow')], `${variant}: ${method}`).toEqual([405, 'GET, HEAD'])
        expect(reply.bytes.includes(bytes.subarray(0, 16)), `${variant}: ${method}`).toBe(false)
      }
    }
    await close()
  })
})
