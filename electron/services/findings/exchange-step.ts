import { findEndpointById, classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import {
  decodePercent,
  listPlaceholders,
  createTemplatePattern,
} from '../../../shared/bridge/endpoints/path-template.ts'
import type { ObservedExchange } from '../../../shared/protocol/observed-exchange.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { findMembersInLongJson } from './long-json.ts'

/** What a panel's page did, as far as its exchange does not show it. */
export interface PanelCallFacts {
  readonly via: NonNullable<ObservedExchange['via']>
  readonly sent: NonNullable<ObservedExchange['sentMembers']>
}

/** A kept exchange, with the bytes of its bodies as far as they are whole; null for what is not known. */
export interface StoredExchange {
  readonly row: ExchangeRow
  /** As in `RawEntry`. */
  readonly beganAt: number
  readonly endedAt: number
  readonly request: Uint8Array | null
  readonly response: Uint8Array | null
}

/** Bodies up to this size are parsed; the capabilities of a host that lists all its routes may be longer. */
const MAX_PARSED_BYTES = 65_536
const MAX_CAPABILITIES_BYTES = 1_048_576
/** Answers to a success that rules look at; every refusal is looked at. */
const read: ReadonlySet<string> = new Set([
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
const ofListing = ['nextCursor', 'walkLimitReached']

/** Whether a rule may look at what was answered. */
export const canInspectResponse = ({ errorCode, endpoint }: ExchangeRow): boolean =>
  errorCode !== null || (endpoint !== null && read.has(endpoint))

/** The exchange as the rules see it. */
export function toExchangeStep({ row, beganAt, endedAt, request, response }: StoredExchange): ObservedExchange {
  const { seq, origin, host, instance, endpoint, method, path, state, status, errorCode, attempt } = row
  const parameters = new URLSearchParams(path.includes('?') ? path.slice(path.indexOf('?') + 1) : '')
  const query = new Map([...parameters].reverse())
  const answer = canInspectResponse(row) && response ? valueOf(response, endpoint) : undefined
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
  const body = request ? valueOf(request, null) : undefined
  const isBodyKnown = body !== undefined || row.requestBytes === 0
  return {
    ...common,
    params: paramsOf(row),
    code: errorCode,
    attempt,
    body,
    isBodyKnown,
    response: answer,
    via: null,
    sentMembers: null,
  }
}

function valueOf(bytes: Uint8Array, endpoint: string | null): unknown {
  if (bytes.byteLength === 0) return undefined
  const max = endpoint === 'capabilities.get' ? MAX_CAPABILITIES_BYTES : MAX_PARSED_BYTES
  if (bytes.byteLength > max) return endpoint === 'studySets.tree' ? findMembersInLongJson(bytes, ofListing) : undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

/** By the template under which it was recorded: a host may serve a row elsewhere. */
function paramsOf({ method, path, template, endpoint }: ExchangeRow): Record<string, string> {
  const bare = path.split('?', 1)[0] ?? ''
  const match = createTemplatePattern(template).exec(bare)
  const names = listPlaceholders(endpoint === null ? template : (findEndpointById(endpoint)?.path ?? template))
  if (!match || !template.includes('{')) return { ...classifyRequest(method, path).params }
  return Object.fromEntries(names.map((name, at) => [name, decodePercent(match[at + 1] ?? '')]))
}
