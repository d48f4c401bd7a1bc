import { validateHeaderName, validateHeaderValue, type IncomingMessage, type ServerResponse } from 'node:http'
import { mayHaveLongNumber } from '../../../shared/json/inspection.ts'
import { deriveCards } from '../../core/recordings/replay/derived-cards.ts'
import { deriveListing, type DerivedListing } from '../../core/recordings/replay/derived-listing.ts'
import type { BytePiece } from '../../core/recordings/replay/byte-range.ts'
import type { ReplayResponse } from '../../core/recordings/replay/replay.ts'
import type { ReplaySource } from '../../core/recordings/replay/replay-timeline.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { Header } from '../../../shared/traffic/exchange.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import type { FaultName } from '../faults.ts'

/** A response that is ready to be sent. */
export interface RecordedReply {
  readonly status: number
  readonly headers: readonly Header[]
  /** Null if there is no body, whatever the headers say. */
  readonly bytes: Buffer | null
}

/** Names how a response came about: `recorded`, `unchanged` (at another moment) or `derived`. */
const ORIGIN_HEADER = 'X-Recording'

/** They describe the connection, or bytes that were decoded before they were recorded. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'date',
  'content-length',
  'content-encoding',
  'content-md5',
  'digest',
  'repr-digest',
])

/** Reads the bodies that a response needs. Null for a listing that cannot be derived after all. */
export async function loadReply(
  source: ReplaySource,
  reply: Exclude<ReplayResponse, { kind: 'not-recorded' | 'broken' }>,
  chosenRequestIds: ReadonlyMap<string, string>,
): Promise<RecordedReply | null> {
  switch (reply.kind) {
    case 'recorded': {
      const { exchange, isFromOtherMoment } = reply
      const bytes = exchange.row.method === 'HEAD' ? null : await readBody(source, exchange)
      return {
        status: exchange.row.status ?? 200,
        headers: [...listHeaders(exchange), [ORIGIN_HEADER, isFromOtherMoment ? 'unchanged' : 'recorded']],
        bytes: bytes !== null && isJson(exchange) ? replaceRequestIds(bytes, chosenRequestIds) : bytes,
      }
    }
    case 'not-modified':
      return { status: 304, headers: listHeaders(reply.exchange), bytes: null }
    case 'bytes': {
      const { head, total } = reply.bytes
      const headers: Header[] = [
        ...listHeaders(head).filter(([name]) => !/^(?:accept-ranges|content-range)$/i.test(name)),
        ['Accept-Ranges', 'bytes'],
        [ORIGIN_HEADER, 'recorded'],
      ]
      const { range } = reply
      if (range === 'unsatisfiable')
        return { status: 416, headers: [...headers, ['Content-Range', `bytes */${total}`]], bytes: null }
      const bytes = await joinPieces(source, reply.pieces, range ?? { start: 0, end: total })
      if (range === null) return { status: 200, headers, bytes }
      return {
        status: 206,
        headers: [...headers, ['Content-Range', `bytes ${range.start}-${range.end - 1}/${total}`]],
        bytes,
      }
    }
    case 'derived': {
      const { pages, pageIndex } = reply.listing
      return toDerivedReply(await loadDerivedListing(source, reply.listing), pages[pageIndex])
    }
    case 'cards': {
      const exchanges = reply.cards.sources.map(({ exchange }) => exchange)
      const bodies = await readExactBodies(source, exchanges)
      return toDerivedReply(bodies && deriveCards(reply.cards, bodies), exchanges[0])
    }
  }
}

function toDerivedReply(value: object | null, head: RecordedExchange | undefined): RecordedReply | null {
  if (value === null || !head) return null
  const headers: Header[] = [...listHeaders(head), [ORIGIN_HEADER, 'derived']]
  return { status: 200, headers, bytes: Buffer.from(JSON.stringify(value)) }
}

/** A server cannot end a response with another status, such as 101. */
export function isFinalStatus(status: number): boolean {
  return status >= 200 && status <= 599
}

export function sendReply(request: IncomingMessage, response: ServerResponse, reply: RecordedReply): void {
  if (response.destroyed || response.headersSent) return
  const { status, headers, bytes } = reply
  const length = bytes === null ? [] : [['Content-Length', String(bytes.byteLength)] as const]
  response.writeHead(status, [...headers, ...length].flat())
  if (request.method === 'HEAD' || bytes === null) response.end()
  else response.end(bytes)
}

