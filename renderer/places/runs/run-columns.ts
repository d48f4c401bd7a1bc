import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ListedPair } from '../../../shared/ipc/recordings.ts'
import type { Column } from '../../components/grid/columns.ts'
import type { PairRow } from '../../stores/run-comparison.ts'
import { useRunTexts } from './run-texts.ts'

/** The path that a row names; where both runs have one, that of the compared run. */
export function getPairRow({ beforeRow, afterRow }: ListedPair): NonNullable<ListedPair['beforeRow']> | null {
  return afterRow ?? beforeRow
}

export function useRunColumns() {
  const { t, n } = useI18n()
  const texts = useRunTexts()
  const formatRequest = (row: ListedPair['beforeRow']): string => (row === null ? '' : `${row.method} ${row.path}`)
  const formatPosition = (index: number | null): string => (index === null ? '' : n(index + 1))
  const createPosition = (side: 'before' | 'after'): Column<PairRow> => ({
    id: `${side}-number`,
    header: t('runs.column.number'),
    width: 52,
    align: 'end',
    hidePriority: 2,
    sortable: false,
    value: ({ [side]: index }) => index,
    text: ({ [side]: index }) => formatPosition(index),
  })
  const createLane = (side: 'before' | 'after'): Column<PairRow> => ({
    id: `${side}-lane`,
    header: t(`runs.${side}`),
    width: 360,
    minWidth: 200,
    grow: true,
    sortable: false,
    value: (pair) => formatRequest(pair[`${side}Row`]),
  })
  const createOutcome = (side: 'before' | 'after', hidePriority: number): Column<PairRow> => ({
    id: side,
    header: t(`runs.${side}`),
    width: 130,
    minWidth: 96,
    hidePriority,
    value: (pair) => texts.formatOutcome(pair[`${side}Row`]),
  })
  const kinds: Column<PairRow> = {
    id: 'kinds',
    header: t('runs.column.kinds'),
    width: 132,
    neverCut: true,
    hasIcon: true,
    value: texts.formatKinds,
  }
  return {
    list: computed((): readonly Column<PairRow>[] => [
      kinds,
      {
        id: 'request',
        header: t('runs.column.request'),
        width: 300,
        minWidth: 160,
        grow: true,
        value: (pair) => formatRequest(getPairRow(pair)),
      },
      {
        id: 'what',
        header: t('runs.column.what'),
        width: 360,
        minWidth: 160,
        grow: true,
        value: texts.describe,
      },
      createOutcome('before', 2),
      createOutcome('after', 1),
    ]),
    lanes: computed((): readonly Column<PairRow>[] => [
      createPosition('before'),
      createLane('before'),
      { ...kinds, sortable: false },
      createPosition('after'),
      createLane('after'),
    ]),
  }
}
