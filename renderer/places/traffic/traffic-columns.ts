import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { Column } from '../../components/grid/columns.ts'
import type { GridLayout } from '../../components/grid/grid-layout.ts'
import type { PendingRow } from '../../model/traffic/pending-row.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

/**
 * A row of the list: its place in the store, or the id of what is under way. What it shows is read
 * when it comes into view.
 */
export type RowKey = number | string
export type TrafficRow = ExchangeRow | PendingRow

/** Columns that are there on request. */
export const defaultTrafficLayout: GridLayout = {
  order: [],
  hidden: ['attempt', 'template', 'sent', 'host', 'id'],
  widths: {},
}

/** Columns of the list; `rowOf` returns undefined for what was not read yet. */
export function useTrafficColumns(
  rowOf: (key: RowKey) => TrafficRow | undefined,
): ComputedRef<readonly Column<RowKey>[]> {
  const { t, d, n } = useI18n()
  const words = useExchangeTexts()
  const of =
    (text: (row: TrafficRow) => string) =>
    (key: RowKey): string => {
      const row = rowOf(key)
      return row === undefined ? '' : text(row)
    }
  const today = (at: number): boolean => new Date(at).toDateString() === new Date().toDateString()
  return computed(() => [
    {
      id: 'time',
      header: t('traffic.column.time'),
      width: 84,
      value: of(({ startedAt }) => (today(startedAt) ? d(startedAt, 'seconds') : d(startedAt, 'short'))),
    },
    { id: 'method', header: t('traffic.column.method'), width: 64, mono: true, value: of(({ method }) => method) },
    {
      id: 'path',
      header: t('traffic.column.path'),
      width: 260,
      minWidth: 150,
      grow: true,
      mono: true,
      value: of(({ path }) => path),
    },
    {
      id: 'status',
      header: t('traffic.column.status'),
      width: 150,
      minWidth: 96,
      value: of((row) => words.describeOutcome(row).text),
    },
    {
      id: 'origin',
      header: t('traffic.column.origin'),
      width: 96,
      minWidth: 88,
      value: of(({ origin }) => words.formatOrigin(origin)),
    },
    {
      id: 'type',
      header: t('traffic.column.type'),
      width: 120,
      minWidth: 80,
      hidePriority: 5,
      sortable: false,
      value: of(({ mediaType }) => mediaType),
    },
    {
      id: 'size',
      header: t('traffic.column.size'),
      width: 80,
      hidePriority: 3,
      align: 'end',
      value: of(({ bytes }) => words.formatBytes(bytes)),
    },
    {
      id: 'duration',
      header: t('traffic.column.duration'),
      width: 84,
      hidePriority: 1,
      align: 'end',
      value: of(({ durationMs }) => (durationMs === null ? '' : words.formatDuration(durationMs))),
    },
    {
      id: 'waterfall',
      header: t('traffic.column.waterfall'),
      width: 160,
      minWidth: 90,
      sortable: false,
      value: () => '',
    },
    {
      id: 'attempt',
      header: t('traffic.column.attempt'),
      width: 72,
      hidePriority: 9,
      align: 'end',
      sortable: false,
      value: of(({ attempt }) => n(attempt)),
    },
    {
      id: 'template',
      header: t('traffic.column.template'),
      width: 200,
      hidePriority: 8,
      mono: true,
      sortable: false,
      value: of(({ template }) => template),
    },
    {
      id: 'sent',
      header: t('traffic.column.sent'),
      width: 80,
      hidePriority: 7,
      align: 'end',
      sortable: false,
      value: of(({ requestBytes }) => (requestBytes === 0 ? '' : words.formatBytes(requestBytes))),
    },
    {
      id: 'host',
      header: t('traffic.column.host'),
      width: 180,
      hidePriority: 10,
      sortable: false,
      value: of(({ host }) => host),
    },
    {
      id: 'id',
      header: t('traffic.column.id'),
      width: 130,
      hidePriority: 11,
      mono: true,
      sortable: false,
      value: of(({ id }) => id),
    },
  ])
}
