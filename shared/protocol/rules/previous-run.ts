import { BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'
import { isSuccess, isRefused, getText, type ObservedExchange } from '../observed-exchange.ts'

interface IssuedId {
  readonly seq: number
  readonly instance: string
  /** The first time that the new run refused it. */
  refused: { readonly seq: number; readonly end: number } | null
}

/**
 * Reading on with what died with the host's run: request ids and cursors (spec §4 pencil-result). Ids of cards, documents and study sets
 * outlive it. The first refusal is how a caller learns of the restart; what counts is that it goes on.
 */
export function createPreviousRunRule(): RuleState {
  const told = new BoundedMap<IssuedId>(500)

  function learn(key: string, { seq, instance }: ObservedExchange): void {
    if (instance !== null && told.get(key)?.instance !== instance) told.set(key, { seq, instance, refused: null })
  }

  function use(key: string, id: string, step: ObservedExchange, scene: RuleContext): void {
    const known = told.get(key)
    if (!known || step.instance === null || known.instance === step.instance || !isGone(step)) return
    if (known.refused === null) known.refused = { seq: step.seq, end: step.endedAt }
    else if (step.startedAt >= known.refused.end) {
      scene.report('ids-of-old-run', [known.seq, known.refused.seq, step.seq], { id })
      told.delete(key)
    }
  }

  return {
    observe(step, scene) {
      if (step.endpoint === 'writing.pencilCommit' || step.endpoint === 'writing.pencilResult') {
        const id = getText(step.body, 'requestId')
        if (id === null) return
        if (step.endpoint === 'writing.pencilResult') use(`request ${id}`, id, step, scene)
        if (isSuccess(step)) learn(`request ${id}`, step)
      } else if (step.endpoint === 'studySets.tree') {
        const cursor = step.query.get('cursor')
        if (cursor !== undefined) use(`cursor ${cursor}`, cursor, step, scene)
        const next = isSuccess(step) ? getText(step.response, 'nextCursor') : null
        if (next !== null) learn(`cursor ${next}`, step)
      }
    },
  }
}

/** The host answered that it does not know it, not that it is busy or wants another token. */
const isGone = (step: ObservedExchange): boolean =>
  isRefused(step) && [400, 404, 409, 410, 422].includes(step.status ?? 0)
