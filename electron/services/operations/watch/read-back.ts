import { createHash } from 'node:crypto'
import { endpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { readAnswer } from '../../../../shared/bridge/read-answer.ts'
import type { OperationEvent } from '../../../../shared/bridge/operation-states.ts'
import { sessionRecordOf } from '../../../../shared/bridge/session-record.ts'
import { AppError, toWire, type WireError } from '../../../../shared/errors.ts'
import type { BridgeClient, BridgeRequest, BridgeTarget } from '../../bridge/types.ts'
import { keptBody } from '../records/kept-body.ts'
import type { Subject } from './subject.ts'
import { isObject } from '../../../../shared/json/object.ts'

type ReadBack = Extract<OperationEvent, { kind: 'read-back' }>
type Facts = Readonly<Record<string, unknown>>

/** The user waits for a read-back before their write, so it is short, and its failure stops nothing. */
const limits = { connectTimeoutMs: 3_000, idleTimeoutMs: 8_000, totalTimeoutMs: 15_000, maxBytes: 4 * 1024 * 1024 }

/**
 * Reads what a command touches, independently of what the host says about the command. Never rejects: what could not be read is part of
 * the event. Null if nothing of it can be read.
 */
export async function readBack(
  client: BridgeClient,
  { target, nonce }: { readonly target: BridgeTarget; readonly nonce: string | null },
  subject: Subject,
  when: ReadBack['when'],
): Promise<ReadBack | null> {
  if (subject.kind === 'nothing') return null
  const event = (facts: Facts | null, error: unknown): ReadBack => {
    return { kind: 'read-back', at: Date.now(), when, facts, error, instanceNonce: nonce }
  }
  const ask = async (request: BridgeRequest): Promise<unknown> =>
    (await client.requestJson(target, { ...request, limits, attempts: 2 })).value
  try {
    const facts = await factsOf(subject, ask)
    const { cut } = keptBody(facts)
    return event(cut ? { digest: digestOf(facts) } : facts, null)
  } catch (error) {
    return event(null, shortened(toWire(error)))
  }
}

/** An error as a record keeps it: a host may have put a long text into it. */
function shortened({ details, message, ...wire }: WireError): WireError {
  const kept = details === undefined ? {} : { details: keptBody(details).body }
  return { ...wire, message: message.slice(0, 2_000), ...kept }
}

/** Stands in for facts that are too many to keep: it still shows whether they changed. */
const digestOf = (facts: Facts): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex')

async function factsOf(
  subject: Exclude<Subject, { kind: 'nothing' }>,
  ask: (r: BridgeRequest) => Promise<unknown>,
): Promise<Facts> {
  switch (subject.kind) {
    case 'cards': {
      const { noteIds } = subject
      return cardFacts(await ask({ endpoint: endpoint('notes.batchGet'), body: { noteIds } }), noteIds)
    }
    case 'session': {
      const command = { requestId: subject.requestId, attemptId: undefined, before: null }
      const record = sessionRecordOf(await ask({ endpoint: endpoint('writing.context') }), command)
      if (record === undefined) throw nothingIn('GET /writing/context')
      return record ?? { session: null }
    }
    case 'study-set':
      return studySetFacts(await ask({ endpoint: endpoint('studySets.list') }), subject.topicid)
    case 'deck':
      return deckFacts(await ask({ endpoint: endpoint('decks.list') }), subject.deckId)
  }
}

/** For one card, its members; for several, the same prefixed with the card's id. Throws `NOTHING_TO_READ`. */
function cardFacts(answer: unknown, noteIds: readonly string[]): Facts {
  const { value, left } = readAnswer('notes.batchGet', answer)
  if (value === undefined) throw nothingIn('items')
  const facts: Record<string, unknown> = {}
  for (const id of noteIds) {
    const prefix = noteIds.length === 1 ? '' : `${id}.`
    const item = foundIn(value.items, left, 'items', ({ noteid }) => noteid === id)
    facts[`${prefix}exists`] = item !== undefined
    for (const [name, value] of Object.entries(item ?? {})) {
      facts[prefix + name] = name === 'parts' ? partsOf(value) : value
    }
  }
  return facts
}

/** The entry, or undefined if there is none; an unusable entry may be the very one. Throws `NOTHING_TO_READ`. */
function foundIn<E>(list: readonly E[], left: number, name: string, is: (entry: E) => boolean): E | undefined {
  const entry = list.find(is)
  if (entry === undefined && left > 0) throw nothingIn(name)
  return entry
}

const nothingIn = (name: string): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'NOTHING_TO_READ',
    message: `The host’s answer lacks what was requested (${name}).`,
    retryable: false,
    params: { name },
  })

/** Which parts there are, and in what order; what each one looks like does not matter here. */
function partsOf(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.map((part: unknown) => (isObject(part) ? [part['kind'] ?? null, part['contentId'] ?? null] : part))
}

function studySetFacts(answer: unknown, id: string): Facts {
  const { value, left } = readAnswer('studySets.list', answer)
  if (value === undefined) throw nothingIn('studySets')
  const entry = foundIn(value.studySets, left, 'studySets', ({ topicid }) => topicid === id)
  return { exists: entry !== undefined, ...entry }
}

function deckFacts(answer: unknown, id: string): Facts {
  const { value, left } = readAnswer('decks.list', answer)
  if (value === undefined) throw nothingIn('decks')
  const entry = foundIn(value.decks, left, 'decks', ({ deckId }) => deckId === id)
  return { exists: entry !== undefined, ...entry }
}
