import { config } from 'zod'
import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { HandedOver, type WorkerCall } from '../../shared/workers/worker-methods.ts'
import { PieceCollector, splitLists, type ListChunk } from './list-chunks.ts'
import { formatBodyText, parseResponse, runAssertionTask } from './response-parser.ts'
import type { FormatOptions } from '../model/json/json-formatter.ts'
import { servePage } from './serve-page.ts'

// The page's CSP has no unsafe-eval, so zod must not compile its schemas.
config({ jitless: true })

const pieces = new PieceCollector()

interface ParseRequest {
  readonly endpoint: JsonEndpointId | null
  readonly bytes: ArrayBuffer
}

interface FormatRequest {
  /** The number of a source that was sent in pieces before. */
  readonly source: ArrayBuffer | string | number
  readonly options: FormatOptions
}

const methods = {
  parse({ endpoint, bytes }: ParseRequest, { report }: WorkerCall<ListChunk>) {
    const result = parseResponse(endpoint, bytes)
    const { rest, chunks } = splitLists(result.value)
    for (const chunk of chunks) report(chunk)
    return new HandedOver({ ...result, value: rest }, [result.bytes])
  },
  /** Keeps a piece of the source with this number, which `format` joins afterwards. */
  addPiece({ source, bytes }: { readonly source: number; readonly bytes: ArrayBuffer }) {
    pieces.add(source, bytes)
  },
  format: ({ source, options }: FormatRequest) =>
    formatBodyText(typeof source === 'number' ? pieces.joinPieces(source) : source, options),
  runAssertionTask,
}

export type ParseMethods = typeof methods

servePage(methods)
