import { AppError, createRefusedError } from '../../shared/errors.ts'
import { getByteLength, parseExactValue, MAX_PAGE_BYTES, parseCursor, createView } from './response-view.ts'

/** Most bytes of one result, its structured copy included. */
const MAX_RESULT_BYTES = 40_000
/** Of all answers that are kept for reading on, and of one of them. */
const MAX_KEPT_CHARS = 96_000_000
const MAX_ANSWER_CHARS = 48_000_000

/** A part of a result as the protocol has it. */
export type ResultContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType: string
      readonly size: number
    }

/** What a tool returns. */
export interface ToolResult {
  readonly content: ResultContent[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly [member: string]: unknown
}

/** Every tool has this one: what the host sends is described by `capabilities_get` and by the contract, not here. */
export const outputSchema = {
  type: 'object',
  properties: { whole: { type: 'boolean' }, data: {}, cursor: { type: 'string' } },
  required: ['whole'],
} as const

/** An answer that can be read on. */
interface StoredResponse {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly text: string
  readonly isJson: boolean
}

const toUri = (id: string): string => `bridge://answers/${id}`

/** Long answers, kept for as long as there is room, so that the rest is read where it is and not asked for again. */
export class ResponseStore {
  readonly #kept = new Map<string, StoredResponse>()
  #chars = 0
  #last = 0

  /**
   * An answer as a result: whole where it fits, otherwise a page of the list at `list`, or its members with counts, with a link to the rest.
   * Throws `ANSWER_TOO_LARGE`.
   */
  createResult(name: string, text: string, { mimeType = 'application/json', list = '' } = {}): ToolResult {
    const isJson = mimeType === 'application/json' && isValidJson(text)
    const whole = wholeResult(text, isJson)
    if (whole) return whole
    const answer = this.#keep({ name, text, isJson, mimeType: isJson ? mimeType : 'text/plain' })
    const { structured, text: shown } = createView(answer, { pointer: isJson ? list : '', offset: 0 })
    const { mimeType: type } = answer
    const link = { type: 'resource_link' as const, uri: answer.uri, name, mimeType: type, size: getByteLength(text) }
    return { content: [{ type: 'text', text: shown }, link], structuredContent: structured }
  }

  /** A part of a kept answer: what `pointer` leads to, or what follows `cursor`. Throws `ANSWER_GONE`, `POINTER_UNKNOWN`, `CURSOR_INVALID`. */
  readPart(
    id: string,
    { pointer = '', cursor }: { pointer?: string | undefined; cursor?: string | undefined },
  ): ToolResult {
    const place = cursor === undefined ? { pointer, offset: 0 } : parseCursor(cursor)
    const { structured, text } = createView(this.getResponse(id), place)
    return { content: [{ type: 'text', text }], structuredContent: structured }
  }

  /** Throws `ANSWER_GONE`. */
  getResponse(id: string): StoredResponse {
    const answer = this.#kept.get(toUri(id.replace(toUri(''), '')))
    if (answer) return answer
    throw createRefusedError('ANSWER_GONE', 'This answer is no longer kept, or never was. Call the tool again.')
  }

  #keep(answer: Omit<StoredResponse, 'uri'>): StoredResponse {
    if (answer.text.length > MAX_ANSWER_CHARS) {
      const size = Math.round(answer.text.length / 1_000_000)
      throw createRefusedError(
        'ANSWER_TOO_LARGE',
        `The answer has ${size} MB. Ask for less: a smaller limit, or one branch.`,
      )
    }
    for (const [oldest, { text }] of this.#kept) {
      if (this.#chars + answer.text.length <= MAX_KEPT_CHARS) break
      this.#kept.delete(oldest)
      this.#chars -= text.length
    }
    const kept = { ...answer, uri: toUri(String((this.#last += 1))) }
    this.#kept.set(kept.uri, kept)
    this.#chars += answer.text.length
    return kept
  }
}

/** An error as a result. */
export function toErrorResult(error: unknown): ToolResult {
  if (!(error instanceof AppError)) throw error
  const text = `${error.code ?? error.kind}: ${error.message}`
  return { content: [{ type: 'text', text: text.slice(0, MAX_PAGE_BYTES / 4) }], isError: true }
}

function wholeResult(text: string, isJson: boolean): ToolResult | null {
  if (text.length > MAX_RESULT_BYTES) return null
  const data = isJson ? parseExactValue(text) : text
  const result: ToolResult = { content: [{ type: 'text', text }], structuredContent: { whole: true, data } }
  return getByteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES ? result : null
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
