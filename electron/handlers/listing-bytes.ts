import { toWire } from '../../shared/errors.ts'
import { isObject } from '../../shared/json/object.ts'
import type { Door, ListedPage } from './door.ts'

/**
 * The pages of a listing as the bytes that a transport sends: a head and, unless it tells of an error, the page, which is not copied
 * (`shared/ipc/listing.ts`). Nothing is asked of the host before it is wanted, and no more once `signal` is aborted.
 */
export async function* listingBytes(
  door: Pick<Door, 'listing'>,
  caller: string,
  request: unknown,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for await (const page of door.listing(caller, request, signal)) yield* pieces(page)
}

function* pieces({ cursor, reply }: ListedPage): Generator<Uint8Array, void> {
  if (!reply.ok) return void (yield headOf({ cursor, error: reply.error }))
  const value = isObject(reply.value) ? reply.value : null
  const bytes = value?.['bytes']
  if (!(bytes instanceof ArrayBuffer)) return void (yield headOf({ cursor, error: toWire(null) }))
  yield headOf({ cursor, meta: value?.['meta'], byteLength: bytes.byteLength })
  yield Buffer.from(bytes)
}

function headOf(head: object): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.byteLength)
  return Buffer.concat([length, text])
}
