// CodeMirror for JSON as a viewer, an input field and a comparison. Only this folder imports
// CodeMirror; the Vue components are JsonView, JsonInput and TextDifference. Read this file first,
// then json-input.ts.

import { defaultKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { toCodePointName, invisibleCharacters } from '../../../shared/format/invisible-characters.ts'
import { findOffsetOfPointer, findPointerAtOffset } from '../../model/json/cursor.ts'
import { createLongLineFolding, createLongLineFolds, hasGiantLine } from './long-lines.ts'
import { StyleModule } from 'style-mod'

/**
 * Lets CodeMirror add styles without a style element, which the page's CSP forbids. CodeMirror
 * adopts a style sheet in a shadow root but adds an element to a document. Its style set, stored at
 * a root under a symbol, works for both.
 */
function shareSheetWithDocument(): void {
  const root = document.createElement('div').attachShadow({ mode: 'closed' })
  StyleModule.mount(root, [])
  const key = Object.getOwnPropertySymbols(root).find(({ description }) => description === 'styleSet')
  if (key) Object.defineProperty(document, key, { value: Reflect.get(root, key), configurable: true })
}

shareSheetWithDocument()

/** Maps CodeMirror's English phrases to texts in the page's language. */
export type EditorPhrases = Readonly<Record<string, string>>

export const jsonHighlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.bracket], color: 'var(--muted)' },
])

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
  '.cm-shown-line': { backgroundColor: 'var(--warn-soft)', boxShadow: 'inset 3px 0 var(--warn)' },
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

const SHOWN_LINE = Decoration.line({ class: 'cm-shown-line' })

/** One task adds at most this many characters to the editor. */
const CHUNK_CHARS = 400_000

/** A slice ends after a line break, as appending to a line costs as much as all of it. */
function findSliceEnd(text: string, from: number): number {
  const end = from + CHUNK_CHARS
  if (end >= text.length) return text.length
  const precedingBreak = text.lastIndexOf('\n', end)
  const lineBreak = precedingBreak > from ? precedingBreak : text.indexOf('\n', end)
  return lineBreak < 0 ? text.length : lineBreak + 1
}

export function createPhrasesExtension(phrases: EditorPhrases): Extension {
  return EditorState.phrases.of(phrases)
}
/** Colors and fold marks need a parse, and parsing a line of megabytes blocks the page. */
const createHighlighting = (isEnabled: boolean): Extension =>
  isEnabled ? [json(), syntaxHighlighting(jsonHighlightStyle)] : []
const createWrapping = (isEnabled: boolean): Extension => (isEnabled ? EditorView.lineWrapping : [])

/** Copying gives the text without the code points. */
const invisibleCharsExtension: Extension = highlightSpecialChars({
  specialChars: invisibleCharacters,
  render(code) {
    const element = document.createElement('span')
    element.className = 'cm-unseen'
    element.textContent = toCodePointName(String.fromCodePoint(code))
    return element
  },
})

/** A read-only editor for JSON that can fold, search, select and copy. */
export interface JsonEditor {
  /** Adds all after the first slice in later tasks, so that none blocks the page. */
  setText(text: string): void
  setWrap(isWrapped: boolean): void
  /** Marks this line, counted from 1, and scrolls to it once the text contains it. */
  showLine(line: number): void
  /** Marks the line of the value at a JSON pointer (`findOffsetOfPointer`), and scrolls to it. */
  showPointer(pointer: string): void
  setPhrases(phrases: EditorPhrases): void
  openSearch(): void
  getPointer(): string
  /** Moves to the character at a point of the window; false, and no move, if text is selected. */
  moveCursor(x: number, y: number): boolean
  destroy(): void
}

