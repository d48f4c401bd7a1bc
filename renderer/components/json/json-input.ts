import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import type { CompletionOption } from '../../model/json/json-completion.ts'
import { locateJsonCursor, type JsonCursor } from '../../model/json/cursor.ts'
import { jsonHighlightStyle, jsonEditorTheme, createPhrasesExtension, type EditorPhrases } from './json-editor.ts'

/** No completion beyond: the path of the cursor is scanned from the beginning of the text. */
const MAX_COMPLETION_OFFSET_CHARS = 200_000

export interface JsonInput {
  /** Does nothing if the text is the same. */
  setText(text: string): void
  setPhrases(phrases: EditorPhrases): void
  focus(): void
  destroy(): void
}

interface JsonInputOptions {
  readonly label: string
  readonly phrases: EditorPhrases
  getCompletions(place: JsonCursor): readonly CompletionOption[]
  onChange(text: string): void
  /** Called for Ctrl/Cmd+Enter. */
  onSubmit(): void
}

const theme = EditorView.theme({
  '&': { border: '1px solid var(--line)', borderRadius: '4px' },
  '.cm-content': { minHeight: '72px' },
  '.cm-tooltip': {
    border: 'none',
    borderRadius: '6px',
    backgroundColor: 'var(--raised)',
    boxShadow: 'var(--shadow-overlay)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: 'var(--mono-size)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--selection)', color: 'var(--text)' },
  '.cm-completionDetail': { marginInlineStart: '12px', color: 'var(--muted)', fontStyle: 'normal' },
})

/** Mounts the field in `parent`. Tab leaves the field instead of indenting. */
export function createJsonInput(
  parent: HTMLElement,
  { label, phrases, getCompletions, onChange, onSubmit }: JsonInputOptions,
): JsonInput {
  const phrasesCompartment = new Compartment()
  const onSubmitKey = (): boolean => {
    onSubmit()
    return true
  }
  const extensions = [
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, spellcheck: 'false' }),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of('  '),
    json(),
    syntaxHighlighting(jsonHighlightStyle),
    autocompletion({ icons: false, override: [(context) => complete(context, getCompletions)] }),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: onSubmitKey }])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString())
    }),
    EditorView.lineWrapping,
    jsonEditorTheme,
    theme,
    phrasesCompartment.of(createPhrasesExtension(phrases)),
  ]
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) })
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setPhrases: (newPhrases) =>
      view.dispatch({ effects: phrasesCompartment.reconfigure(createPhrasesExtension(newPhrases)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function complete(
  { state, pos, explicit }: CompletionContext,
  getCompletions: JsonInputOptions['getCompletions'],
): CompletionResult | null {
  if (pos > MAX_COMPLETION_OFFSET_CHARS) return null
  const text = state.doc.sliceString(0, Math.min(state.doc.length, pos + MAX_COMPLETION_OFFSET_CHARS))
  const cursor = locateJsonCursor(text, pos)
  if (!explicit && cursor.startOffset === pos) return null
  const options = getCompletions(cursor)
  if (options.length === 0) return null
  const isQuoted = text[cursor.startOffset] === '"'
  // A closing quote that the editor added is replaced too.
  const replacedEnd = isQuoted && text[pos] === '"' ? pos + 1 : pos
  const hasColon = /^\s*:/.test(text.slice(replacedEnd, replacedEnd + 20))
  return {
    from: cursor.startOffset,
    to: replacedEnd,
    options: options.map(({ label, insertedText, detail }, index) => ({
      label: isQuoted ? JSON.stringify(label) : label,
      displayLabel: label,
      detail,
      boost: -index,
      apply: (view, _, from, end) => {
        const isName = cursor.expects === 'name' && !hasColon
        const inserted = isName ? `${insertedText}: ` : insertedText
        view.dispatch({ changes: { from, to: end, insert: inserted }, selection: { anchor: from + inserted.length } })
        if (isName) startCompletion(view)
      },
    })),
  }
}
