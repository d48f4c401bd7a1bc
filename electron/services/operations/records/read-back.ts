import { createHash } from 'node:crypto'
import { getEndpointById, isJsonEndpointId, findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { findSessionRecord } from '../../../../shared/bridge/session-record.ts'
import { AppError, toWireError, type WireError } from '../../../../shared/errors.ts'
import type { BridgeClient, BridgeRequest, BridgeTarget } from '../../bridge/types.ts'
import { truncateBody } from './stored-body.ts'
import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { parseNoteIds, parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { ReadBack } from '../../../../shared/bridge/endpoints/read-back.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** How many things of one command are read before and after it; of more, only the first. */
const MAX_ENTRIES = 50

type Entry = Extract<ReadBack, { kind: 'entry' }>
type Session = Extract<ReadBack, { kind: 'session' }>

/** What a command touches, as far as it can be read, and where. */
export type ReadBackSubject =
  | { readonly kind: 'entries'; readonly by: Entry; readonly ids: readonly string[] }
  | { readonly kind: 'session'; readonly by: Session; readonly requestId: string | null; readonly body: unknown }
  | { readonly kind: 'nothing' }

/** What a record's command touches: the first of its row's read-backs whose id its body or path names. */
export function getReadBackSubject(stored: StoredOperation): ReadBackSubject {
  const { touches } = findEndpointById(stored.endpoint) ?? rowDefaults
  for (const by of touches) {
    if (by.kind === 'session')
      return { kind: 'session', by, requestId: stored.requestId, body: parseBodyText(stored.body) }
    const ids = idsOf(by, stored)
    if (ids.length > 0) return { kind: 'entries', by, ids: ids.slice(0, MAX_ENTRIES) }
  }
  return { kind: 'nothing' }
}

function idsOf({ id }: Entry, { endpoint, path, body, noteid, topicid }: StoredOperation): readonly string[] {
  const one = { noteid, topicid, deckId: inPath(endpoint, path, id) }[id]
  const several = id === 'noteid' ? parseNoteIds(body) : []
  return several.length > 0 || one === null ? several : [one]
}

/** The value of a placeholder in a path that begins like the row's. */
function inPath(endpoint: string, path: string, name: string): string | null {
  const [start = '', rest] = findEndpointById(endpoint)?.path.split(`{${name}}`) ?? []
  if (rest === undefined || !path.startsWith(start)) return null
  const [value = ''] = path.slice(start.length).split(/[/?]/, 1)
  return value === '' ? null : decodeURIComponent(value)
}

type ReadBackEvent = Extract<OperationEvent, { kind: 'read-back' }>
type Facts = Readonly<Record<string, unknown>>

/** The user waits for a read-back before their write, so it is short, and its failure stops nothing. */
const limits = { connectTimeoutMs: 3_000, idleTimeoutMs: 8_000, totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/**
 * Reads what a command touches, independently of what the host says about the command. Never rejects: what could not be read is part of
 * the event. Null if nothing of it can be read.
 */
export async function readSubject(
  client: BridgeClient,
  { target, instanceNonce }: { readonly target: BridgeTarget; readonly instanceNonce: string | null },
  subject: ReadBackSubject,
  when: ReadBackEvent['when'],
  operationId: string,
): Promise<ReadBackEvent | null> {
  if (subject.kind === 'nothing') return null
  const origin = { kind: 'tracker' as const, label: operationId }
  const event = (facts: Facts | null, error: unknown): ReadBackEvent => {
    return { kind: 'read-back', at: Date.now(), when, facts, error, instanceNonce: instanceNonce }
  }
  const ask = async (request: BridgeRequest): Promise<unknown> =>
    (await client.requestJson(target, { ...request, limits, origin, attempts: 2 })).value
  try {
    const facts = await factsOf(subject, ask)
    const { cut } = truncateBody(facts)
    return event(cut ? { digest: digestOf(facts) } : facts, null)
  } catch (error) {
    return event(null, shortened(toWireError(error)))
  }
}

/** An error as a record keeps it: a host may have put a long text into it. */
function shortened({ details, message, ...wire }: WireError): WireError {
  const kept = details === undefined ? {} : { details: truncateBody(details).body }
  return { ...wire, message: message.slice(0, 2_000), ...kept }
}

/** Stands in for facts that are too many to keep: it still shows whether they changed. */
const digestOf = (facts: Facts): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex')

type Known = Exclude<ReadBackSubject, { kind: 'nothing' }>

async function factsOf(subject: Known, ask: (request: BridgeRequest) => Promise<unknown>): Promise<Facts> {
  const row = getEndpointById(subject.by.from)
  if (subject.kind === 'session') {
    const { requestId, body, by } = subject
    const command = { requestId, attemptId: undefined, recordBefore: null, body, isPause: by.pauses === true }
    const record = findSessionRecord(await ask({ endpoint: row }), command)
    if (record === undefined) throw nothingIn(`${row.method} ${row.path}`)
    return record ?? { session: null }
  }
  const { by, ids } = subject
  const list = row.response.kind === 'json' ? row.response.list?.member : undefined
  if (!isJsonEndpointId(row.id) || list === undefined) throw new Error(`${row.id} is no listing`)
  const answer = await ask({ endpoint: row, ...(by.ask === undefined ? {} : { body: { [by.ask]: ids } }) })
  const { value, omittedEntryCount: left } = readResponse(row.id, answer)
  const entries: unknown = getMember(value, list)
  if (!Array.isArray(entries)) throw nothingIn(list)
  return entryFacts(entries, ids, (entry) => getMember(entry, by.id), left > 0 ? list : null)
}

/**
 * For one entry, its members; for several, the same prefixed with the entry's id. `lossy`: name of a list that lost entries, of which an
 * entry that is missing may be one. Throws `NOTHING_TO_READ`.
 */
function entryFacts(
  entries: readonly unknown[],
  ids: readonly string[],
  idOf: (entry: unknown) => unknown,
  lossy: string | null,
): Facts {
  const facts: Record<string, unknown> = {}
  for (const id of ids) {
    const prefix = ids.length === 1 ? '' : `${id}.`
    const entry = entries.find((one) => idOf(one) === id)
    if (entry === undefined && lossy !== null) throw nothingIn(lossy)
    facts[`${prefix}exists`] = entry !== undefined
    for (const [name, value] of Object.entries(isObject(entry) ? entry : {})) {
      facts[prefix + name] = name === 'parts' ? partsOf(value) : value
    }
  }
  return facts
}

/** The host answered, and its answer lacks what was asked for. */
export const NOTHING_TO_READ = 'NOTHING_TO_READ'

const nothingIn = (name: string): AppError =>
  new AppError({
    kind: 'malformed',
    code: NOTHING_TO_READ,
    message: `The host’s answer lacks what was requested (${name}).`,
    retryable: false,
    params: { name },
  })

/** Which parts there are, and in what order; what each one looks like does not matter here. */
function partsOf(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.map((part: unknown) => (isObject(part) ? [part['kind'] ?? null, part['contentId'] ?? null] : part))
}
