import { AppError } from '../../shared/errors.ts'
import { binaryIds, type BinaryId } from '../../shared/bridge/endpoints/index.ts'
import type { Opened } from '../session/session.ts'
import { readOf, type Tool } from './tools.ts'

/** Most bytes of text in one answer, and of a picture: more would only fill the memory of whoever asked. */
const MOST_TEXT = 400_000
const MOST_BYTES = 2_000_000

/** A part of an answer as the protocol has it. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }

/** What a tool answers: what the host sent, or its error. */
export async function answerOf(
  session: Opened,
  tool: Tool,
  given: unknown,
): Promise<{ content: Part[]; isError?: boolean }> {
  try {
    const binary = binaryIds.find((id) => id === tool.row.id)
    return { content: binary ? await media(session, binary, tool, given) : await text(session, tool, given) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { content: [{ type: 'text', text: `${error.code ?? error.kind}: ${error.message}` }], isError: true }
  }
}

async function text({ call }: Opened, tool: Tool, given: unknown): Promise<Part[]> {
  const { bytes } = await call('bridge.read', readOf(tool, given))
  return [{ type: 'text', text: clipped(bytes) }]
}

/** The text of an answer; a part is never passed off as the whole. */
export function clipped(bytes: ArrayBuffer): string {
  const all = new TextDecoder().decode(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, MOST_TEXT)))
  return bytes.byteLength <= MOST_TEXT
    ? all
    : `${all}\n[Cut here: ${MOST_TEXT} of ${bytes.byteLength} bytes. Ask for less, page by page.]`
}

async function media({ call }: Opened, id: BinaryId, tool: Tool, given: unknown): Promise<Part[]> {
  const { params, query } = readOf(tool, given)
  const { handle, mediaType, kind, byteLength } = await call('content.open', { endpoint: id, params, query })
  const about = `${mediaType}, ${byteLength ?? 'an unknown number of'} bytes`
  const { bytes } = await call('content.slice', { handle, start: 0, end: MOST_BYTES + 1 })
  await call('content.release', { handle })
  if (bytes.byteLength > MOST_BYTES || (kind !== 'image' && kind !== 'audio')) {
    return [{ type: 'text', text: `${about}. Not shown here: save it with bridge-inspector content.` }]
  }
  return [
    { type: 'text', text: about },
    { type: kind, data: Buffer.from(bytes).toString('base64'), mimeType: mediaType },
  ]
}
