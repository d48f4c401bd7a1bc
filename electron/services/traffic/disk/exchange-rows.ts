import type { SQLOutputValue } from 'node:sqlite'
import { callInitiatorSchema, type CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import type { CoveredExchange } from '../../../../shared/panel/coverage.ts'
import {
  exchangeRowSchema,
  exchangeStates,
  originKinds,
  storedBodySchema,
  timingSchema,
  type ExchangeRow,
  type StoredBody,
} from '../../../../shared/traffic/exchange.ts'
import type { PendingRow } from '../entry.ts'
import { buildSearchText } from '../traffic-filter.ts'

type SqlRow = Readonly<Record<string, SQLOutputValue>>

export interface TimePosition {
  readonly orderedAt: number
  readonly run: number
}

/** The columns of an exchange, in the order of `toColumnValues`. */
export const EXCHANGE_COLUMNS = [
  'id',
  'grp',
  'attempt',
  'started_at',
  'duration_ms',
  'timing',
  'method',
  'path',
  'endpoint',
  'template',
  'search',
  'origin',
  'label',
  'state',
  'status',
  'code',
  'epoch',
  'instance',
  'host',
  'request_bytes',
  'wire_bytes',
  'bytes',
  'media_type',
  'pinned',
  'rule',
  'caller',
  'load',
  'ordered_at',
  'run',
] as const

export function toColumnValues(row: PendingRow, { orderedAt, run }: TimePosition): (string | number | null)[] {
  return [
    row.id,
    row.group,
    row.attempt,
    row.startedAt,
    row.durationMs,
    JSON.stringify(
      Object.values(timingSchema.parse(row.timing)).map((timestamp) =>
        timestamp === null ? null : Math.round(timestamp * 100) / 100,
      ),
    ),
    row.method,
    row.path,
    row.endpoint,
    row.template,
    buildSearchText(row),
    row.origin.kind,
    row.origin.label,
    row.state,
    row.status,
    row.errorCode,
    row.epoch,
    row.instance,
    row.host,
    row.requestBytes,
    row.wireBytes,
    row.bytes,
    row.mediaType,
    row.pinned ? 1 : 0,
    row.rule,
    row.origin.caller ?? null,
    row.origin.load ?? null,
    orderedAt,
    run,
  ]
}

/** Returns null if a different program wrote the row in a form that is not valid here. */
export function parseExchangeRow(stored: SqlRow): ExchangeRow | null {
  const timings = parseStoredJson(stored['timing'])
  const [queued = null, connected = null, sentAt = null, firstByte = null, lastByte = null] = Array.isArray(timings)
    ? (timings as unknown[])
    : []
  const parsed = exchangeRowSchema.safeParse({
    seq: stored['seq'],
    id: stored['id'],
    startedAt: stored['started_at'],
    durationMs: stored['duration_ms'],
    timing: { queued, connected, sent: sentAt, firstByte, lastByte },
    method: stored['method'],
    path: stored['path'],
    endpoint: stored['endpoint'],
    template: stored['template'],
    origin: {
      kind: stored['origin'],
      label: stored['label'],
      ...(stored['caller'] === null ? {} : { caller: stored['caller'] }),
      ...(stored['load'] === null ? {} : { load: stored['load'] }),
    },
    state: stored['state'],
    status: stored['status'],
    errorCode: stored['code'],
    attempt: stored['attempt'],
    group: stored['grp'],
    epoch: stored['epoch'],
    instance: stored['instance'],
    host: stored['host'],
    requestBytes: stored['request_bytes'],
    wireBytes: stored['wire_bytes'],
    bytes: stored['bytes'],
    mediaType: stored['media_type'],
    pinned: stored['pinned'] === 1,
    rule: stored['rule'],
  })
  return parsed.success ? parsed.data : null
}

/** The columns that `parseCoveredExchange` reads. */
export const COVERAGE_COLUMNS =
  'seq, origin, label, caller, method, path, endpoint, template, state, status, code, bytes, media_type, rule, duration_ms'

/** Reads only what coverage counts, because a schema for every row takes several times as long. */
export function parseCoveredExchange(stored: SqlRow): CoveredExchange | null {
  const kind = originKinds.find((origin) => origin === stored['origin'])
  const state = exchangeStates.find((name) => name === stored['state'])
  if (kind === undefined || state === undefined) return null
  const toText = (value: SQLOutputValue | undefined): string | null => (typeof value === 'string' ? value : null)
  const toNumber = (value: SQLOutputValue | undefined): number | null => (typeof value === 'number' ? value : null)
  const caller = toText(stored['caller'])
  return {
    origin: { kind, label: toText(stored['label']), ...(caller === null ? {} : { caller }) },
    method: toText(stored['method']) ?? '',
    path: toText(stored['path']) ?? '',
    endpoint: toText(stored['endpoint']),
    template: toText(stored['template']) ?? '',
    state,
    status: toNumber(stored['status']),
    errorCode: toText(stored['code']),
    bytes: toNumber(stored['bytes']) ?? 0,
    mediaType: toText(stored['media_type']) ?? '',
    rule: toText(stored['rule']),
    durationMs: toNumber(stored['duration_ms']),
  }
}

const REMOVED_BODY: StoredBody = { total: null, kept: 0, missing: 'removed', hash: null, mediaType: '' }

export function parseKeptBody(stored: SQLOutputValue | undefined): StoredBody {
  const parsed = storedBodySchema.safeParse(parseStoredJson(stored))
  return parsed.success ? parsed.data : REMOVED_BODY
}

/** Returns undefined if nothing is known of the initiator. */
export function parseStoredInitiator(stored: SQLOutputValue | undefined): CallInitiator | undefined {
  return stored === null ? undefined : callInitiatorSchema.safeParse(parseStoredJson(stored)).data
}

/** Returns undefined if the column is not JSON. */
export function parseStoredJson(stored: SQLOutputValue | undefined): unknown {
  try {
    return typeof stored === 'string' ? (JSON.parse(stored) as unknown) : undefined
  } catch {
    return undefined
  }
}
