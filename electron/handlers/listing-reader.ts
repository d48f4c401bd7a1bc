import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isObject } from '../../shared/json/object.ts'
import { createRefusedError, toWireError } from '../../shared/errors.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import { listingRequestSchema } from '../../shared/ipc/listing.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import { CursorTrail, guessNextCursor, withCursor } from '../../shared/bridge/listing-cursor.ts'
import { isInputTooLarge } from './dispatcher.ts'
import type { IpcDispatcher, ListingPage } from './app-ports.ts'

/**
 * Reads a listing with one call for each page, so that every check of a call applies to every page.
 * The cursor of the next page is searched in the bytes without parsing them; our page parses them
 * and sends a new request if the search was wrong. Ends after `maxPages` pages, after the last
 * page, after an error, at a cursor that was already used, or when `signal` aborts.
 * @param drop called when `signal` aborts, to discard pages that were fetched in advance.
 */
export function createListingReader(
  dispatcher: Pick<IpcDispatcher, 'call' | 'cancel'>,
  drop: () => void,
): IpcDispatcher['readListing'] {
  return async function* (caller, request, signal) {
    const parsed = isInputTooLarge(request) ? null : listingRequestSchema.safeParse(request)
    if (!parsed?.success) {
      const error = createRefusedError(
        'REQUEST_MALFORMED',
        'The request is not of the form { id, input, maxPages }.',
      ).wire
      return void (yield { cursor: null, reply: { ok: false, error } })
    }
    const { id, input, maxPages } = parsed.data
    const trail = new CursorTrail(null)
    let next: ReadInput | null = { ...input, readAhead: true }
    let callId = ''
    const onAbort = (): void => {
      dispatcher.cancel(caller, callId)
      drop()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      for (let number = 1; next !== null && number <= maxPages && !signal.aborted; number += 1) {
        const pageInput: ReadInput = next
        callId = `${id}.${number}`
        const reply = await dispatcher.call(caller, { id: callId, method: 'bridge.read', input: pageInput })
        const { cursor = null } = pageInput.query
        yield { cursor: cursor === null ? null : String(cursor), reply }
        const nextCursor = findNextCursor(reply)
        next =
          trail.follow(nextCursor) === 'next' ? { ...pageInput, query: withCursor(pageInput.query, nextCursor) } : null
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}

function findNextCursor(reply: CallReply): string | null {
  if (!reply.ok || !isObject(reply.value)) return null
  const bytes = reply.value['bytes']
  return bytes instanceof ArrayBuffer ? guessNextCursor(new Uint8Array(bytes)) : null
}

/**
 * Encodes the pages of a listing for a transport: for each a head and, unless that contains an
 * error, the page's bytes, which are not copied (`shared/ipc/listing.ts`). A page is requested only
 * when the consumer reads, and none once `signal` aborts.
 */
export async function* streamListingBytes(
  dispatcher: Pick<IpcDispatcher, 'readListing'>,
  caller: string,
  request: unknown,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for await (const page of dispatcher.readListing(caller, request, signal)) yield* encodePage(page)
}

function* encodePage({ cursor, reply }: ListingPage): Generator<Uint8Array, void> {
  if (!reply.ok) return void (yield encodeHead({ cursor, error: reply.error }))
  const value = isObject(reply.value) ? reply.value : null
  const bytes = value?.['bytes']
  if (!(bytes instanceof ArrayBuffer)) return void (yield encodeHead({ cursor, error: toWireError(null) }))
  yield encodeHead({ cursor, meta: value?.['meta'], byteLength: bytes.byteLength })
  yield Buffer.from(bytes)
}

function encodeHead(head: object): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.byteLength)
  return Buffer.concat([length, text])
}

/** Keys by which a request for a listing identifies its caller. */
export interface CallerKeys {
  /** Returns the same key for a caller until the key is revoked. */
  issueKey(caller: string): string
  findCaller(key: string | null): string | null
  revokeKey(caller: string): void
}

export function createCallerKeys(): CallerKeys {
  const keys = new Map<string, Buffer>()
  return {
    issueKey(caller) {
      const key = keys.get(caller) ?? Buffer.from(randomBytes(32).toString('base64url'))
      keys.set(caller, key)
      return key.toString()
    },
    findCaller(key) {
      const keyBytes = Buffer.from(key ?? '')
      for (const [caller, issuedKey] of keys)
        if (keyBytes.byteLength === issuedKey.byteLength && timingSafeEqual(keyBytes, issuedKey)) return caller
      return null
    },
    revokeKey: (caller) => void keys.delete(caller),
  }
}
