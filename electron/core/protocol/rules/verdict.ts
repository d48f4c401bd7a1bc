import { getMember } from '../../../../shared/json/object.ts'
import { BoundedMap, type CallerMemory, type RuleContext, type RuleState } from '../rule-state.ts'
import {
  isSuccess,
  isRefused,
  toRequestKey,
  getTextMember,
  getTextListMember,
  type ObservedExchange,
} from '../observed-exchange.ts'

interface Card {
  /** Revisions that a verdict of this caller replaced by a new one. */
  replaced: { readonly by: string; readonly old: readonly string[]; readonly seq: number } | null
  /** The last revision that the host refused. */
  refused: { readonly revision: string; readonly seq: number } | null
  /** A verdict that the host refused because the study set had changed. */
  moved: { readonly request: string; readonly seq: number } | null
}

/** Checks the practice verdicts of one load of a caller by card (spec §4 practice-verdict, §7). */
export function createVerdictRule(memory: CallerMemory): RuleState {
  const cards = new BoundedMap<Card>(500)

  function observeVerdict(exchange: ObservedExchange, context: RuleContext): void {
    const noteid = exchange.params['noteid']
    if (noteid === undefined) return
    const card = cards.get(noteid) ?? { replaced: null, refused: null, moved: null }
    cards.set(noteid, card)
    const request = toRequestKey(exchange)
    if (isRefused(exchange) && exchange.code === 'PRACTICE_TOPIC_CHANGED') {
      // The same request is refused again (spec §7), unless the study set was changed back.
      if (card.moved?.request === request) context.report('verdict-resent', [card.moved.seq, exchange.seq], { noteid })
      card.moved = { request, seq: exchange.seq }
      return
    }
    card.moved = null
    const revision = getTextMember(exchange.body, 'expectedRevision')
    if (revision === null) return
    if (isSuccess(exchange)) {
      memory.addRead(exchange.seq)
      const by = getTextMember(exchange.response, 'commentsRevision')
      const old = [...(card.replaced?.old ?? []), revision].filter((oldRevision) => oldRevision !== by).slice(-20)
      card.replaced = by === null ? null : { by, old, seq: exchange.seq }
      card.refused = null
    } else if (isStale(exchange)) {
      reportStaleRevision(exchange, noteid, revision, card, context)
      card.refused = { revision, seq: exchange.seq }
    }
  }

  function reportStaleRevision(
    exchange: ObservedExchange,
    noteid: string,
    revision: string,
    card: Card,
    context: RuleContext,
  ): void {
    const { replaced, refused } = card
    if (refused?.revision === revision)
      context.report('stale-revision', [refused.seq, exchange.seq], { noteid, revision })
    else if (replaced?.old.includes(revision)) {
      context.report('stale-revision', [replaced.seq, exchange.seq], { noteid, revision, current: replaced.by })
    } else if (
      context.isCallerComplete &&
      !memory.hasForgottenReads &&
      memory.reads.every((seq) => context.responseContains(seq, revision) === false)
    ) {
      context.report('stale-revision', [exchange.seq], { noteid, revision })
    }
  }

  /** A read may return a newer revision, or show that the set's change was undone. */
  function observeRead(exchange: ObservedExchange): void {
    for (const card of cards.values()) card.moved = null
    const noteids = [...getTextListMember(exchange.body, 'noteIds'), exchange.params['noteid'] ?? '']
    for (const noteid of noteids) {
      const card = cards.get(noteid)
      if (card) card.replaced = card.refused = null
    }
  }

  return {
    observe(exchange, context) {
      if (exchange.endpoint === 'notes.practiceVerdict') observeVerdict(exchange, context)
      else if (isSuccess(exchange)) {
        memory.addRead(exchange.seq)
        observeRead(exchange)
      }
    },
    // A different tab may have shared its reads.
    observeSibling(exchange) {
      if (isSuccess(exchange)) observeRead(exchange)
    },
  }
}

/** The refusal is about the expected revision; others have codes of their own (spec §7). */
const isStale = (exchange: ObservedExchange): boolean =>
  isRefused(exchange) &&
  (exchange.status === 409 || exchange.status === 412 || /REVISION|STALE|OUTDATED/.test(exchange.code ?? '')) &&
  !(exchange.code ?? '').startsWith('PRACTICE_') &&
  !isBusy(exchange)

/** Returns whether the code or the retry time shows that the host was busy. */
function isBusy({ code, response }: ObservedExchange): boolean {
  const error = getMember(response, 'error')
  const errorObjects = [error, getMember(error, 'details')]
  return (
    /BUSY|LOCKED|_IN_(?:USE|FLIGHT|PROGRESS)$|CANCELLED$/.test(code ?? '') ||
    errorObjects.some((place) => getMember(place, 'retryAfterSeconds') !== undefined)
  )
}
