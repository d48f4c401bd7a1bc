import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import { useWriteTitle } from '../../panes/write/titles.ts'
import type { Column } from '../../components/grid/columns.ts'

/** Columns of the list of operations. */
export function useOperationColumns(): ComputedRef<readonly Column<OperationSummary>[]> {
  const { t, d } = useI18n()
  const titleOf = useWriteTitle()
  return computed(() => [
    {
      id: 'time',
      header: t('operations.column.time'),
      width: 84,
      value: ({ createdAt }) => createdAt,
      text: ({ createdAt }) => d(createdAt, 'seconds'),
    },
    {
      id: 'kind',
      header: t('operations.column.kind'),
      width: 160,
      grow: true,
      value: ({ endpoint, origin }) => (origin === 'watched' ? t('operations.watched') : titleOf(endpoint)),
    },
    {
      id: 'state',
      header: t('operations.column.state'),
      width: 150,
      value: ({ state }) => t(`operations.state.${state}`),
    },
    {
      id: 'verdict',
      header: t('operations.column.verdict'),
      width: 170,
      value: ({ verdict }) => t(`operations.verdictShort.${verdict.code}`),
    },
    {
      id: 'request',
      header: t('operations.column.request'),
      width: 150,
      mono: true,
      value: ({ requestId }) => requestId,
    },
    { id: 'note', header: t('operations.column.note'), width: 150, mono: true, value: ({ noteid }) => noteid },
  ])
}
