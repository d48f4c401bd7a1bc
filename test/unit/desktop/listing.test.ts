import { describe, expect, test } from 'vitest'
import { handleListingRequest, isListingRequest } from '../../../electron/desktop/listing-protocol.ts'
import type { ListingPage } from '../../../electron/handlers/app-ports.ts'
import { LISTING_MEDIA_TYPE, PAGE_ID_HEADER } from '../../../shared/ipc/listing.ts'

const URL_OF = 'app://bridge-inspector/ipc/listing'
const meta = {
  status: 200,
  headers: [],
  exchangeId: null,
  contentType: 'application/json',
  truncated: false,
  masked: false,
  durationMs: 1,
  sizeOnWire: 1,
}

const page = (cursor: string | null, text: string): ListingPage => ({
  cursor,
  reply: { ok: true, value: { meta, bytes: new TextEncoder().encode(text).buffer } },
})

/** A dispatcher with these pages, which records requests and how many pages were read. */
function createListingDispatcher(pages: readonly ListingPage[]) {
  const requests: { caller: string; request: unknown; signal: AbortSignal }[] = []
  const state = { asked: requests, pageCount: 0, ended: false }
  const dispatcher = {
    findCaller: (key: string | null) => (key === 'right' ? 'desktop/7/0' : null),
    async *readListing(caller: string, request: unknown, signal: AbortSignal) {
      requests.push({ caller, request, signal })
      try {
        for (const listingPage of pages) {
          state.pageCount += 1
          yield listingPage
        }
      } finally {
        state.ended = true
      }
    },
  }
  return { state, ports: dispatcher }
}

const ask = (headers: Record<string, string>, body: string): Request =>
  new Request('http://stand-in/', { method: 'POST', headers, body })
const request = { id: 'a', input: {}, maxPages: 2 }
const asking = (key = 'right'): Request => ask({ [PAGE_ID_HEADER]: key }, JSON.stringify(request))

describe('a listing request over the app scheme', () => {
  test('is accepted only as POST to one address', () => {
    expect(isListingRequest({ method: 'POST', url: URL_OF })).toBe(true)
    for (const [method, url] of [
      ['GET', URL_OF],
      ['POST', `${URL_OF}?a=b`],
      ['POST', `${URL_OF}/`],
      ['POST', 'app://evil/ipc/listing'],
      ['POST', 'app://bridge-inspector/ipc/%6Cisting'],
      ['POST', 'app://bridge-inspector/'],
    ] as const)
      expect(isListingRequest({ method, url }), `${method} ${url}`).toBe(false)
  })

  test.each([
    ['no key', 401, {}],
    ['another key', 401, { [PAGE_ID_HEADER]: 'wrong' }],
    ['another origin, with the right key', 403, { [PAGE_ID_HEADER]: 'right', origin: 'app://bridge-inspector.evil' }],
    ['no origin at all', 403, { [PAGE_ID_HEADER]: 'right', origin: 'null' }],
  ])('safety 8: with %s is refused without a request to the host', async (_name, status, headers) => {
    const { state, ports } = createListingDispatcher([page(null, '{}')])
    const response = await handleListingRequest(ask(headers, JSON.stringify(request)), ports)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(state.asked).toEqual([])
  })

  test.each([
    ['no JSON', '{'],
    ['more than a megabyte', JSON.stringify('x'.repeat(1024 * 1024))],
  ])('safety 10: with %s is refused', async (_name, body) => {
    const { state, ports } = createListingDispatcher([])
    expect((await handleListingRequest(ask({ [PAGE_ID_HEADER]: 'right' }, body), ports)).status).toBe(400)
    expect(state.asked).toEqual([])
  })

  test('belongs to the page load that has its key', async () => {
    const { state, ports } = createListingDispatcher([])
    const response = await handleListingRequest(asking(), ports)
    expect(await response.text()).toBe('')
    expect(response.headers.get('content-type')).toBe(LISTING_MEDIA_TYPE)
    expect(state.asked).toMatchObject([{ caller: 'desktop/7/0', request }])
  })

  test('reads pages only on demand, and ends when the page closes the stream', async () => {
    const { state, ports } = createListingDispatcher([page(null, '{"a":1}'), page('2', '{"b":2}')])
    const response = await handleListingRequest(asking(), ports)
    expect(state.pageCount).toBe(0)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(state.pageCount).toBe(1)
    await reader?.cancel()
    expect(state).toMatchObject({ pageCount: 1, ended: true })
    expect(state.asked[0]?.signal.aborted).toBe(true)
  })

  test('ends while the host is being asked if the page closes the stream', async () => {
    let receivedSignal: AbortSignal | null = null
    const dispatcher = {
      findCaller: () => 'desktop/7/0',
      async *readListing(_caller: string, _request: unknown, signal: AbortSignal) {
        receivedSignal = signal
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        yield page(null, '{}')
      },
    }
    const response = await handleListingRequest(asking(), dispatcher)
    const reader = response.body?.getReader()
    const read = reader?.read()
    await reader?.cancel()
    expect(await read).toMatchObject({ done: true })
    expect(receivedSignal).toMatchObject({ aborted: true })
  })
})
