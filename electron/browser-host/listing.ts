import type { IncomingMessage, ServerResponse } from 'node:http'
import { LISTING_TYPE } from '../../shared/ipc/listing.ts'
import type { Door } from '../handlers/door.ts'
import { listingBytes } from '../handlers/listing-bytes.ts'
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
  for await (const piece of listingBytes(door, caller, body.value, abort.signal)) {
    if (response.destroyed) return
    if (!response.write(piece)) await drained(response)
  }
  response.end()
}

/** The page has read what was sent before, or is gone. */
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
