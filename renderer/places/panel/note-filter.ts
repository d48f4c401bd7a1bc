import type { PanelNote } from '../../../shared/panel/panel.ts'

export const noteLevels = ['all', 'info', 'warning', 'error', 'refused'] as const
export type NoteLevel = (typeof noteLevels)[number]

const ranks: Readonly<Record<PanelNote['level'], number>> = { debug: 0, info: 1, warning: 2, error: 3 }

/**
 * Whether a note is of this level or a more serious one, and holds the text. A load separates what
 * came before it from what came after.
 */
export function shouldShowNote({ kind, level, text, file }: PanelNote, wanted: NoteLevel, part: string): boolean {
  const needle = part.trim().toLowerCase()
  if (kind === 'load') return needle === ''
  if (needle !== '' && !`${text} ${file}`.toLowerCase().includes(needle)) return false
  if (wanted === 'all') return true
  if (wanted === 'refused') return kind === 'refused'
  return ranks[level] >= ranks[wanted]
}

/**
 * Where in the page's files something was said: the file without its origin, line and column. Empty
 * if unknown.
 */
export function formatNoteSource({ file, line, column }: Pick<PanelNote, 'file' | 'line' | 'column'>): string {
  if (file === '') return ''
  const name = URL.canParse(file) ? new URL(file).pathname.replace(/^\//, '') || '/' : file
  return [name, ...(line === null ? [] : [line, ...(column === null ? [] : [column])])].join(':')
}
