import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../../shared/json/object.ts'
import { toWire } from '../../shared/errors.ts'
import { LISTING_TYPE } from '../../shared/ipc/listing.ts'
import type { Door, ListedPage } from '../handlers/door.ts'
import { readJsonBody, refuseBody } from './ipc.ts'

/**
 * `POST /ipc/listing`: one answer with every page of a listing (`shared/ipc/listing.ts`), at the pace at which it is read; cancelled when
 * the page hangs up.
 */
export async function serveListing(
  door: Door,
  caller: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJsonBody(request, response)
  if (!body.ok) return refuseBody(request, response, body)
  if (response.destroyed) return
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  response.writeHead(200, { 'Content-Type': LISTING_TYPE })
  for await (const page of door.listing(caller, body.value, abort.signal)) {
    if (response.destroyed) return
    if (!write(response, page)) await drained(response)
  }
  response.end()
}

/** False if the page has not read what was sent before. The bytes are not copied. */
function write(response: ServerResponse, { cursor, reply }: ListedPage): boolean {
  if (!reply.ok) return response.write(headOf({ cursor, error: reply.error }))
  const value = isObject(reply.value) ? reply.value : null
  const bytes = value?.['bytes']
  if (!(bytes instanceof ArrayBuffer)) return response.write(headOf({ cursor, error: toWire(null) }))
  response.write(headOf({ cursor, meta: value?.['meta'], byteLength: bytes.byteLength }))
  return response.write(Buffer.from(bytes))
}

function headOf(head: object): Buffer {
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.byteLength)
  return Buffer.concat([length, text])
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
