import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Deck, StudySet } from '../../../shared/bridge/resources/library.ts'
import type { Column } from '../../components/grid/columns.ts'

/** The host gives times as text or as a number; epoch milliseconds, or null where it is neither. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(time) ? time : null
}

export function useStudySetColumns(): ComputedRef<readonly Column<StudySet>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    { id: 'title', header: t('library.column.title'), width: 280, grow: true, value: (set) => set.title ?? '' },
    {
      id: 'notes',
      header: t('library.column.cards'),
      width: 100,
      align: 'end',
      value: (set) => set.noteCount,
      text: (set) => (set.noteCount === undefined ? '' : n(set.noteCount)),
    },
    {
      id: 'documents',
      header: t('library.column.documents'),
      width: 110,
      align: 'end',
      value: (set) => set.documentCount,
      text: (set) => (set.documentCount === undefined ? '' : n(set.documentCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      value: (set) => timeOf(set.lastModifiedAt),
      text: (set) => written(timeOf(set.lastModifiedAt), d),
    },
    { id: 'id', header: t('library.column.topicid'), width: 300, mono: true, value: (set) => set.topicid },
  ])
}

export function useDeckColumns(): ComputedRef<readonly Column<Deck>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    { id: 'title', header: t('library.column.title'), width: 280, grow: true, value: (deck) => deck.title ?? '' },
    {
      id: 'cards',
      header: t('library.column.cards'),
      width: 100,
      align: 'end',
      value: (deck) => deck.cardCount,
      text: (deck) => (deck.cardCount === undefined ? '' : n(deck.cardCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      value: (deck) => timeOf(deck.lastModifiedAt),
      text: (deck) => written(timeOf(deck.lastModifiedAt), d),
    },
    { id: 'id', header: t('library.column.deckId'), width: 300, mono: true, value: (deck) => deck.deckId },
  ])
}

const written = (time: number | null, d: (time: number, format: string) => string): string =>
  time === null ? '' : d(time, 'short')