/** Ends the connection as it ended when the exchange was recorded. */
export async function sendBrokenReply(
  source: ReplaySource,
  exchange: RecordedExchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { row, error, response: body } = exchange
  const hasHead = row.status !== null && isFinalStatus(row.status)
  if (hasHead) {
    const bytes = await readBody(source, exchange)
    const length = body.total === null ? [] : ['Content-Length', String(body.total)]
    response.writeHead(row.status ?? 200, [...listHeaders(exchange).flat(), ...length])
    response.write(bytes)
  }
  // The client waits as long as its own limit says.
  if (error?.kind === 'timeout') return
  if (hasHead) setTimeout(() => response.destroy(), CUT_DELAY_MS)
  else request.socket.resetAndDestroy()
}

/** The bytes that were written before need to leave. */
const CUT_DELAY_MS = 20

/** Faults that only the simulated library knows. */
export function isFaultOfRecording(fault: FaultName): boolean {
  return fault !== 'drift'
}

const isJson = ({ row }: RecordedExchange): boolean => /[/+]json$/.test(row.mediaType)

function listHeaders({ row, responseHeaders }: RecordedExchange): Header[] {
  const isOwnLength = (name: string): boolean => row.method === 'HEAD' && name === 'content-length'
  return responseHeaders.filter(([name, value]) => {
    const lowerName = name.toLowerCase()
    if (connectionHeaders.has(lowerName) && !isOwnLength(lowerName)) return false
    // Secrets are redacted when they are recorded.
    return !value.includes('[redacted]') && isValidHeader(name, value)
  })
}

/** A file may come from anybody. */
function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

async function readBody(source: ReplaySource, { responseBody }: RecordedExchange): Promise<Buffer> {
  return responseBody === null ? Buffer.alloc(0) : toBuffer(await source.readBody(responseBody))
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

async function joinPieces(
  source: ReplaySource,
  pieces: readonly BytePiece[],
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  const parts: Buffer[] = []
  let reached = start
  for (const piece of pieces) {
    const bytes = await readBody(source, piece.exchange)
    const last = Math.min(end, piece.end)
    parts.push(bytes.subarray(reached - piece.start, last - piece.start))
    reached = last
  }
  return Buffer.concat(parts)
}

/** Responses echo the request id that the client chose (spec §2). */
function replaceRequestIds(bytes: Buffer, chosenRequestIds: ReadonlyMap<string, string>): Buffer {
  const echoed = [...chosenRequestIds].filter(([recorded]) => bytes.includes(JSON.stringify(recorded)))
  if (echoed.length === 0) return bytes
  let text = bytes.toString()
  for (const [recorded, chosen] of echoed)
    text = text.replaceAll(JSON.stringify(recorded), () => JSON.stringify(chosen))
  return Buffer.from(text)
}

async function loadDerivedListing(
  source: ReplaySource,
  listing: DerivedListing,
): Promise<Record<string, unknown> | null> {
  const readText = (name: string | null): Promise<string | null> => readBodyText(source, name)
  const pages = await readExactBodies(source, listing.pages)
  if (pages === null) return null
  const writes = await Promise.all(
    listing.writes.map(async ({ requestBody, responseBody }) => ({
      requestText: await readText(requestBody),
      response: parseBodyText(await readText(responseBody)),
    })),
  )
  return deriveListing(listing, { pages, writes })
}

const readBodyText = async (source: ReplaySource, name: string | null): Promise<string | null> =>
  name === null ? null : toBuffer(await source.readBody(name)).toString()

/** @returns the parsed responses; null if one has a number that JavaScript would round */
async function readExactBodies(
  source: ReplaySource,
  exchanges: readonly RecordedExchange[],
): Promise<readonly unknown[] | null> {
  const names = [...new Set(exchanges.map(({ responseBody }) => responseBody))]
  const texts = await Promise.all(names.map((name) => readBodyText(source, name)))
  if (texts.some((text) => text !== null && mayHaveLongNumber(text))) return null
  const bodies = new Map(names.map((name, index) => [name, parseBodyText(texts[index] ?? null)]))
  return exchanges.map(({ responseBody }) => bodies.get(responseBody))
}
