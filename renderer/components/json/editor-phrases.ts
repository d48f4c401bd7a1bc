import type { EditorPhrases } from './json-editor.ts'

/** Translates CodeMirror's English phrases with `t`, the translator of the page. */
export function createEditorPhrases(t: (key: string) => string): EditorPhrases {
  return {
    Find: t('json.find.field'),
    next: t('json.find.next'),
    previous: t('json.find.previous'),
    all: t('json.find.all'),
    'match case': t('json.find.case'),
    'by word': t('json.find.word'),
    regexp: t('json.find.regexp'),
    close: t('common.close'),
    'Fold line': t('json.fold'),
    'Unfold line': t('json.unfold'),
    unfold: t('json.unfold'),
    'current match': t('json.find.current'),
    'on line': t('json.find.onLine'),
  }
}
