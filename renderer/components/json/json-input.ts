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

/** Cursors further into a text get no completion: finding the place takes a scan from its beginning. */
const MAX_COMPLETION_OFFSET_CHARS = 200_000

/** A field for JSON text that knows what can be written where. */
export interface JsonInput {
  /** Replaces the text, unless it is that text already. */
  setText(text: string): void
  setPhrases(phrases: EditorPhrases): void
  focus(): void
  destroy(): void
}

interface JsonInputOptions {
  readonly label: string
  readonly phrases: EditorPhrases
  /** What can be written at a place. */
  getCompletions(place: JsonCursor): readonly CompletionOption[]
  onChange(text: string): void
  /** Ctrl/Cmd+Enter. */
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

/** Mounts the field in `parent`. Tab leaves it, as it leaves any field. */
export function createJsonInput(
  parent: HTMLElement,
  { label, phrases, getCompletions: complete, onChange: changed, onSubmit: submit }: JsonInputOptions,
): JsonInput {
  const words = new Compartment()
  const send = (): boolean => {
    submit()
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
    autocompletion({ icons: false, override: [(context) => offered(context, complete)] }),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: send }])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(update.state.doc.toString())
    }),
    EditorView.lineWrapping,
    jsonEditorTheme,
    theme,
    words.of(createPhrasesExtension(phrases)),
  ]
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) })
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setPhrases: (next) => view.dispatch({ effects: words.reconfigure(createPhrasesExtension(next)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function offered(
  { state, pos, explicit }: CompletionContext,
  complete: JsonInputOptions['getCompletions'],
): CompletionResult | null {
  if (pos > MAX_COMPLETION_OFFSET_CHARS) return null
  const text = state.doc.sliceString(0, Math.min(state.doc.length, pos + MAX_COMPLETION_OFFSET_CHARS))
  const place = locateJsonCursor(text, pos)
  if (!explicit && place.startOffset === pos) return null
  const options = complete(place)
  if (options.length === 0) return null
  const quoted = text[place.startOffset] === '"'
  // The quote that was closed while typing belongs to what is replaced.
  const to = quoted && text[pos] === '"' ? pos + 1 : pos
  const named = /^\s*:/.test(text.slice(to, to + 20))
  return {
    from: place.startOffset,
    to,
    options: options.map(({ label, insertedText: insert, detail }, at) => ({
      label: quoted ? JSON.stringify(label) : label,
      displayLabel: label,
      detail,
      boost: -at,
      apply: (view, _, from, end) => {
        const isName = place.expects === 'name' && !named
        const inserted = isName ? `${insert}: ` : insert
        view.dispatch({ changes: { from, to: end, insert: inserted }, selection: { anchor: from + inserted.length } })
        if (isName) startCompletion(view)
      },
    })),
  }
}
