import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { isBindingDeviation, type Deviation } from '../../../shared/contract/deviation.ts'
import type { Column } from '../../components/grid/columns.ts'
import { isToday } from '../../model/format/day.ts'
import { useDeviationTexts } from '../../panes/contract/deviation-texts.ts'

/** The kind of mistake comes first, because it stays visible in a narrow window. */
export function useDeviationColumns(): ComputedRef<readonly Column<Deviation>[]> {
  const { t, n, d } = useI18n()
  const words = useDeviationTexts()
  const header = (name: string): string => t(`contractPlace.drift.column.${name}`)
  const listBadges = (row: Deviation): string[] => [
    ...(row.isNew ? [t('contractPlace.drift.new')] : []),
    ...(row.muted ? [t('contractPlace.drift.muted')] : []),
    ...(isBindingDeviation(row) ? [] : [t('contractPlace.drift.observed')]),
  ]
  const formatTime = (timestamp: number): string => d(timestamp, isToday(timestamp) ? 'seconds' : 'short')

  return computed(() => [
    {
      id: 'kind',
      header: header('kind'),
      width: 130,
      neverCut: true,
      value: ({ kind }) => words.formatKind(kind),
      text: (row) => [words.formatKind(row.kind), ...listBadges(row)].join('  '),
    },
    {
      id: 'route',
      fitsText: true,
      header: header('route'),
      width: 260,
      minWidth: 180,
      grow: true,
      mono: true,
      value: words.formatRoute,
    },
    {
      id: 'pointer',
      fitsText: true,
      header: header('pointer'),
      width: 240,
      minWidth: 150,
      grow: true,
      mono: true,
      value: ({ pointer }) => words.formatPointer(pointer),
    },
    {
      id: 'change',
      header: header('change'),
      width: 240,
      minWidth: 120,
      grow: true,
      hidePriority: 2,
      value: words.formatChange,
    },
    {
      id: 'count',
      header: header('count'),
      width: 64,
      minWidth: 56,
      align: 'end',
      neverCut: true,
      value: ({ count }) => count,
      text: ({ count }) => n(count),
    },
    {
      id: 'first',
      header: header('first'),
      width: 96,
      neverCut: true,
      hidePriority: 4,
      value: ({ firstAt }) => firstAt,
      text: ({ firstAt }) => formatTime(firstAt),
    },
    {
      id: 'last',
      header: header('last'),
      width: 96,
      neverCut: true,
      hidePriority: 3,
      value: ({ lastAt }) => lastAt,
      text: ({ lastAt }) => formatTime(lastAt),
    },
    {
      id: 'versions',
      header: header('versions'),
      width: 130,
      minWidth: 90,
      hidePriority: 5,
      value: words.formatVersions,
    },
  ])
}
