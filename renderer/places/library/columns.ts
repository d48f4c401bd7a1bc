import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Deck, StudySet } from '../../../shared/bridge/resources/library.ts'
import { parseHostTime } from '../../../shared/bridge/host-time.ts'
import type { Column } from '../../components/grid/columns.ts'

export function useStudySetColumns(): ComputedRef<readonly Column<StudySet>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    {
      id: 'title',
      header: t('library.column.title'),
      width: 280,
      minWidth: 200,
      grow: true,
      value: (set) => set.title ?? '',
    },
    {
      id: 'notes',
      header: t('library.column.cards'),
      width: 110,
      align: 'end',
      value: (set) => set.noteCount,
      text: (set) => (set.noteCount === undefined ? '' : n(set.noteCount)),
    },
    {
      id: 'documents',
      header: t('library.column.documents'),
      width: 110,
      hidePriority: 1,
      align: 'end',
      value: (set) => set.documentCount,
      text: (set) => (set.documentCount === undefined ? '' : n(set.documentCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      minWidth: 150,
      value: (set) => parseHostTime(set.lastModifiedAt).timestamp,
      text: (set) => formatModified(set.lastModifiedAt, d),
    },
    {
      id: 'id',
      header: t('library.column.topicid'),
      width: 300,
      hidePriority: 2,
      mono: true,
      value: (set) => set.topicid,
    },
  ])
}

export function useDeckColumns(): ComputedRef<readonly Column<Deck>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    {
      id: 'title',
      header: t('library.column.title'),
      width: 280,
      minWidth: 200,
      grow: true,
      value: (deck) => deck.title ?? '',
    },
    {
      id: 'cards',
      header: t('library.column.cards'),
      width: 110,
      align: 'end',
      value: (deck) => deck.cardCount,
      text: (deck) => (deck.cardCount === undefined ? '' : n(deck.cardCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      minWidth: 150,
      value: (deck) => parseHostTime(deck.lastModifiedAt).timestamp,
      text: (deck) => formatModified(deck.lastModifiedAt, d),
    },
    {
      id: 'id',
      header: t('library.column.deckId'),
      width: 300,
      hidePriority: 2,
      mono: true,
      value: (deck) => deck.deckId,
    },
  ])
}

/** Formats the time of the last change. If it was a number, the number follows as sent. */
function formatModified(value: unknown, d: (time: number, format: string) => string): string {
  const { timestamp, unit, rawText } = parseHostTime(value)
  return timestamp === null ? rawText : d(timestamp, 'short') + (unit === 'text' ? '' : ` (${rawText})`)
}
