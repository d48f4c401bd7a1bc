import { z } from 'zod'
import { findEndpointById, getResponseSchema, isJsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import {
  editableMethods,
  type HeldCall,
  type HeldCallDetail,
  type HeldEdit,
  type HeldMessage,
  type Resumption,
} from '../../../shared/panel/breakpoints.ts'
import { parseHeaderLines, type HeaderProblem } from '../../model/panel/call-match-form.ts'
import { formatBody } from '../../model/panel/rule-form.ts'

export interface HeldCallForm {
  /** The request line; the query has no question mark. */
  method: string
  path: string
  query: string
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
    ...toRequestLine(detail.call),
    status: detail.call.status ?? (mode === 'answer' ? 200 : null),
    headers: formatHeaders(headers),
    body: formatBody(body ?? ''),
  }
}

function toRequestLine({ method, path }: HeldCall): Pick<HeldCallForm, 'method' | 'path' | 'query'> {
  const [pathname = '', ...query] = path.split('?')
  return { method, path: pathname, query: query.join('?') }
}

export function formatHeaders(headers: HeldMessage['headers']): string {
  return headers.map((header) => header.join(': ')).join('\n')
}

/** Returns how the call goes on, or the first error of the form. */
export function parseHeldCallForm(
  { method, path, query, status, headers, body }: HeldCallForm,
  detail: HeldCallDetail,
  mode: 'edit' | 'answer',
):
  | { readonly resumption: Resumption }
  | { readonly problem: 'status' | 'method' | 'path' | 'query' }
  | ({ readonly problem: 'headers' } & HeaderProblem) {
  const hasStatus = mode === 'answer' || detail.response !== null
  if (hasStatus && (status === null || status < 200 || status > 599)) return { problem: 'status' }
  const line = parseRequestLine({ method, path, query }, detail.call)
  if ('problem' in line) return line
  const parsedHeaders = parseHeaderLines(headers)
  if ('line' in parsedHeaders) return { problem: 'headers', ...parsedHeaders }
  if (mode === 'answer')
    return { resumption: { kind: 'answer', status: status ?? 200, headers: parsedHeaders.pairs, body } }
  const message = getEditedMessage(detail, mode)
  // Parts that the user left alone stay byte for byte as they were.
  const edit: HeldEdit = {
    ...line,
    ...(hasStatus && status !== null && status !== detail.call.status ? { status } : {}),
    ...(headers === formatHeaders(message.headers) ? {} : { headers: parsedHeaders.pairs }),
    ...(message.isBodyEditable && body !== formatBody(message.body ?? '') ? { body } : {}),
  }
  return { resumption: Object.keys(edit).length === 0 ? { kind: 'continue' } : { kind: 'continue', edit } }
}

/** Returns what was changed of the request line: nothing of that of a held response. */
function parseRequestLine(
  { method, path, query }: Pick<HeldCallForm, 'method' | 'path' | 'query'>,
  call: HeldCall,
): Pick<HeldEdit, 'method' | 'path'> | { readonly problem: 'method' | 'path' | 'query' } {
  const editedMethod = editableMethods.find((name) => name === method.trim().toUpperCase())
  if (editedMethod === undefined && method !== call.method) return { problem: 'method' }
  const line = toRequestLine(call)
  const isPathEdited = path !== line.path || query !== line.query
  if (path !== line.path && !/^\/(?:(?![?#])[\x21-\x7e])*$/.test(path)) return { problem: 'path' }
  if (query !== line.query && !/^(?:(?!#)[\x21-\x7e])*$/.test(query)) return { problem: 'query' }
  return {
    ...(editedMethod === undefined || editedMethod === call.method ? {} : { method: editedMethod }),
    ...(isPathEdited ? { path: query === '' ? path : `${path}?${query}` } : {}),
  }
}

/** The JSON Schema by which the editor completes a body; null if the contract shows none. */
export function createHeldBodySchema({ call }: HeldCallDetail, side: 'request' | 'response'): unknown {
  if (call.endpoint === null) return null
  const bodySchema = findEndpointById(call.endpoint)?.body ?? null
  const responseSchema = isJsonEndpointId(call.endpoint) ? getResponseSchema(call.endpoint) : null
  const schema = side === 'request' ? bodySchema : responseSchema
  return schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}
