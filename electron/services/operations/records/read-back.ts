import { createHash } from 'node:crypto'
import { getEndpointById, isJsonEndpointId, findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { isRouteListed } from '../../../../shared/bridge/capabilities.ts'
import { findSessionRecord } from '../../../../shared/bridge/session-record.ts'
import { AppError, toWireError, type WireError } from '../../../../shared/errors.ts'
import type { BridgeClient, BridgeRequest } from '../../bridge/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import { truncateBody } from './stored-body.ts'
import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { parseNoteIds, parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { ReadBack } from '../../../../shared/bridge/endpoints/read-back.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** Maximum number of entries of one command that are read before and after it. */
const MAX_READ_ENTRIES = 50

type Entry = Extract<ReadBack, { kind: 'entry' }>
type Session = Extract<ReadBack, { kind: 'session' }>

/** The data that a command touches, as far as it can be read back. */
export type ReadBackSubject =
  | { readonly kind: 'entries'; readonly by: Entry; readonly ids: readonly string[] }
  | { readonly kind: 'session'; readonly by: Session; readonly requestId: string | null; readonly body: unknown }
  | { readonly kind: 'nothing' }

/** Returns the endpoint's first read-back whose id the command's body or path names. */
export function getReadBackSubject(stored: StoredOperation): ReadBackSubject {
  const { touches } = findEndpointById(stored.endpoint) ?? rowDefaults
  for (const readBack of touches) {
    if (readBack.kind === 'session')
      return { kind: 'session', by: readBack, requestId: stored.requestId, body: parseBodyText(stored.body) }
    const ids = listTouchedIds(readBack, stored)
    if (ids.length > 0) return { kind: 'entries', by: readBack, ids: ids.slice(0, MAX_READ_ENTRIES) }
  }
  return { kind: 'nothing' }
}

function listTouchedIds({ id }: Entry, { endpoint, path, body, noteid, topicid }: StoredOperation): readonly string[] {
  const singleId = { noteid, topicid, deckId: readPathParameter(endpoint, path, id) }[id]
  const ids = id === 'noteid' ? parseNoteIds(body) : []
  return ids.length > 0 || singleId === null ? ids : [singleId]
}

/** The value of a placeholder in a path that begins like the endpoint's path. */
function readPathParameter(endpoint: string, path: string, name: string): string | null {
  const [prefix = '', suffix] = findEndpointById(endpoint)?.path.split(`{${name}}`) ?? []
  if (suffix === undefined || !path.startsWith(prefix)) return null
  const [value = ''] = path.slice(prefix.length).split(/[/?]/, 1)
  return value === '' ? null : decodeURIComponent(value)
}

type ReadBackEvent = Extract<OperationEvent, { kind: 'read-back' }>
type Facts = Readonly<Record<string, unknown>>

/** Short, because the user waits for this before their write, which is sent even if it fails. */
const limits = { connectTimeoutMs: 3_000, idleTimeoutMs: 8_000, totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/**
 * Reads the data that a command touches, independently of the host's reports about the command.
 * Never rejects, because a failure is part of the event.
 * @returns null if nothing of it can be read, or the host does not list the route for it.
 */
export async function readSubject(
  client: BridgeClient,
  host: Pick<ConnectedHost, 'target' | 'instanceNonce' | 'capabilities'>,
  subject: ReadBackSubject,
  when: ReadBackEvent['when'],
  operationId: string,
): Promise<ReadBackEvent | null> {
  if (subject.kind === 'nothing' || isRouteListed(getEndpointById(subject.by.from), host) === false) return null
  const { target, instanceNonce } = host
  const origin = { kind: 'tracker' as const, label: operationId }
  const createEvent = (facts: Facts | null, error: unknown): ReadBackEvent => {
    return { kind: 'read-back', at: Date.now(), when, facts, error, instanceNonce }
  }
  const bridgeRequest = async (request: BridgeRequest): Promise<unknown> =>
    (await client.requestJson(target, { ...request, limits, origin, attempts: 2 })).value
  try {
    const facts = await readFacts(subject, bridgeRequest)
    const { cut: isTooLong } = truncateBody(facts)
    return createEvent(isTooLong ? { digest: computeDigest(facts) } : facts, null)
  } catch (error) {
    return createEvent(null, truncateError(toWireError(error)))
  }
}

/** Limits an error before it is recorded, because a host may have put a long text into it. */
function truncateError({ details, message, ...wire }: WireError): WireError {
  const truncatedDetails = details === undefined ? {} : { details: truncateBody(details).body }
  return { ...wire, message: message.slice(0, 2_000), ...truncatedDetails }
}

/** Stands in for facts that are too long to record, and still shows whether they changed. */
const computeDigest = (facts: Facts): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex')

type ReadableSubject = Exclude<ReadBackSubject, { kind: 'nothing' }>

async function readFacts(
  subject: ReadableSubject,
  request: (request: BridgeRequest) => Promise<unknown>,
): Promise<Facts> {
  const row = getEndpointById(subject.by.from)
  if (subject.kind === 'session') {
    const { requestId, body, by } = subject
    const command = { requestId, attemptId: undefined, recordBefore: null, body, isPause: by.pauses === true }
    const record = findSessionRecord(await request({ endpoint: row }), command)
    if (record === undefined) throw createNothingToReadError(`${row.method} ${row.path}`)
    return record ?? { session: null }
  }
  const { by: readBack, ids } = subject
  const listName = row.response.kind === 'json' ? row.response.list?.member : undefined
  if (!isJsonEndpointId(row.id) || listName === undefined) throw new Error(`${row.id} is no listing`)
  const response = await request({
    endpoint: row,
    ...(readBack.idsMember === undefined ? {} : { body: { [readBack.idsMember]: ids } }),
  })
  const { value, omittedEntryCount: omittedCount } = readResponse(row.id, response)
  const entries: unknown = getMember(value, listName)
  if (!Array.isArray(entries)) throw createNothingToReadError(listName)
  return collectEntryFacts(entries, ids, (entry) => getMember(entry, readBack.id), omittedCount > 0 ? listName : null)
}

/**
 * Collects the members of one entry, or of several with the entry's id as a prefix.
 * @param lossyListName name of a list from which invalid entries were removed, possibly a missing
 *   entry too; null if nothing was removed.
 * @throws NOTHING_TO_READ when an entry is missing from a lossy list
 */
function collectEntryFacts(
  entries: readonly unknown[],
  ids: readonly string[],
  idOf: (entry: unknown) => unknown,
  lossyListName: string | null,
): Facts {
  const facts: Record<string, unknown> = {}
  for (const id of ids) {
    const prefix = ids.length === 1 ? '' : `${id}.`
    const entry = entries.find((candidate) => idOf(candidate) === id)
    if (entry === undefined && lossyListName !== null) throw createNothingToReadError(lossyListName)
    facts[`${prefix}exists`] = entry !== undefined
    for (const [name, value] of Object.entries(isObject(entry) ? entry : {})) {
      facts[prefix + name] = name === 'parts' ? summarizeParts(value) : value
    }
  }
  return facts
}

/** Code of the error for a response without the requested entry. */
export const NOTHING_TO_READ = 'NOTHING_TO_READ'

const createNothingToReadError = (name: string): AppError =>
  new AppError({
    kind: 'malformed',
    code: NOTHING_TO_READ,
    message: `The host’s answer lacks what was requested (${name}).`,
    retryable: false,
    params: { name },
  })

/** Kinds and content ids, in order. Their appearance does not count as a change. */
function summarizeParts(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.map((part: unknown) => (isObject(part) ? [part['kind'] ?? null, part['contentId'] ?? null] : part))
}
