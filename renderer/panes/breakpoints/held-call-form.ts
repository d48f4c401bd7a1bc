import { z } from 'zod'
import { findEndpointById, getResponseSchema, isJsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import type { HeldCallDetail, HeldEdit, HeldMessage, Resumption } from '../../../shared/panel/breakpoints.ts'
import { parseHeaderLines, type HeaderProblem } from '../../model/panel/call-match-form.ts'
import { formatBody } from '../../model/panel/rule-form.ts'

export interface HeldCallForm {
  status: number | null
  /** Lines of `name: value`. */
  headers: string
  body: string
}

const EMPTY_MESSAGE: HeldMessage = {
  headers: [['Content-Type', 'application/json']],
  body: '{}',
  bytes: 2,
  isBodyEditable: true,
}

/** The message that a person edits; for an answer by hand, the host's response if there is one. */
export function getEditedMessage({ request, response }: HeldCallDetail, mode: 'edit' | 'answer'): HeldMessage {
  if (mode === 'edit') return response ?? request
  return response?.isBodyEditable ? response : EMPTY_MESSAGE
}

export function toHeldCallForm(detail: HeldCallDetail, mode: 'edit' | 'answer'): HeldCallForm {
  const { headers, body } = getEditedMessage(detail, mode)
  return {
    status: detail.call.status ?? (mode === 'answer' ? 200 : null),
    headers: formatHeaders(headers),
    body: formatBody(body ?? ''),
  }
}

export const formatHeaders = (headers: HeldMessage['headers']): string =>
  headers.map((header) => header.join(': ')).join('\n')

/** Returns how the call goes on, or the first error of the form. */
export function parseHeldCallForm(
  { status, headers, body }: HeldCallForm,
  detail: HeldCallDetail,
  mode: 'edit' | 'answer',
):
  | { readonly resumption: Resumption }
  | { readonly problem: 'status' }
  | ({ readonly problem: 'headers' } & HeaderProblem) {
  const hasStatus = mode === 'answer' || detail.response !== null
  if (hasStatus && (status === null || status < 200 || status > 599)) return { problem: 'status' }
  const parsedHeaders = parseHeaderLines(headers)
  if ('line' in parsedHeaders) return { problem: 'headers', ...parsedHeaders }
  if (mode === 'answer')
    return { resumption: { kind: 'answer', status: status ?? 200, headers: parsedHeaders.pairs, body } }
  const message = getEditedMessage(detail, mode)
  // Parts that the user left alone stay byte for byte as they were.
  const edit: HeldEdit = {
    ...(hasStatus && status !== null && status !== detail.call.status ? { status } : {}),
    ...(headers === formatHeaders(message.headers) ? {} : { headers: parsedHeaders.pairs }),
    ...(message.isBodyEditable && body !== formatBody(message.body ?? '') ? { body } : {}),
  }
  return { resumption: Object.keys(edit).length === 0 ? { kind: 'continue' } : { kind: 'continue', edit } }
}

/** The JSON Schema by which the editor completes a body; null if the contract shows none. */
export function createHeldBodySchema({ call }: HeldCallDetail, side: 'request' | 'response'): unknown {
  if (call.endpoint === null) return null
  const bodySchema = findEndpointById(call.endpoint)?.body ?? null
  const responseSchema = isJsonEndpointId(call.endpoint) ? getResponseSchema(call.endpoint) : null
  const schema = side === 'request' ? bodySchema : responseSchema
  return schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}
