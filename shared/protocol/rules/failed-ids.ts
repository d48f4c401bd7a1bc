import { getMember } from '../../json/object.ts'
import { getNamedIds, isWrite, isSuccess, isRefused, getText, type ObservedExchange } from '../observed-exchange.ts'
import { BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'

interface FailedId {
  readonly seq: number
  readonly end: number
  readonly how: 'named' | 'made'
  /** Exchanges of this caller since then. */
  since: number
  /** Reads since then that may have named it. */
  readonly reads: number[]
}

/** The next exchanges in which it counts. */
const FOLLOWED_EXCHANGES = 10

/** Which kind of id a code says is unknown. */
export const unknownIdCodePattern =
  /^(NOTE|CARD|TOPIC|STUDY_?SET|NOTEBOOK|DECK|DOCUMENT|BOOK)S?_(?:ID_)?(?:NOT_FOUND|UNKNOWN|MISSING|GONE)$/

/** Rows that create something, with the members that name it. */
const createdIdMembers: Readonly<Record<string, readonly string[]>> = {
  'notes.blankBands': ['physicalNoteId'],
  'studySets.create': ['topicid', 'studySetId'],
  'decks.create': ['deckId', 'topicid'],
}

/** A write on an id that only a failed write named or made (spec §4 blank-bands: never treated as created; §7). */
export function createFailedIdRule(): RuleState {
  const failed = new BoundedMap<FailedId>(100)

  function judge(step: ObservedExchange, scene: RuleContext): void {
    const { cards, topics, documents } = getNamedIds(step)
    for (const id of [...cards, ...topics, ...documents]) {
      const one = failed.get(id)
      // What was on its way already could not know.
      if (!one || step.startedAt < one.end || one.since > FOLLOWED_EXCHANGES) continue
      // The host took it: by now it is there.
      if (isSuccess(step) && one.how === 'named') continue
      if (one.reads.some((seq) => scene.responseContains(seq, id) !== false)) continue
      scene.report('write-on-failed-id', [one.seq, step.seq], { id, how: one.how }, id)
      failed.delete(id)
      return
    }
  }

  function learn(step: ObservedExchange): void {
    const fresh = { seq: step.seq, end: step.endedAt, since: 0, reads: [] }
    const kind = unknownIdCodePattern.exec(step.code ?? '')?.[1]
    if (step.status === 404 && kind !== undefined) {
      const { cards, topics, documents } = getNamedIds(step)
      const ids = /^(?:NOTE|CARD)$/.test(kind) ? cards : /^(?:DOCUMENT|BOOK)$/.test(kind) ? documents : topics
      // Of several it does not say which one.
      if (ids.length === 1 && ids[0] !== undefined) failed.set(ids[0], { ...fresh, how: 'named', reads: [] })
    }
    const error = getMember(step.response, 'error')
    const places = [
      step.response,
      error,
      getMember(error, 'details'),
      getMember(step.response, 'band'),
      getMember(getMember(error, 'details'), 'band'),
    ]
    // Without `confirm` nothing was tried, and a preview names what is there.
    if (step.code === 'CONFIRM_REQUIRED') return
    for (const name of createdIdMembers[step.endpoint ?? ''] ?? []) {
      for (const place of places) {
        const id = getText(place, name)
        if (id !== null && !getNamedIds(step).cards.includes(id)) failed.set(id, { ...fresh, how: 'made', reads: [] })
      }
    }
  }

  function learnRead(step: ObservedExchange): void {
    if (isSuccess(step))
      for (const one of failed.values()) if (one.since <= FOLLOWED_EXCHANGES) one.reads.push(step.seq)
  }

  return {
    observeSibling: learnRead,
    observe(step, scene) {
      for (const one of failed.values()) one.since += 1
      if (!isWrite(step)) return learnRead(step)
      judge(step, scene)
      if (isRefused(step)) learn(step)
      // What was written with success is there.
      else if (isSuccess(step)) for (const id of Object.values(getNamedIds(step)).flat()) failed.delete(id)
    },
  }
}