/** Mounts the editor in `parent`. `label` is its accessible name. */
export function createJsonEditor(
  parent: HTMLElement,
  options: {
    label: string
    wrap: boolean
    /** Shows invisible characters as code points, for text that the user must review. */
    showsInvisibleChars: boolean
    /** True if the text is not JSON, so that it has neither colors nor fold marks. */
    isPlain: boolean
    phrases: EditorPhrases
    moreChars: (count: number) => string
  },
): JsonEditor {
  const syntax = new Compartment()
  const wrap = new Compartment()
  const phrases = new Compartment()
  const shownLine = new Compartment()
  const extensions = [
    EditorState.readOnly.of(true),
    // The content can get the focus by keyboard although it is read-only.
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': options.label, 'aria-readonly': 'true' }),
    lineNumbers(),
    foldGutter(),
    createLongLineFolding(options.moreChars),
    drawSelection(),
    highlightSelectionMatches(),
    search({ top: true }),
    syntax.of(createHighlighting(!options.isPlain)),
    shownLine.of([]),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    jsonEditorTheme,
    options.showsInvisibleChars ? invisibleCharsExtension : [],
    wrap.of(createWrapping(options.wrap)),
    phrases.of(createPhrasesExtension(options.phrases)),
  ]
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) })
  let timer: ReturnType<typeof setTimeout> | undefined
  let fullText = ''
  let awaitedOffset: number | null = null

  function showAwaitedLine(): void {
    if (awaitedOffset === null || (view.state.doc.length <= awaitedOffset && awaitedOffset > 0)) return
    const { from } = view.state.doc.lineAt(awaitedOffset)
    awaitedOffset = null
    view.dispatch({
      selection: { anchor: from },
      effects: [
        shownLine.reconfigure(EditorView.decorations.of(Decoration.set(SHOWN_LINE.range(from)))),
        EditorView.scrollIntoView(from, { y: 'center' }),
      ],
    })
  }
  function showOffset(offset: number): void {
    awaitedOffset = offset
    showAwaitedLine()
  }

  function append(from: number): void {
    if (from >= fullText.length) return
    const slice = fullText.slice(from, findSliceEnd(fullText, from))
    const docLength = view.state.doc.length
    view.dispatch({ changes: { from: docLength, insert: slice } })
    view.dispatch({ effects: createLongLineFolds(view.state, docLength) })
    showAwaitedLine()
    timer = setTimeout(() => {
      append(from + slice.length)
    })
  }

  return {
    setText(text) {
      clearTimeout(timer)
      // If text was only appended, the present content and the user's position stay.
      const docLength = view.state.doc.length
      const isContinuation = docLength > 0 && docLength === fullText.length && text.startsWith(fullText)
      fullText = text
      view.dispatch({ effects: syntax.reconfigure(createHighlighting(!options.isPlain && !hasGiantLine(text))) })
      if (isContinuation) {
        append(docLength)
        return
      }
      view.dispatch({ changes: { from: 0, to: docLength }, selection: { anchor: 0 } })
      view.scrollDOM.scrollTo(0, 0)
      append(0)
    },
    showLine(line) {
      const linesBefore = fullText.split('\n', line - 1)
      showOffset(linesBefore.join('\n').length + Math.min(1, linesBefore.length))
    },
    showPointer(pointer) {
      showOffset(findOffsetOfPointer(fullText, pointer))
    },
    setWrap(isWrapped) {
      view.dispatch({ effects: wrap.reconfigure(createWrapping(isWrapped)) })
    },
    setPhrases(newPhrases) {
      view.dispatch({ effects: phrases.reconfigure(createPhrasesExtension(newPhrases)) })
    },
    openSearch() {
      openSearchPanel(view)
    },
    getPointer: () => findPointerAtOffset(fullText, view.state.selection.main.head),
    moveCursor(x, y) {
      if (!view.state.selection.main.empty) return false
      view.dispatch({ selection: { anchor: view.posAtCoords({ x, y }, false) } })
      return true
    },
    destroy() {
      clearTimeout(timer)
      view.destroy()
    },
  }
}
