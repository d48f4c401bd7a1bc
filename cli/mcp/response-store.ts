import { AppError, createRefusedError } from '../../shared/errors.ts'
import { isValidJsonText } from '../../shared/json/inspection.ts'
import { getByteLength, parseExactValue, MAX_PAGE_BYTES, parseViewCursor, createResponseView } from './response-view.ts'

/** Includes the structured copy of the result. */
const MAX_RESULT_BYTES = 40_000
/** `MAX_STORED_CHARS` applies to all stored responses together, the next limit to each of them. */
const MAX_STORED_CHARS = 96_000_000
const MAX_RESPONSE_CHARS = 48_000_000

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

export interface ToolResult {
  readonly content: ResultContent[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly [member: string]: unknown
}

/**
 * No type is given for `data`: a host may answer otherwise than the contract shows, and a client
 * drops a result that its schema does not allow. The text is short, because clients read it for
 * each tool; the instructions say what `whole` means.
 * @param data describes the whole data
 */
export function createOutputSchema(data: string) {
  return {
    type: 'object' as const,
    properties: {
      whole: { type: 'boolean' },
      data: { description: data },
    },
    required: ['whole'],
  }
}

interface StoredResponse {
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly text: string
  readonly isJson: boolean
}

const toUri = (id: string): string => `bridge://answers/${id}`

/** Stores long responses until newer ones need the room, so that clients can read the rest. */
export class ResponseStore {
  readonly #responses = new Map<string, StoredResponse>()
  #storedChars = 0
  #lastId = 0

  /**
   * A response that is too long becomes a page of the list at `list`, or its members with counts,
   * and a link to the rest.
   * @throws ANSWER_TOO_LARGE when the response is too long to store
   */
  createResult(name: string, text: string, { mimeType = 'application/json', list = '' } = {}): ToolResult {
    const isJson = mimeType === 'application/json' && isValidJsonText(text)
    const wholeResult = createWholeResult(text, isJson)
    if (wholeResult) return wholeResult
    const storedResponse = this.#store({ name, text, isJson, mimeType: isJson ? mimeType : 'text/plain' })
    const { structured, text: viewText } = createResponseView(storedResponse, {
      pointer: isJson ? list : '',
      offset: 0,
    })
    const { mimeType: storedType } = storedResponse
    const link = {
      type: 'resource_link' as const,
      uri: storedResponse.uri,
      name,
      mimeType: storedType,
      size: getByteLength(text),
    }
    return { content: [{ type: 'text', text: viewText }, link], structuredContent: structured }
  }

  /**
   * Returns the value at `pointer`, or the part that follows `cursor`.
   * @throws ANSWER_GONE, POINTER_UNKNOWN, CURSOR_INVALID
   */
  readPart(
    id: string,
    { pointer = '', cursor }: { pointer?: string | undefined; cursor?: string | undefined },
  ): ToolResult {
    const position = cursor === undefined ? { pointer, offset: 0 } : parseViewCursor(cursor)
    const { structured, text } = createResponseView(this.getResponse(id), position)
    return { content: [{ type: 'text', text }], structuredContent: structured }
  }

  /** @throws ANSWER_GONE when the response is no longer stored. */
  getResponse(id: string): StoredResponse {
    const response = this.#responses.get(toUri(id.replace(toUri(''), '')))
    if (response) return response
    throw createRefusedError('ANSWER_GONE', 'This answer is no longer kept, or never was. Call the tool again.')
  }

  #store(response: Omit<StoredResponse, 'uri'>): StoredResponse {
    if (response.text.length > MAX_RESPONSE_CHARS) {
      const size = Math.round(response.text.length / 1_000_000)
      throw createRefusedError(
        'ANSWER_TOO_LARGE',
        `The answer has ${size} MB. Ask for less: a smaller limit, or one branch.`,
      )
    }
    for (const [oldest, { text }] of this.#responses) {
      if (this.#storedChars + response.text.length <= MAX_STORED_CHARS) break
      this.#responses.delete(oldest)
      this.#storedChars -= text.length
    }
    const stored = { ...response, uri: toUri(String((this.#lastId += 1))) }
    this.#responses.set(stored.uri, stored)
    this.#storedChars += response.text.length
    return stored
  }
}

export function toErrorResult(error: unknown): ToolResult {
  if (!(error instanceof AppError)) throw error
  const text = `${error.code ?? error.kind}: ${error.message}`
  return { content: [{ type: 'text', text: text.slice(0, MAX_PAGE_BYTES / 4) }], isError: true }
}

function createWholeResult(text: string, isJson: boolean): ToolResult | null {
  if (text.length > MAX_RESULT_BYTES) return null
  const data = isJson ? parseExactValue(text) : text
  const result: ToolResult = { content: [{ type: 'text', text }], structuredContent: { whole: true, data } }
  return getByteLength(JSON.stringify(result)) <= MAX_RESULT_BYTES ? result : null
}
