import { foldEffect } from '@codemirror/language'
import type { EditorState, StateEffect } from '@codemirror/state'

/** What an editor costs follows its longest line: lines longer than this show their beginning only, until clicked. */
const LONG = 2000
const KEPT = 400

/** Folds that hide the rest of every long line. A trailing comma stays in sight. */
export function foldLongLines(state: EditorState): StateEffect<{ from: number; to: number }>[] {
  const effects: StateEffect<{ from: number; to: number }>[] = []
  let from = 0
  const lines = state.doc.iterLines()
  for (const text of lines) {
    if (text.length > LONG) {
      const end = /["\]}]*,?$/.exec(text.slice(-8))?.[0].length ?? 0
      effects.push(foldEffect.of({ from: from + KEPT, to: from + text.length - end }))
    }
    from += text.length + 1
  }
  return effects
}
