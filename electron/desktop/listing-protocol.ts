import { LISTING_PATH, LISTING_MEDIA_TYPE, PAGE_ID_HEADER } from '../../shared/ipc/listing.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'
import { streamListingBytes } from '../handlers/listing-reader.ts'
import { APP_HOST, APP_ORIGIN, createPageHeaders } from './origin.ts'

/** Valid requests are far smaller: they hold a few parameters and a cursor. */
const MAX_BODY_BYTES = 1024 * 1024

export function isListingRequest({ method, url }: Pick<Request, 'method' | 'url'>): boolean {
  const { host, pathname, search } = new URL(url)
  return method === 'POST' && host === APP_HOST && pathname === LISTING_PATH && search === ''
}

/**
 * Responds with every page of a listing (`shared/ipc/listing.ts`), sent as fast as the page reads
 * and cancelled when the page closes the connection. The scheme's handler cannot identify the
 * sender, so the request carries a key that the page got over IPC, where the sender is checked.
 */
export async function handleListingRequest(
  request: Pick<Request, 'headers' | 'body'>,
  dispatcher: Pick<IpcDispatcher, 'readListing' | 'findCaller'>,
): Promise<Response> {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== APP_ORIGIN) return createRefusalResponse(403, 'Only for the page of the app.')
  const caller = dispatcher.findCaller(request.headers.get(PAGE_ID_HEADER))
  if (caller === null) return createRefusalResponse(401, 'The key is not of a page that is open.')
  const input = await readJson(request.body)
  if (input === null) return createRefusalResponse(400, 'The request is not JSON, or too large.')
  const abort = new AbortController()
  const pieces = streamListingBytes(dispatcher, caller, input.value, abort.signal)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        abort.abort()
        await pieces.return()
      },
    },
    // This stream buffers nothing, because its consumer has a buffer.
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: createPageHeaders(LISTING_MEDIA_TYPE) })
}

const createRefusalResponse = (status: number, reason: string): Response =>
  new Response(reason, { status, headers: createPageHeaders('text/plain; charset=utf-8') })

/** Resolves with null if the body is not JSON, or too large. */
async function readJson(body: ReadableStream<Uint8Array> | null): Promise<{ readonly value: unknown } | null> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.byteLength
    if (size > MAX_BODY_BYTES) return null
    pieces.push(piece)
  }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))) }
  } catch {
    return null
  }
}
