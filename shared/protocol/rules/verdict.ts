import { member } from '../../json/object.ts'
import { Recent, type CallerMemory, type Scene, type Watch } from '../rule.ts'
import { isOk, isRefused, sameness, textAt, textsAt, type Step } from '../step.ts'

interface Card {
  /** What a verdict of this caller replaced, and by what. */
  replaced: { readonly by: string; readonly old: readonly string[]; readonly seq: number } | null
  /** The revision that was refused last. */
  refused: { readonly revision: string; readonly seq: number } | null
  /** The verdict that the host refused because the study set had changed. */
  moved: { readonly request: string; readonly seq: number } | null
}

/** Practice verdicts of one load of a caller, by card (spec §4 practice-verdict, §7). */
export function watchVerdicts(memory: CallerMemory): Watch {
  const cards = new Recent<Card>(500)

  function verdict(step: Step, scene: Scene): void {
    const noteid = step.params['noteid']
    if (noteid === undefined) return
    const card = cards.get(noteid) ?? { replaced: null, refused: null, moved: null }
    cards.set(noteid, card)
    const request = sameness(step)
    if (isRefused(step) && step.code === 'PRACTICE_TOPIC_CHANGED') {
      // The same gives the same result (spec §7), unless the study set was changed back.
      if (card.moved?.request === request) scene.report('verdict-resent', [card.moved.seq, step.seq], { noteid })
      card.moved = { request, seq: step.seq }
      return
    }
    card.moved = null
    const revision = textAt(step.body, 'expectedRevision')
    if (revision === null) return
    if (isOk(step)) {
      memory.addRead(step.seq)
      const by = textAt(step.answer, 'commentsRevision')
      const old = [...(card.replaced?.old ?? []), revision].filter((one) => one !== by).slice(-20)
      card.replaced = by === null ? null : { by, old, seq: step.seq }
      card.refused = null
    } else if (isStale(step)) {
      stale(step, noteid, revision, card, scene)
      card.refused = { revision, seq: step.seq }
    }
  }

  function stale(step: Step, noteid: string, revision: string, card: Card, scene: Scene): void {
    const { replaced, refused } = card
    if (refused?.revision === revision) scene.report('stale-revision', [refused.seq, step.seq], { noteid, revision })
    else if (replaced?.old.includes(revision)) {
      scene.report('stale-revision', [replaced.seq, step.seq], { noteid, revision, current: replaced.by })
    } else if (
      scene.whole &&
      !memory.hasForgottenReads &&
      memory.reads.every((seq) => scene.contains(seq, revision) === false)
    ) {
      scene.report('stale-revision', [step.seq], { noteid, revision })
    }
  }

  /** What it read may have told it a newer revision, or that the study set is there again. */
  function read(step: Step): void {
    for (const card of cards.values()) card.moved = null
    const named = [...textsAt(step.body, 'noteIds'), step.params['noteid'] ?? '']
    for (const noteid of named) {
      const card = cards.get(noteid)
      if (card) card.replaced = card.refused = null
    }
  }

  return {
    step(step, scene) {
      if (step.endpoint === 'notes.practiceVerdict') verdict(step, scene)
      else if (isOk(step)) {
        memory.addRead(step.seq)
        read(step)
      }
    },
    // Another tab may have shared what it read.
    stepBeside(step) {
      if (isOk(step)) read(step)
    },
  }
}

/** Refused because of what it expects, and not for one of the reasons that have a code of their own (spec §7). */
const isStale = (step: Step): boolean =>
  step.state === 'answered' &&
  (step.status === 409 || step.status === 412) &&
  !(step.code ?? '').startsWith('PRACTICE_') &&
  !isBusy(step)

/** The host was doing something else, and says so by its code or by when to ask again. */
function isBusy({ code, answer }: Step): boolean {
  const error = member(answer, 'error')
  const places = [error, member(error, 'details')]
  return (
    /BUSY|LOCKED|_IN_(?:USE|FLIGHT|PROGRESS)$|CANCELLED$/.test(code ?? '') ||
    places.some((place) => member(place, 'retryAfterSeconds') !== undefined)
  )
}
