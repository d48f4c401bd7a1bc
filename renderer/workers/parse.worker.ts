import { z } from 'zod'
import { PieceCollector, splitLists } from './list-chunks.ts'
import { formatBodyText, parseResponse, runAssertionTask } from './response-parser.ts'
import type { ParseWorkerReply, ParseWorkerRequest } from './parse-protocol.ts'

// The page's CSP has no unsafe-eval, so zod must not compile its schemas.
z.config({ jitless: true })

/**
 * The members of a worker's global scope that this file uses. The DOM types only describe `Window`.
 */
interface Scope {
  onmessage: ((event: MessageEvent<ParseWorkerRequest>) => void) | null
  postMessage(message: ParseWorkerReply, transfer: Transferable[]): void
}
const scope = self as unknown as Scope
const pieces = new PieceCollector()

scope.onmessage = ({ data }) => {
  try {
    if (data.task === 'piece') pieces.add(data.seq, data.bytes)
    else if (data.task === 'parse') {
      const result = parseResponse(data.endpoint, data.bytes)
      const { rest, chunks } = splitLists(result.value)
      for (const chunk of chunks) scope.postMessage({ seq: data.seq, listChunk: chunk }, [])
      scope.postMessage({ seq: data.seq, ok: true, result: { ...result, value: rest } }, [result.bytes])
    } else if (data.task === 'assert' || data.task === 'create-assertion') {
      scope.postMessage({ seq: data.seq, ok: true, result: runAssertionTask(data) }, [])
    } else {
      scope.postMessage(
        { seq: data.seq, ok: true, result: formatBodyText(data.source ?? pieces.joinPieces(data.seq), data.options) },
        [],
      )
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    scope.postMessage({ seq: data.seq, ok: false, message }, [])
  }
}
