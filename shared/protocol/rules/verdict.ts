import { getMember } from '../../json/object.ts'
import { BoundedMap, type CallerMemory, type RuleContext, type RuleState } from '../rule-state.ts'
import { isSuccess, isRefused, toRequestKey, getText, getTexts, type ObservedExchange } from '../observed-exchange.ts'

interface Card {
  /** What a verdict of this caller replaced, and by what. */
  replaced: { readonly by: string; readonly old: readonly string[]; readonly seq: number } | null
  /** The revision that was refused last. */
  refused: { readonly revision: string; readonly seq: number } | null
  /** The verdict that the host refused because the study set had changed. */
  moved: { readonly request: string; readonly seq: number } | null
}

/** Practice verdicts of one load of a caller, by card (spec §4 practice-verdict, §7). */
export function createVerdictRule(memory: CallerMemory): RuleState {
  const cards = new BoundedMap<Card>(500)

  function verdict(step: ObservedExchange, scene: RuleContext): void {
    const noteid = step.params['noteid']
    if (noteid === undefined) return
    const card = cards.get(noteid) ?? { replaced: null, refused: null, moved: null }
    cards.set(noteid, card)
    const request = toRequestKey(step)
    if (isRefused(step) && step.code === 'PRACTICE_TOPIC_CHANGED') {
      // The same gives the same result (spec §7), unless the study set was changed back.
      if (card.moved?.request === request) scene.report('verdict-resent', [card.moved.seq, step.seq], { noteid })
      card.moved = { request, seq: step.seq }
      return
    }
    card.moved = null
    const revision = getText(step.body, 'expectedRevision')
    if (revision === null) return
    if (isSuccess(step)) {
      memory.addRead(step.seq)
      const by = getText(step.response, 'commentsRevision')
      const old = [...(card.replaced?.old ?? []), revision].filter((one) => one !== by).slice(-20)
      card.replaced = by === null ? null : { by, old, seq: step.seq }
      card.refused = null
    } else if (isStale(step)) {
      stale(step, noteid, revision, card, scene)
      card.refused = { revision, seq: step.seq }
    }
  }

  function stale(step: ObservedExchange, noteid: string, revision: string, card: Card, scene: RuleContext): void {
    const { replaced, refused } = card
    if (refused?.revision === revision) scene.report('stale-revision', [refused.seq, step.seq], { noteid, revision })
    else if (replaced?.old.includes(revision)) {
      scene.report('stale-revision', [replaced.seq, step.seq], { noteid, revision, current: replaced.by })
    } else if (
      scene.isCallerComplete &&
      !memory.hasForgottenReads &&
      memory.reads.every((seq) => scene.responseContains(seq, revision) === false)
    ) {
      scene.report('stale-revision', [step.seq], { noteid, revision })
    }
  }

  /** What it read may have told it a newer revision, or that the study set is there again. */
  function read(step: ObservedExchange): void {
    for (const card of cards.values()) card.moved = null
    const named = [...getTexts(step.body, 'noteIds'), step.params['noteid'] ?? '']
    for (const noteid of named) {
      const card = cards.get(noteid)
      if (card) card.replaced = card.refused = null
    }
  }

  return {
    observe(step, scene) {
      if (step.endpoint === 'notes.practiceVerdict') verdict(step, scene)
      else if (isSuccess(step)) {
        memory.addRead(step.seq)
        read(step)
      }
    },
    // Another tab may have shared what it read.
    observeSibling(step) {
      if (isSuccess(step)) read(step)
    },
  }
}

/** Refused because of what it expects, and not for one of the reasons that have a code of their own (spec §7). */
const isStale = (step: ObservedExchange): boolean =>
  step.state === 'answered' &&
  (step.status === 409 || step.status === 412) &&
  !(step.code ?? '').startsWith('PRACTICE_') &&
  !isBusy(step)

/** The host was doing something else, and says so by its code or by when to ask again. */
function isBusy({ code, response: answer }: ObservedExchange): boolean {
  const error = getMember(answer, 'error')
  const places = [error, getMember(error, 'details')]
  return (
    /BUSY|LOCKED|_IN_(?:USE|FLIGHT|PROGRESS)$|CANCELLED$/.test(code ?? '') ||
    places.some((place) => getMember(place, 'retryAfterSeconds') !== undefined)
  )
}
