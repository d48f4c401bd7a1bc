import { createRefusedError } from '../../../../shared/errors.ts'
import type { RawHeaders } from '../../bridge/exchange-trace.ts'
import { pageCallIdSchema, type CallFrame, type CallLoader } from '../../../../shared/traffic/call-initiator.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { PanelCallFacts } from '../../findings/exchange-step.ts'
import { parseCallStack } from './call-stack.ts'
import type { PanelRequest } from './types.ts'
import { parseJsonOr } from '../../bridge/client/access-check.ts'
import type { MatchedCall } from '../../../../shared/panel/call-match.ts'
import { decodePercent } from '../../../../shared/bridge/endpoints/path-template.ts'

/** A call's path in the normal form that is both checked and sent. */
export interface CallPath {
  /** Decoded segments. A segment may hold a slash or `;`, which `path` has encoded. */
  readonly segments: readonly string[]
  /**
   * The segments as a server reads them that decodes before it splits, decodes more than once,
   * normalises, or drops `;` parameters, where they differ from `segments`. None is empty, `.` or
   * `..`.
   */
  readonly otherReadings: readonly (readonly string[])[]
  /** The encoded segments, for example `/notes/N-1/render`. */
  readonly path: string
  /** The query as the page wrote it, with its question mark; empty if there is none. */
  readonly query: string
}

const MAX_PATH_CHARS = 8_000
/** A path that still changes when it is decoded again after this is read by no rule. */
const MAX_DECODINGS = 4

/**
 * Parses a path with query, relative to the base URL. Returns null for any path that could lead a
 * host out of the checked one: dots, double slashes, backslashes, control characters, text that
 * decodes again to one of these or resembles one in a different normal form, fragments and absolute
 * addresses. The result has only one spelling, so that a host receives exactly the path that was
 * checked.
 */
