import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Hit } from '../../model/answers/search-hits.ts'
import type { Column } from '../../components/grid/columns.ts'
import { useLibrary } from '../../stores/library.ts'

/** Columns of the results; a card's study set is shown by its title if the library knows it. */
export function useHitColumns(): ComputedRef<readonly Column<Hit>[]> {
  const { t } = useI18n()
  const library = useLibrary()
  return computed(() => [
    { id: 'kind', header: t('search.column.kind'), width: 110, value: ({ kind }) => t(`search.kind.${kind}`) },
    { id: 'title', header: t('search.column.title'), width: 260, least: 180, grow: true, value: ({ title }) => title },
    { id: 'text', header: t('search.column.text'), width: 260, least: 120, leaves: 1, value: ({ text }) => text },
    {
      id: 'set',
      header: t('search.column.set'),
      width: 180,
      value: ({ topicid, kind }) => (kind === 'studySet' ? '' : (library.titleOf(topicid) ?? topicid)),
    },
    { id: 'id', header: t('search.column.id'), width: 290, leaves: 2, mono: true, value: ({ id }) => id },
  ])
}
