import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Column } from '../../components/grid/columns.ts'
import { useChangeTexts, type ChangedCardRow } from '../../panes/change-texts.ts'

/** A change with the index of its row in the comparison. */
export interface ListedChange {
  readonly index: number
  readonly row: ChangedCardRow
}

export function useChangeColumns(): ComputedRef<readonly Column<ListedChange>[]> {
  const { t } = useI18n()
  const words = useChangeTexts()
  return computed(() => [
    { id: 'kind', header: t('changes.column.kind'), width: 130, value: ({ row }) => words.formatKinds(row.kinds) },
    {
      id: 'title',
      header: t('changes.column.title'),
      width: 260,
      minWidth: 140,
      grow: true,
      value: ({ row }) => words.formatTitle(row),
    },
    {
      id: 'change',
      header: t('changes.column.change'),
      width: 260,
      minWidth: 120,
      grow: true,
      hidePriority: 1,
      value: ({ row }) => words.describeChange(row),
    },
    {
      id: 'cause',
      header: t('changes.column.cause'),
      width: 300,
      minWidth: 140,
      grow: true,
      value: ({ row }) => words.formatCause(row.cause, row.unexplained),
    },
    {
      id: 'noteid',
      header: t('changes.column.noteid'),
      width: 290,
      hidePriority: 2,
      mono: true,
      value: ({ row }) => row.noteid,
    },
  ])
}
