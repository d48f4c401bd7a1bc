import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { createRefusedError, type AppError } from '../../../shared/errors.ts'
import {
  MAX_EDITED_BODY_CHARS,
  type HeldEdit,
  type HeldMessage,
  type HeldPoint,
  type HoldRecord,
} from '../../../shared/panel/breakpoints.ts'
import type { MatchedCall } from '../../../shared/panel/call-match.ts'
import type { RawHeaders } from '../bridge/exchange-trace.ts'
import type { TokenPredicate } from '../console/collections.ts'

/** A request, or a response with its status. The body is not encoded. */
export interface HeldContent extends Partial<RequestLine> {
  readonly headers: RawHeaders
  readonly body: Buffer | null
  readonly status?: number
}

export interface HeldMessages {
  readonly point: HeldPoint
  readonly request: HeldContent
  /** Null at the request. */
  readonly response: HeldContent | null
}

/** How a call goes on: with its message as a person edited it, or as it was. */
export type HoldResult =
  | { readonly kind: 'continue'; readonly content: HeldContent; readonly edited: HoldRecord['edited'] }
  | { readonly kind: 'answer'; readonly content: HeldContent & { readonly status: number } }
  | { readonly kind: 'fail' }
  /** The caller has given the call up. */
  | { readonly kind: 'gone' }

/** The path has the query, and is relative to the base URL. */
type RequestLine = Pick<MatchedCall, 'method' | 'path'>

/** Headers and paths of a request that may be sent on to the host. */
export interface RequestPolicy {
  readonly isHeaderSent: (name: string, request: RequestLine) => boolean
  /** @throws AppError for a path that is not sent, whoever wrote it */
  readonly assertPathSent: (path: string) => void
}

/** Not shown to a person: set by program or connection, secret, or deciding about the method. */
const FIXED_HEADERS: Readonly<Record<HeldPoint, RegExp>> = {
  request:
    /^(?:host|origin|referer|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|user-agent|http2-settings|(?:proxy|sec|x-inspector)-.*|x-http-method.*|x-method-override)$/i,
  response:
    /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|www-authenticate|proxy-.*)$/i,
}
const SECRET_HEADER = /authorization|cookie|token|secret|password|api-?key/i

/** @param authHeader the header in which the connected host expects the token */
export function isFixedHeader(point: HeldPoint, name: string, authHeader: string | null): boolean {
  return FIXED_HEADERS[point].test(name) || SECRET_HEADER.test(name) || name.toLowerCase() === authHeader?.toLowerCase()
}

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000e-\u001f]/

function decodeBody(body: Buffer): string | null {
  if (!isUtf8(body)) return null
  const text = body.toString()
  return CONTROL_CHARACTERS.test(text) ? null : text
}

/** Converts a message to the form that pages receive. */
export function toHeldMessage(
  point: HeldPoint,
  { headers, body }: HeldContent,
  { authHeader, holdsToken }: { readonly authHeader: string | null; readonly holdsToken: TokenPredicate },
): HeldMessage {
  const text = body === null ? '' : decodeBody(body)
  const isTooLong = text !== null && text.length > MAX_EDITED_BODY_CHARS
  return {
    headers: headers
      .filter(([name]) => !isFixedHeader(point, name, authHeader))
      .map(([name, value]): [string, string] => [name, value]),
    body: body === null || isTooLong ? null : text,
    bytes: body?.byteLength ?? 0,
    isBodyEditable: text !== null && !isTooLong && !holdsToken(text),
  }
}

/** Checks what a person wrote. @throws TOKEN_IN_REQUEST, HEADER_FIXED */
export function assertEditAllowed(
  point: HeldPoint,
  { headers = [], body = '', path = '' }: HeldEdit,
  { authHeader, holdsToken }: { readonly authHeader: string | null; readonly holdsToken: TokenPredicate },
): void {
  if (holdsToken(`${path}\n${headers.flat().join('\n')}\n${body}`))
    throw createRefusedError('TOKEN_IN_REQUEST', 'It contains a token. Nothing was sent.')
  const fixedHeader = headers.find(([name]) => isFixedHeader(point, name, authHeader))
  if (fixedHeader) throw createFixedError(fixedHeader[0])
}

const createFixedError = (name: string): AppError =>
  createRefusedError(
    'HEADER_FIXED',
    `The header ${name} can’t be changed here: the program sets it, or the gate doesn’t pass it on.`,
    { name },
  )

/** Checks that the host gets what a person changed. @throws HEADER_FIXED, as `assertPathSent` */
export function assertRequestSent(
  content: HeldContent & RequestLine,
  edit: HeldEdit,
  authHeader: string | null,
  { isHeaderSent, assertPathSent }: RequestPolicy,
): void {
  const { method = content.method, path = content.path } = edit
  if (path !== content.path) assertPathSent(path)
  if (!edit.headers) return
  const from = content.headers.filter(([name]) => !isFixedHeader('request', name, authHeader))
  const isIn = (headers: RawHeaders, header: readonly [string, string]): boolean =>
    headers.some((other) => isDeepStrictEqual(other, header))
  const changedHeaders = [
    ...edit.headers.filter((header) => !isIn(from, header)),
    ...from.filter((header) => !isIn(edit.headers ?? [], header)),
  ]
  const unsentHeader = changedHeaders.find(([name]) => !isHeaderSent(name, { method, path }))
  if (unsentHeader) throw createFixedError(unsentHeader[0])
}

/** Headers that describe the bytes of a body, and so do not fit an edited one. */
const BYTE_HEADERS =
  /^(?:content-length|content-encoding|transfer-encoding|etag|content-md5|(?:content-|repr-)?digest|accept-ranges)$/i

/** Applies an edit. Headers that a person does not see stay as they are. */
export function applyEdit<Content extends HeldContent>(
  point: HeldPoint,
  content: Content,
  edit: HeldEdit,
  authHeader: string | null,
): { readonly content: Content; readonly edited: HoldRecord['edited'] } {
  const isVisible = ([name]: readonly [string, string]): boolean => !isFixedHeader(point, name, authHeader)
  const edited: HoldRecord['edited'] = []
  let next = content
  for (const part of ['method', 'path'] as const) {
    if (point !== 'request' || edit[part] === undefined || edit[part] === content[part]) continue
    edited.push(part)
    next = { ...next, [part]: edit[part] }
  }
  if (edit.status !== undefined && point === 'response' && edit.status !== content.status) {
    edited.push('status')
    next = { ...next, status: edit.status }
  }
  if (edit.headers && !isDeepStrictEqual(edit.headers, content.headers.filter(isVisible))) {
    edited.push('headers')
    next = { ...next, headers: [...content.headers.filter((header) => !isVisible(header)), ...edit.headers] }
  }
  if (edit.body !== undefined && edit.body !== (content.body?.toString() ?? '')) {
    edited.push('body')
    const headers = next.headers.filter(([name]) => !BYTE_HEADERS.test(name))
    next = { ...next, headers, body: edit.body === '' ? null : Buffer.from(edit.body) }
  }
  return { content: next, edited }
}
