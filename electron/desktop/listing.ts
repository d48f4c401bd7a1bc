import { Readable } from 'node:stream'
import type { ProtocolRequest } from 'electron'
import { LISTING_PATH, LISTING_TYPE, PAGE_HEADER } from '../../shared/ipc/listing.ts'
import type { Door } from '../handlers/door.ts'
import { listingBytes } from '../handlers/listing-bytes.ts'
import { APP_HOST, APP_ORIGIN } from './origin.ts'
import { pageHeaders } from './policy.ts'
import type { SchemeAnswer } from './scheme-answer.ts'

/** No request for a listing is larger: it holds a few parameters and a cursor. */
const MAX_BODY = 1024 * 1024

interface ListingPorts {
  readonly door: Pick<Door, 'listing'>
  /** Whose key this is; null if it is no load's that still lives. */
  readonly callerOf: (key: string | null) => string | null
}

/** Whether a request to the app's scheme asks for a listing. */
export function asksForListing({ method, url }: Pick<ProtocolRequest, 'method' | 'url'>): boolean {
  const { host, pathname, search } = new URL(url)
  return method === 'POST' && host === APP_HOST && pathname === LISTING_PATH && search === ''
}

/**
 * One answer with every page of a listing (`shared/ipc/listing.ts`), at the pace at which it is read; cancelled when the page hangs up. The
 * scheme's handler is not told who is asking, so the request bears the key that the page was given over IPC, where the sender is checked.
 */
export async function answerListing(
  request: Pick<ProtocolRequest, 'headers' | 'uploadData'>,
  { door, callerOf }: ListingPorts,
): Promise<SchemeAnswer> {
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if ((headers.get('origin') ?? APP_ORIGIN) !== APP_ORIGIN) return refusal(403, 'Only for the page of the app.')
  const caller = callerOf(headers.get(PAGE_HEADER) ?? null)
  if (caller === null) return refusal(401, 'The key is not of a page that is open.')
  const asked = jsonOf(request.uploadData ?? [])
  if (asked === null) return refusal(400, 'The request is not JSON, or too large.')
  const abort = new AbortController()
  const pieces = listingBytes(door, caller, asked.value, abort.signal)
  const body = new Readable({
    // One piece in hand while the one before it is sent.
    highWaterMark: 1,
    read() {
      pieces.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      abort.abort()
      const over = (): void => done(error)
      pieces.return().then(over, over)
    },
  })
  return { status: 200, headers: pageHeaders(LISTING_TYPE), body }
}

const refusal = (status: number, body: string): SchemeAnswer => ({
  status,
  headers: pageHeaders('text/plain; charset=utf-8'),
  body,
})

/** Null for what is no JSON, too large, or not sent as bytes. */
function jsonOf(pieces: NonNullable<ProtocolRequest['uploadData']>): { readonly value: unknown } | null {
  // Of a file or a blob only the name is here.
  const bytes = pieces.map((piece): Buffer | undefined => piece.bytes)
  if (!bytes.every((piece) => piece !== undefined)) return null
  if (bytes.reduce((sum, { byteLength }) => sum + byteLength, 0) > MAX_BODY) return null
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes))) }
  } catch {
    return null
  }
}