export function parseCallPath(raw: string): CallPath | null {
  if (raw.length > MAX_PATH_CHARS || !/^\/[\x21-\x7e]*$/.test(raw) || /[#\\<>"^`{|}]/.test(raw)) return null
  const queryIndex = raw.indexOf('?')
  const [pathname, query] = queryIndex < 0 ? [raw, ''] : [raw.slice(0, queryIndex), raw.slice(queryIndex)]
  const segments = decodeSegments(pathname.slice(1).split('/'))
  const readings = segments && listReadings(segments)
  if (!segments || !readings) return null
  const key = segments.join('\n')
  return {
    segments,
    otherReadings: readings.filter((reading) => reading.join('\n') !== key),
    path: `/${segments.map(encodeURIComponent).join('/')}`,
    query,
  }
}

/** @throws PATH_AMBIGUOUS for a path that `parseCallPath` refuses */
export function requireCallPath(raw: string): CallPath {
  const path = parseCallPath(raw)
  if (path) return path
  throw createRefusedError('PATH_AMBIGUOUS', 'The path can be read in more than one way. Nothing was sent.')
}

function decodeSegments(encodedSegments: readonly string[]): string[] | null {
  try {
    return encodedSegments.map((segment) => decodeURIComponent(segment))
  } catch {
    return null
  }
}

/** Returns null if a reading has a segment that leads elsewhere, or if there may be others. */
function listReadings(segments: readonly string[]): (readonly string[])[] | null {
  const readings = new Map<string, readonly string[]>()
  let texts = segments
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    for (const forms of [texts, texts.map((text) => text.normalize('NFKC'))]) {
      const split = forms.flatMap((form) => form.split('/'))
      for (const reading of [split, split.map((segment) => segment.split(';', 1)[0] ?? '')]) {
        if (!reading.every(isSafeSegment)) return null
        readings.set(reading.join('\n'), reading)
      }
    }
    const decodedTexts = texts.map(decodePercent)
    if (decodedTexts.every((text, index) => text === texts[index])) return [...readings.values()]
    texts = decodedTexts
  }
  return null
}

const isSafeSegment = (segment: string): boolean =>
  segment !== '' && segment !== '.' && segment !== '..' && !/[\\\u0000-\u001f\u007f-\u009f]/.test(segment)

export interface PageCall extends PanelCallFacts {
  readonly method: string
  /** Path with query, relative to the base URL, as the page wrote it. */
  readonly path: string
  /** The headers, without those that the helper script adds. */
  readonly headers: RawHeaders
  /** Null if there is no body, or if it is too large to be read. */
  readonly body: Buffer | null
  /** Bytes that the page declared or sent; more than `MAX_BODY_BYTES` if it is too large. */
  readonly bodyBytes: number
  /** The helper script's number, null if it could not add it; the page can put any number. */
  readonly load: number | null
  /** The id by which notes of the page name this call; null if the script could not add it. */
  readonly pageId: string | null
  /** The helper script's stack; null if none. The page can forge only that of this call. */
  readonly frames: readonly CallFrame[] | null
  readonly loader: CallLoader | null
  /** Path with query of the file that made the request; empty if the browser does not tell it. */
  readonly referrer: string
  readonly signal: AbortSignal
  /** The mark under which the exchange of a call that was held at a breakpoint is recorded. */
  readonly mark?: string
}

/** Maximum of a call's body, which is in memory until it is sent. Only uploads come near it. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The path below which the panel's origin serves the host's routes. */
export const API_PREFIX = '/bridge/v1'

/** The header that marks a call through `host.api`. */
export const VIA_HEADER = 'x-inspector-via'

/** The header with the number of the page's load that made a call. */
const LOAD_HEADER = 'x-inspector-load'

/** The header with the id that the helper script gives a call. */
const CALL_HEADER = 'x-inspector-call'

const STACK_HEADER = 'x-inspector-stack'

const HELPER_HEADERS: ReadonlySet<string> = new Set([VIA_HEADER, LOAD_HEADER, CALL_HEADER, STACK_HEADER])

/** Stops reading when a body is too large, so that a page cannot fill the memory. */
export async function readPageCall(request: Request): Promise<PageCall> {
  const { pathname, search, protocol, host } = new URL(request.url)
  const origin = `${protocol}//${host}`
  const declared = Number(request.headers.get('content-length') ?? 0)
  const { body, size } = await readBody(request, declared)
  const dest = request.headers.get('sec-fetch-dest') ?? 'empty'
  const load = Number(request.headers.get(LOAD_HEADER) ?? Number.NaN)
  const isApi = request.headers.get(VIA_HEADER) === 'host.api'
  const referrer = readReferrerPath(request, origin)
  return {
    method: request.method,
    path: pathname.slice(API_PREFIX.length) + search,
    headers: [...request.headers].filter(([name]) => !HELPER_HEADERS.has(name)),
    body,
    bodyBytes: size,
    sentMembers: findSentMembers(body),
    via: isApi ? 'host.api' : dest === 'empty' ? 'fetch' : 'element',
    load: Number.isInteger(load) ? load : null,
    pageId: pageCallIdSchema.safeParse(request.headers.get(CALL_HEADER)).data ?? null,
    frames: parseCallStack(request.headers.get(STACK_HEADER), origin),
    loader: dest === 'empty' ? null : { destination: dest.slice(0, 40), file: referrer, position: null },
    referrer,
    signal: request.signal,
  }
}

/** Picks the facts that the call's exchange does not show, also if a person has edited its body. */
export function getPanelCallFacts({ via, sentMembers }: PageCall): PanelCallFacts {
  return { via, sentMembers }
}

/** Members that the page sent although the host sets them. @see spec §4, §5.6 */
function findSentMembers(body: Buffer | null): PanelCallFacts['sentMembers'] {
  const value = parseBodyText(body?.toString() ?? null)
  const has = (name: string): boolean => isObject(value) && Object.hasOwn(value, name)
  return { confirm: has('confirm'), addon: has('addon') }
}

function readReferrerPath({ headers }: Request, origin: string): string {
  const referrer = headers.get('referer') ?? ''
  if (!referrer.startsWith(`${origin}/`)) return ''
  const { pathname, search } = new URL(referrer)
  return (pathname + search).slice(0, 2_000)
}

async function readBody(request: Request, declared: number): Promise<{ body: Buffer | null; size: number }> {
  if (declared > MAX_BODY_BYTES) return { body: null, size: declared }
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > MAX_BODY_BYTES) return { body: null, size }
    pieces.push(piece)
  }
  return { body: size === 0 ? null : Buffer.concat(pieces), size }
}

/** Converts a call to the form that overrides use. */
export function toPanelRequest(
  { method, headers, body, via }: PageCall,
  { path, query }: CallPath,
  signal: AbortSignal,
): PanelRequest {
  return {
    method,
    path: path + query,
    headers,
    body,
    signal,
    isHostApi: via === 'host.api',
  }
}

export function toMatchedCall({ method, body }: PageCall, { path, query }: CallPath): MatchedCall {
  return { method, path: path + query, getBody: () => parseJsonOr(body, undefined) }
}
