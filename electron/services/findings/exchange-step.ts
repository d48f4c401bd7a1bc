import { findEndpointById, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { decodePercent, listPlaceholders, matchPathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'
import { HELD_MARK, isBreakpointMark } from '../../../shared/panel/breakpoints.ts'
import type { ObservedExchange } from '../../core/protocol/observed-exchange.ts'
import { NOT_SENT_MARK } from '../../../shared/panel/panel.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { findMembersInLongJson } from './long-json.ts'

/** Facts about a panel's call that its exchange does not show. */
export interface PanelCallFacts {
  readonly via: NonNullable<ObservedExchange['via']>
  readonly sentMembers: NonNullable<ObservedExchange['sentMembers']>
}

/** A stored exchange with its bodies; a body is null if it is unknown or incomplete. */
export interface StoredExchange {
  readonly row: ExchangeRow
  /** Epoch milliseconds of a monotonic clock, as in `RawEntry`. */
  readonly beganAt: number
  readonly endedAt: number
  readonly request: Uint8Array | null
  readonly response: Uint8Array | null
  readonly panelCall?: PanelCallFacts | undefined
}

/** Capabilities have a higher limit, because a host may list hundreds of routes. */
const MAX_PARSED_BYTES = 65_536
const MAX_CAPABILITIES_BYTES = 1_048_576
/** Endpoints whose successful responses some rule reads. Error responses are read everywhere. */
const INSPECTED_ENDPOINTS: ReadonlySet<string> = new Set([
  'writing.pencilCommit',
  'writing.pencilResult',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
  'notes.practiceVerdict',
  'notes.blankBands',
  'studySets.create',
  'decks.create',
  'studySets.tree',
  'capabilities.get',
])
const LISTING_MEMBERS = ['nextCursor', 'walkLimitReached']

export function canInspectResponse({ errorCode, endpoint }: ExchangeRow): boolean {
  return errorCode !== null || (endpoint !== null && INSPECTED_ENDPOINTS.has(endpoint))
}

export function toExchangeStep({
  row,
  beganAt,
  endedAt,
  request,
  response,
  panelCall,
}: StoredExchange): ObservedExchange {
  const { seq, origin, host, instance, endpoint, method, path, state, status, errorCode, attempt } = row
  const parameters = new URLSearchParams(path.includes('?') ? path.slice(path.indexOf('?') + 1) : '')
  const query = new Map([...parameters].reverse())
  const parse = endpoint === 'capabilities.get' ? parseCapabilities : parseBody
  const parsedResponse = canInspectResponse(row) && response ? parse(response, endpoint) : undefined
  const common = {
    seq,
    startedAt: beganAt,
    endedAt,
    origin,
    host,
    instance,
    endpoint,
    method,
    path,
    query,
    state,
    status,
  }
  const body = request ? parseBody(request, null) : undefined
  const isBodyKnown = body !== undefined || row.requestBytes === 0
  return {
    ...common,
    params: getPathParameters(row),
    code: errorCode,
    attempt,
    body,
    isBodyKnown,
    response: parsedResponse,
    via: panelCall?.via ?? null,
    sentMembers: panelCall?.sentMembers ?? null,
    isHeld: isBreakpointMark(row.rule),
    // The responses of overrides that change the host's are left out too.
    isHostResponse: row.rule === null || row.rule === HELD_MARK,
    isJudged: row.rule !== NOT_SENT_MARK,
  }
}

/** The last capabilities, because clients that poll them get the same ones again and again. */
let lastCapabilities: { readonly bytes: Uint8Array; readonly value: unknown } | null = null

/** Returns the same object for capabilities that equal those before. */
function parseCapabilities(bytes: Uint8Array): unknown {
  if (lastCapabilities !== null && Buffer.compare(lastCapabilities.bytes, bytes) === 0) return lastCapabilities.value
  const value = parseBody(bytes, 'capabilities.get')
  lastCapabilities = bytes.byteLength > MAX_CAPABILITIES_BYTES ? null : { bytes: bytes.slice(), value }
  return value
}

function parseBody(bytes: Uint8Array, endpoint: string | null): unknown {
  if (bytes.byteLength === 0) return undefined
  const max = endpoint === 'capabilities.get' ? MAX_CAPABILITIES_BYTES : MAX_PARSED_BYTES
  if (bytes.byteLength > max)
    return endpoint === 'studySets.tree' ? findMembersInLongJson(bytes, LISTING_MEMBERS) : undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

/** Uses the recorded template: a host may serve an endpoint elsewhere than the table says. */
function getPathParameters({ method, path, template, endpoint }: ExchangeRow): Record<string, string> {
  const names = listPlaceholders(endpoint === null ? template : (findEndpointById(endpoint)?.path ?? template))
  if (endpoint !== null && names.length === 0) return {}
  const values = matchPathTemplate(template, path.split('?', 1)[0] ?? '')
  if (!values || !template.includes('{')) return { ...classifyRequest(method, path).params }
  return Object.fromEntries(names.map((name, index) => [name, decodePercent(values[index] ?? '')]))
}
