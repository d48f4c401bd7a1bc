import { Recent, type Scene, type Watch } from '../rule.ts'
import { isOk, isRefused, textAt, type Step } from '../step.ts'

interface Told {
  readonly seq: number
  readonly instance: string
  /** The first time that the new run refused it. */
  refused: { readonly seq: number; readonly end: number } | null
}

/**
 * Reading on with what died with the host's run: request ids and cursors (spec §4 pencil-result). Ids of cards, documents and study sets
 * outlive it. The first refusal is how a caller learns of the restart; what counts is that it goes on.
 */
export function watchOldRun(): Watch {
  const told = new Recent<Told>(500)

  function learn(key: string, { seq, instance }: Step): void {
    if (instance !== null && told.get(key)?.instance !== instance) told.set(key, { seq, instance, refused: null })
  }

  function use(key: string, id: string, step: Step, scene: Scene): void {
    const known = told.get(key)
    if (!known || step.instance === null || known.instance === step.instance || !isGone(step)) return
    if (known.refused === null) known.refused = { seq: step.seq, end: step.end }
    else if (step.at >= known.refused.end) {
      scene.report('ids-of-old-run', [known.seq, known.refused.seq, step.seq], { id })
      told.delete(key)
    }
  }

  return {
    step(step, scene) {
      if (step.endpoint === 'writing.pencilCommit' || step.endpoint === 'writing.pencilResult') {
        const id = textAt(step.body, 'requestId')
        if (id === null) return
        if (step.endpoint === 'writing.pencilResult') use(`request ${id}`, id, step, scene)
        if (isOk(step)) learn(`request ${id}`, step)
      } else if (step.endpoint === 'studySets.tree') {
        const cursor = step.query.get('cursor')
        if (cursor !== undefined) use(`cursor ${cursor}`, cursor, step, scene)
        const next = isOk(step) ? textAt(step.answer, 'nextCursor') : null
        if (next !== null) learn(`cursor ${next}`, step)
      }
    },
  }
}

/** The host answered that it does not know it, not that it is busy or wants another token. */
const isGone = (step: Step): boolean => isRefused(step) && [400, 404, 409, 410, 422].includes(step.status ?? 0)
