import { foldText } from '../../../shared/format/text-folding.ts'
import type { PanelNote } from '../../../shared/panel/panel.ts'

export const noteLevelFilters = ['all', 'info', 'warning', 'error', 'refused'] as const
export type NoteLevelFilter = (typeof noteLevelFilters)[number]

const SEVERITY_BY_LEVEL: Readonly<Record<PanelNote['level'], number>> = { debug: 0, info: 1, warning: 2, error: 3 }

/** Compares level and text; notes about loads are always shown, as they separate the others. */
export function shouldShowNote(
  { kind, level, text, file }: PanelNote,
  filterLevel: NoteLevelFilter,
  searchText: string,
): boolean {
  // Clicks are causes, not output; the timeline shows them.
  if (kind === 'click') return false
  const needle = foldText(searchText.trim())
  if (kind === 'load') return needle === ''
  if (needle !== '' && !foldText(`${text} ${file}`).includes(needle)) return false
  if (filterLevel === 'all') return true
  if (filterLevel === 'refused') return kind === 'refused'
  return SEVERITY_BY_LEVEL[level] >= SEVERITY_BY_LEVEL[filterLevel]
}

/** `path:line:column` in the panel's files, without the origin; empty if unknown. */
export function formatNoteSource({ file, line, column }: Pick<PanelNote, 'file' | 'line' | 'column'>): string {
  if (file === '') return ''
  const name = URL.canParse(file) ? new URL(file).pathname.replace(/^\//, '') || '/' : file
  return [name, ...(line === null ? [] : [line, ...(column === null ? [] : [column])])].join(':')
}
