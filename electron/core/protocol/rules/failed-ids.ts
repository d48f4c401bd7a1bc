import { getMember } from '../../../../shared/json/object.ts'
import {
  getNamedIds,
  isWrite,
  isSuccess,
  isRefused,
  getTextMember,
  type ObservedExchange,
} from '../observed-exchange.ts'
import { BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'

interface FailedId {
  readonly seq: number
  readonly end: number
  readonly source: 'named' | 'made'
  since: number
  /** The `seq` of reads after the failure that may have returned the id. */
  readonly reads: number[]
}

/** After this many further exchanges, a write on a failed id is no longer reported. */
const FOLLOWED_EXCHANGES = 10

/** The first group is the kind of id that the host does not know. */
export const unknownIdCodePattern =
  /^(NOTE|CARD|TOPIC|STUDY_?SET|NOTEBOOK|DECK|DOCUMENT|BOOK)S?_(?:ID_)?(?:NOT_FOUND|UNKNOWN|MISSING|GONE)$/

/** The writes that create an object, and the members of the response that contain its id. */
const createdIdMembers: Readonly<Record<string, readonly string[]>> = {
  'notes.blankBands': ['physicalNoteId'],
  'studySets.create': ['topicid', 'studySetId'],
  'decks.create': ['deckId', 'topicid'],
}

/** Reports a write on an id that only a failed write named or created (spec §4 blank-bands, §7). */
export function createFailedIdRule(): RuleState {
  const failedIds = new BoundedMap<FailedId>(100)

  function judgeWrite(exchange: ObservedExchange, context: RuleContext): void {
    const { cards, topics, documents } = getNamedIds(exchange)
    for (const id of [...cards, ...topics, ...documents]) {
      const failedId = failedIds.get(id)
      // A request that began before the failure could not take it into account.
      if (!failedId || exchange.startedAt < failedId.end || failedId.since > FOLLOWED_EXCHANGES) continue
      // The host accepted the request, so the id exists now.
      if (isSuccess(exchange) && failedId.source === 'named') continue
      if (failedId.reads.some((seq) => context.responseContains(seq, id) !== false)) continue
      context.report('write-on-failed-id', [failedId.seq, exchange.seq], { id, how: failedId.source }, id)
      failedIds.delete(id)
      return
    }
  }

  function recordFailedIds(exchange: ObservedExchange): void {
    const newEntry = { seq: exchange.seq, end: exchange.endedAt, since: 0, reads: [] }
    const kind = unknownIdCodePattern.exec(exchange.code ?? '')?.[1]
    if (kind !== undefined) {
      const { cards, topics, documents } = getNamedIds(exchange)
      const ids = /^(?:NOTE|CARD)$/.test(kind) ? cards : /^(?:DOCUMENT|BOOK)$/.test(kind) ? documents : topics
      // If there are several ids, the error does not tell which of them is unknown.
      if (ids.length === 1 && ids[0] !== undefined) failedIds.set(ids[0], { ...newEntry, source: 'named', reads: [] })
    }
    const error = getMember(exchange.response, 'error')
    const containers = [
      exchange.response,
      error,
      getMember(error, 'details'),
      getMember(exchange.response, 'band'),
      getMember(getMember(error, 'details'), 'band'),
    ]
    // Without `confirm` the host changes nothing; a preview contains ids of existing objects.
    if (exchange.code === 'CONFIRM_REQUIRED') return
    for (const name of createdIdMembers[exchange.endpoint ?? ''] ?? []) {
      for (const place of containers) {
        const id = getTextMember(place, name)
        if (id !== null && !getNamedIds(exchange).cards.includes(id))
          failedIds.set(id, { ...newEntry, source: 'made', reads: [] })
      }
    }
  }

  function recordRead(exchange: ObservedExchange): void {
    if (isSuccess(exchange))
      for (const failedId of failedIds.values())
        if (failedId.since <= FOLLOWED_EXCHANGES) failedId.reads.push(exchange.seq)
  }

  return {
    observeSibling: recordRead,
    observe(exchange, context) {
      for (const failedId of failedIds.values()) failedId.since += 1
      if (!isWrite(exchange)) return recordRead(exchange)
      judgeWrite(exchange, context)
      if (isRefused(exchange)) recordFailedIds(exchange)
      // A successful write proves that its ids exist.
      else if (isSuccess(exchange)) for (const id of Object.values(getNamedIds(exchange)).flat()) failedIds.delete(id)
    },
  }
}
