import { defaultKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { toCodePointName, invisibleCharacters } from '../../../shared/format/invisible-characters.ts'
import { findPointerAtOffset } from '../../model/json/cursor.ts'
import { createLongLineFolding, createLongLineFolds, hasGiantLine } from './long-lines.ts'
import { StyleModule } from 'style-mod'

/**
 * Lets CodeMirror bring its styles without a style element, which the page's policy forbids. It adopts a sheet in a shadow root, but adds
 * an element to a document; the set of styles that it keeps at a root, under a symbol, works for both.
 */
function shareSheetWithDocument(): void {
  const root = document.createElement('div').attachShadow({ mode: 'closed' })
  StyleModule.mount(root, [])
  const key = Object.getOwnPropertySymbols(root).find(({ description }) => description === 'styleSet')
  if (key) Object.defineProperty(document, key, { value: Reflect.get(root, key), configurable: true })
}

shareSheetWithDocument()

/** The editor's texts in the page's language, keyed as CodeMirror asks for them. */
export type EditorPhrases = Readonly<Record<string, string>>

/** The colours of JSON. */
export const jsonHighlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.bracket], color: 'var(--muted)' },
])

/** How code looks here. */
export const jsonEditorTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--bg)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: 'var(--mono-size)', lineHeight: '18px' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--muted)', border: 'none' },
  '.cm-foldPlaceholder': {
    border: '1px solid var(--hairline)',
    backgroundColor: 'var(--panel)',
    color: 'var(--muted)',
    padding: '0 4px',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-unseen': { color: 'var(--error)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selection)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--hairline)' },
  '.cm-panel.cm-search': { fontFamily: 'var(--font-ui)', padding: '4px 24px 4px 8px' },
  '.cm-panel.cm-search label': { fontSize: 'var(--small-size)' },
  '.cm-textfield': { backgroundColor: 'var(--bg)', border: '1px solid var(--line)', fontSize: 'var(--text-size)' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--bg)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    fontSize: 'var(--small-size)',
  },
})

/** Characters added to the editor in one task. */
const CHUNK_CHARS = 400_000

/** End of the slice that starts at `from`: after a line break, because growing a line costs its whole length again. */
function sliceEnd(text: string, from: number): number {
  const end = from + CHUNK_CHARS
  if (end >= text.length) return text.length
  const before = text.lastIndexOf('\n', end)
  const lineBreak = before > from ? before : text.indexOf('\n', end)
  return lineBreak < 0 ? text.length : lineBreak + 1
}

export const createPhrasesExtension = (phrases: EditorPhrases): Extension => EditorState.phrases.of(phrases)
/** Colours and fold marks need a parse, and parsing a line of megabytes stalls the page. */
const colouring = (on: boolean): Extension => (on ? [json(), syntaxHighlighting(jsonHighlightStyle)] : [])
const wrapping = (on: boolean): Extension => (on ? EditorView.lineWrapping : [])

/** Shows the code of what can't be seen in its place; copying yields the text as it is. */
const revealing: Extension = highlightSpecialChars({
  specialChars: invisibleCharacters,
  render(code) {
    const element = document.createElement('span')
    element.className = 'cm-unseen'
    element.textContent = toCodePointName(String.fromCodePoint(code))
    return element
  },
})

/** A read-only editor for JSON: fold, search, select, copy. */
export interface JsonEditor {
  /** Shows this text; everything after the first slice is added in later tasks, so that none blocks the page. */
  setText(text: string): void
  setWrap(on: boolean): void
  setPhrases(phrases: EditorPhrases): void
  openSearch(): void
  /** JSON pointer to where the cursor is. */
  getPointer(): string
  destroy(): void
}

/** Mounts the editor in `parent`. `label` is its accessible name. */
export function createJsonEditor(
  parent: HTMLElement,
  options: {
    label: string
    wrap: boolean
    /** A person decides by this text: characters that can't be seen are shown as their codes. */
    showsInvisibleChars: boolean
    phrases: EditorPhrases
    moreChars: (count: number) => string
  },
): JsonEditor {
  const syntax = new Compartment()
  const wrap = new Compartment()
  const phrases = new Compartment()
  const extensions = [
    EditorState.readOnly.of(true),
    // Focusable by keyboard, although nothing can be typed.
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': options.label, 'aria-readonly': 'true' }),
    lineNumbers(),
    foldGutter(),
    createLongLineFolding(options.moreChars),
    drawSelection(),
    highlightSelectionMatches(),
    search({ top: true }),
    syntax.of(colouring(true)),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    jsonEditorTheme,
    options.showsInvisibleChars ? revealing : [],
    wrap.of(wrapping(options.wrap)),
    phrases.of(createPhrasesExtension(options.phrases)),
  ]
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) })
  let timer: ReturnType<typeof setTimeout> | undefined
  let shown = ''

  function append(from: number): void {
    if (from >= shown.length) return
    const slice = shown.slice(from, sliceEnd(shown, from))
    const at = view.state.doc.length
    view.dispatch({ changes: { from: at, insert: slice } })
    view.dispatch({ effects: createLongLineFolds(view.state, at) })
    timer = setTimeout(() => {
      append(from + slice.length)
    })
  }

  return {
    setText(text) {
      clearTimeout(timer)
      // More of the same text: what is there stays, and so does the user's position.
      const kept = view.state.doc.length
      const grows = kept > 0 && kept === shown.length && text.startsWith(shown)
      shown = text
      view.dispatch({ effects: syntax.reconfigure(colouring(!hasGiantLine(text))) })
      if (grows) {
        append(kept)
        return
      }
      view.dispatch({ changes: { from: 0, to: kept }, selection: { anchor: 0 } })
      view.scrollDOM.scrollTo(0, 0)
      append(0)
    },
    setWrap(on) {
      view.dispatch({ effects: wrap.reconfigure(wrapping(on)) })
    },
    setPhrases(next) {
      view.dispatch({ effects: phrases.reconfigure(createPhrasesExtension(next)) })
    },
    openSearch() {
      openSearchPanel(view)
    },
    getPointer: () => findPointerAtOffset(shown, view.state.selection.main.head),
    destroy() {
      clearTimeout(timer)
      view.destroy()
    },
  }
}
