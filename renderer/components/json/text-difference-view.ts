import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { jsonEditorTheme } from './json-editor.ts'

/** The limit of each side: the cost grows with the product of lengths if texts differ much. */
export const MAX_COMPARED_CHARS = 500_000

export function createTextDifferenceView(
  parent: HTMLElement,
  { before, after, label }: { readonly before: string; readonly after: string; readonly label: string },
): { destroy(): void } {
  return new EditorView({
    parent,
    doc: after.slice(0, MAX_COMPARED_CHARS),
    extensions: [
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
      EditorView.lineWrapping,
      lineNumbers(),
      jsonEditorTheme,
      unifiedMergeView({
        original: before.slice(0, MAX_COMPARED_CHARS),
        mergeControls: false,
        collapseUnchanged: { margin: 3, minSize: 8 },
        diffConfig: { scanLimit: 2_000, timeout: 200 },
      }),
      EditorView.theme({
        '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--accent-soft) !important' },
        '.cm-deletedChunk': { backgroundColor: 'var(--error-soft)' },
        '.cm-collapsedLines': { background: 'var(--panel)', color: 'var(--muted)' },
      }),
    ],
  })
}
