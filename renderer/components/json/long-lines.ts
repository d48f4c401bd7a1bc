import { codeFolding, foldEffect, unfoldEffect } from '@codemirror/language'
import type { EditorState, Extension, StateEffect } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

/** An editor costs as much as its longest line, so the rest of one is hidden until a click. */
const LONG_LINE_CHARS = 2000
const VISIBLE_START_CHARS = 400
const GIANT_LINE_CHARS = 100_000
/** A click reveals this many characters of a long line. */
const REVEAL_STEP_CHARS = 20_000

/** The line is too long to parse for highlighting. */
export function hasGiantLine(text: string): boolean {
  for (let start = 0; start + GIANT_LINE_CHARS < text.length;) {
    const end = text.indexOf('\n', start)
    if ((end < 0 ? text.length : end) - start > GIANT_LINE_CHARS) return true
    start = end + 1
  }
  return false
}

/** Creates folds for the rest of long lines from `start` on; a comma at the end stays visible. */
export function createLongLineFolds(state: EditorState, start: number): StateEffect<{ from: number; to: number }>[] {
  const effects: StateEffect<{ from: number; to: number }>[] = []
  const first = state.doc.lineAt(start)
  let { from } = first
  const lines = state.doc.iterLines(first.number)
  for (const text of lines) {
    if (text.length > LONG_LINE_CHARS) {
      const closingChars = /["\]}]{0,8},?$/.exec(text.slice(-8))?.[0].length ?? 0
      effects.push(foldEffect.of({ from: from + VISIBLE_START_CHARS, to: from + text.length - closingChars }))
    }
    from += text.length + 1
  }
  return effects
}

interface HiddenRest {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Folds show how many characters are hidden (`moreChars`), and reveal them step by step. */
export function createLongLineFolding(moreChars: (count: number) => string): Extension {
  return codeFolding({
    preparePlaceholder: (_state, { from, to }): HiddenRest => ({ from, to, text: moreChars(to - from) }),
    placeholderDOM(view, _onclick, prepared: HiddenRest) {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'cm-foldPlaceholder'
      button.textContent = prepared.text
      button.onclick = (event) => {
        event.preventDefault()
        reveal(view, prepared)
      }
      return button
    },
  })
}

function reveal(view: EditorView, { from, to }: HiddenRest): void {
  const effects: StateEffect<{ from: number; to: number }>[] = [unfoldEffect.of({ from, to })]
  const isOneLine = view.state.doc.lineAt(from).to >= to
  if (isOneLine && to - from > REVEAL_STEP_CHARS) effects.push(foldEffect.of({ from: from + REVEAL_STEP_CHARS, to }))
  view.dispatch({ effects })
}
