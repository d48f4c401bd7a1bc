import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Deck, StudySet } from '../../../shared/bridge/resources/library.ts'
import { sentTime } from '../../../shared/bridge/sent-time.ts'
import type { Column } from '../../components/grid/columns.ts'

export function useStudySetColumns(): ComputedRef<readonly Column<StudySet>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    {
      id: 'title',
      header: t('library.column.title'),
      width: 380,
      least: 200,
      grow: true,
      value: (set) => set.title ?? '',
    },
    {
      id: 'notes',
      header: t('library.column.cards'),
      width: 190,
      least: 90,
      align: 'end',
      value: (set) => set.noteCount,
      text: (set) => (set.noteCount === undefined ? '' : n(set.noteCount)),
    },
    {
      id: 'documents',
      header: t('library.column.documents'),
      width: 110,
      leaves: 1,
      align: 'end',
      value: (set) => set.documentCount,
      text: (set) => (set.documentCount === undefined ? '' : n(set.documentCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      least: 150,
      value: (set) => sentTime(set.lastModifiedAt).at,
      text: (set) => written(set.lastModifiedAt, d),
    },
    { id: 'id', header: t('library.column.topicid'), width: 300, leaves: 2, mono: true, value: (set) => set.topicid },
  ])
}

export function useDeckColumns(): ComputedRef<readonly Column<Deck>[]> {
  const { t, n, d } = useI18n()
  return computed(() => [
    {
      id: 'title',
      header: t('library.column.title'),
      width: 280,
      least: 200,
      grow: true,
      value: (deck) => deck.title ?? '',
    },
    {
      id: 'cards',
      header: t('library.column.cards'),
      width: 190,
      least: 90,
      align: 'end',
      value: (deck) => deck.cardCount,
      text: (deck) => (deck.cardCount === undefined ? '' : n(deck.cardCount)),
    },
    {
      id: 'modified',
      header: t('library.column.modified'),
      width: 170,
      least: 150,
      value: (deck) => sentTime(deck.lastModifiedAt).at,
      text: (deck) => written(deck.lastModifiedAt, d),
    },
    { id: 'id', header: t('library.column.deckId'), width: 300, leaves: 2, mono: true, value: (deck) => deck.deckId },
  ])
}

/** A moment, and what was sent where that was a number. */
function written(value: unknown, d: (time: number, format: string) => string): string {
  const { at, unit, sent } = sentTime(value)
  return at === null ? sent : d(at, 'short') + (unit === 'text' ? '' : ` (${sent})`)
}
