import { removeAt, setAt, type EditProblem } from '../json/edit.ts'
import type { OverrideRule } from './overrides.ts'

type OverrideChange = Extract<OverrideRule['answer'], { kind: 'change' }>['changes'][number]

/** What one change of a rule did: the values at its pointer as JSON text, null where there is none, or why it leads nowhere. */
export interface AppliedChange {
  readonly at: string
  readonly from: string | null
  readonly to: string | null
  readonly problem: { readonly why: EditProblem; readonly at: string } | null
}

/**
 * Applies a rule's changes to the text of a JSON answer, in order. Whatever they do not touch stays byte for byte. One that leads nowhere
 * is left out and said; the others are applied. `text` must be valid JSON.
 */
export function changed(
  text: string,
  changes: readonly OverrideChange[],
): { readonly text: string; readonly applied: readonly AppliedChange[] } {
  let now = text
  const applied = changes.map((change): AppliedChange => {
    const to = change.do === 'set' ? JSON.stringify(change.value) : null
    const edited = to === null ? removeAt(now, change.at) : setAt(now, change.at, to)
    if ('problem' in edited) {
      return { at: change.at, from: null, to, problem: { why: edited.problem, at: edited.at } }
    }
    now = edited.text
    return { at: change.at, from: edited.before, to, problem: null }
  })
  return { text: now, applied }
}
