import { BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'
import { isSuccess, isRefused, getTextMember, type ObservedExchange } from '../observed-exchange.ts'

interface IssuedId {
  readonly seq: number
  readonly instance: string
  /** The exchange in which the new run first refused the id. */
  refused: { readonly seq: number; readonly end: number } | null
}

/**
 * Reports use of request ids and cursors after the end of the host's run that issued them (spec §4
 * pencil-result). Ids of cards, documents and study sets stay valid. The first refusal tells the
 * caller about the restart, so only further uses are reported.
 */
export function createPreviousRunRule(): RuleState {
  const issuedIds = new BoundedMap<IssuedId>(500)

  function recordIssuedId(key: string, { seq, instance }: ObservedExchange): void {
    if (instance !== null && issuedIds.get(key)?.instance !== instance)
      issuedIds.set(key, { seq, instance, refused: null })
  }

  function checkIssuedId(key: string, id: string, exchange: ObservedExchange, context: RuleContext): void {
    const issuedId = issuedIds.get(key)
    if (!issuedId || exchange.instance === null || issuedId.instance === exchange.instance || !isGone(exchange)) return
    if (issuedId.refused === null) issuedId.refused = { seq: exchange.seq, end: exchange.endedAt }
    else if (exchange.startedAt >= issuedId.refused.end) {
      context.report('ids-of-old-run', [issuedId.seq, issuedId.refused.seq, exchange.seq], { id })
      issuedIds.delete(key)
    }
  }

  return {
    observe(exchange, context) {
      if (exchange.endpoint === 'writing.pencilCommit' || exchange.endpoint === 'writing.pencilResult') {
        const id = getTextMember(exchange.body, 'requestId')
        if (id === null) return
        if (exchange.endpoint === 'writing.pencilResult') checkIssuedId(`request ${id}`, id, exchange, context)
        if (isSuccess(exchange)) recordIssuedId(`request ${id}`, exchange)
      } else if (exchange.endpoint === 'studySets.tree') {
        const cursor = exchange.query.get('cursor')
        if (cursor !== undefined) checkIssuedId(`cursor ${cursor}`, cursor, exchange, context)
        const next = isSuccess(exchange) ? getTextMember(exchange.response, 'nextCursor') : null
        if (next !== null) recordIssuedId(`cursor ${next}`, exchange)
      }
    },
  }
}

/** The id is unknown, and not refused because of a busy host or a wrong token. */
const isGone = (exchange: ObservedExchange): boolean =>
  isRefused(exchange) && [400, 404, 409, 410, 422].includes(exchange.status ?? 0)
