import { member } from '../../json/object.ts'
import { namedIds, isWrite, isOk, isRefused, textAt, type Step } from '../step.ts'
import { Recent, type Scene, type Watch } from '../rule.ts'

interface Failed {
  readonly seq: number
  readonly end: number
  readonly how: 'named' | 'made'
  /** Exchanges of this caller since then. */
  since: number
  /** Reads since then that may have named it. */
  readonly reads: number[]
}

/** The next exchanges in which it counts. */
const NEXT = 10

/** Which kind of id a code says is unknown. */
export const unknownIdCode =
  /^(NOTE|CARD|TOPIC|STUDY_?SET|NOTEBOOK|DECK|DOCUMENT|BOOK)S?_(?:ID_)?(?:NOT_FOUND|UNKNOWN|MISSING|GONE)$/

/** Rows that create something, with the members that name it. */
const made: Readonly<Record<string, readonly string[]>> = {
  'notes.blankBands': ['physicalNoteId'],
  'studySets.create': ['topicid', 'studySetId'],
  'decks.create': ['deckId', 'topicid'],
}

/** A write on an id that only a failed write named or made (spec §4 blank-bands: never treated as created; §7). */
export function watchFailedIds(): Watch {
  const failed = new Recent<Failed>(100)

  function judge(step: Step, scene: Scene): void {
    const { cards, topics, documents } = namedIds(step)
    for (const id of [...cards, ...topics, ...documents]) {
      const one = failed.get(id)
      // What was on its way already could not know.
      if (!one || step.at < one.end || one.since > NEXT) continue
      // The host took it: by now it is there.
      if (isOk(step) && one.how === 'named') continue
      if (one.reads.some((seq) => scene.contains(seq, id) !== false)) continue
      scene.report('write-on-failed-id', [one.seq, step.seq], { id, how: one.how }, id)
      failed.delete(id)
      return
    }
  }

  function learn(step: Step): void {
    const fresh = { seq: step.seq, end: step.end, since: 0, reads: [] }
    const kind = unknownIdCode.exec(step.code ?? '')?.[1]
    if (step.status === 404 && kind !== undefined) {
      const { cards, topics, documents } = namedIds(step)
      const ids = /^(?:NOTE|CARD)$/.test(kind) ? cards : /^(?:DOCUMENT|BOOK)$/.test(kind) ? documents : topics
      // Of several it does not say which one.
      if (ids.length === 1 && ids[0] !== undefined) failed.set(ids[0], { ...fresh, how: 'named', reads: [] })
    }
    const error = member(step.answer, 'error')
    const places = [
      step.answer,
      error,
      member(error, 'details'),
      member(step.answer, 'band'),
      member(member(error, 'details'), 'band'),
    ]
    // Without `confirm` nothing was tried, and a preview names what is there.
    if (step.code === 'CONFIRM_REQUIRED') return
    for (const name of made[step.endpoint ?? ''] ?? []) {
      for (const place of places) {
        const id = textAt(place, name)
        if (id !== null && !namedIds(step).cards.includes(id)) failed.set(id, { ...fresh, how: 'made', reads: [] })
      }
    }
  }

  function learnRead(step: Step): void {
    if (isOk(step)) for (const one of failed.values()) if (one.since <= NEXT) one.reads.push(step.seq)
  }

  return {
    stepBeside: learnRead,
    step(step, scene) {
      for (const one of failed.values()) one.since += 1
      if (!isWrite(step)) return learnRead(step)
      judge(step, scene)
      if (isRefused(step)) learn(step)
      // What was written with success is there.
      else if (isOk(step)) for (const id of Object.values(namedIds(step)).flat()) failed.delete(id)
    },
  }
}
