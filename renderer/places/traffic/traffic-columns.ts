import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Column } from '../../components/grid/columns.ts'
import type { GridLayout } from '../../components/grid/grid-layout.ts'
import { isToday } from '../../model/format/day.ts'
import type { TrafficRow, TrafficRowKey } from '../../model/traffic/pending-row.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

/** The columns of a new user: all but the rarely used ones. */
export const defaultTrafficLayout: GridLayout = {
  order: [],
  hidden: ['type', 'attempt', 'template', 'sent', 'host', 'id'],
  widths: {},
}

/** @param getRow returns undefined while the row is not loaded */
export function useTrafficColumns(
  getRow: (key: TrafficRowKey) => TrafficRow | undefined,
): ComputedRef<readonly Column<TrafficRowKey>[]> {
  const { t, d, n } = useI18n()
  const texts = useExchangeTexts()
  const fromRow =
    (text: (row: TrafficRow) => string) =>
    (key: TrafficRowKey): string => {
      const row = getRow(key)
      return row === undefined ? '' : text(row)
    }
  return computed(() => [
    {
      id: 'time',
      header: t('traffic.column.time'),
      width: 84,
      value: fromRow(({ startedAt }) => (isToday(startedAt) ? d(startedAt, 'seconds') : d(startedAt, 'short'))),
    },
    {
      id: 'method',
      neverCut: true,
      header: t('traffic.column.method'),
      width: 64,
      mono: true,
      value: fromRow(({ method }) => method),
    },
    {
      id: 'path',
      header: t('traffic.column.path'),
      width: 340,
      minWidth: 210,
      grow: true,
      mono: true,
      value: fromRow(({ path }) => path),
    },
    {
      id: 'status',
      // The code after the number makes way for the other columns.
      neverCut: fromRow((row) => texts.describeOutcome(row).status),
      hasIcon: true,
      header: t('traffic.column.status'),
      width: 212,
      minWidth: 72,
      value: fromRow((row) => texts.describeOutcome(row).text),
    },
    {
      id: 'origin',
      header: t('traffic.column.origin'),
      width: 112,
      minWidth: 72,
      neverCut: true,
      hidePriority: 4,
      keepsText: true,
      value: fromRow(({ origin }) => texts.formatOrigin(origin)),
    },
    {
      id: 'type',
      header: t('traffic.column.type'),
      width: 120,
      minWidth: 80,
      hidePriority: 5,
      sortable: false,
      value: fromRow(({ mediaType }) => mediaType),
    },
    {
      id: 'size',
      neverCut: true,
      header: t('traffic.column.size'),
      width: 80,
      hidePriority: 3,
      align: 'end',
      value: fromRow(({ bytes }) => texts.formatBytes(bytes)),
    },
    {
      id: 'duration',
      neverCut: true,
      header: t('traffic.column.duration'),
      width: 120,
      minWidth: 84,
      hidePriority: 1,
      align: 'end',
      value: fromRow(({ durationMs }) => (durationMs === null ? '' : texts.formatDuration(durationMs))),
    },
    {
      id: 'waterfall',
      header: t('traffic.column.waterfall'),
      width: 200,
      minWidth: 100,
      hidePriority: 0,
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
      value: fromRow(({ attempt }) => n(attempt)),
    },
    {
      id: 'template',
      header: t('traffic.column.template'),
      width: 200,
      hidePriority: 8,
      mono: true,
      sortable: false,
      value: fromRow(({ template }) => template),
    },
    {
      id: 'sent',
      header: t('traffic.column.sent'),
      width: 80,
      hidePriority: 7,
      align: 'end',
      sortable: false,
      value: fromRow(({ requestBytes }) => (requestBytes === 0 ? '' : texts.formatBytes(requestBytes))),
    },
    {
      id: 'host',
      header: t('traffic.column.host'),
      width: 180,
      hidePriority: 10,
      sortable: false,
      value: fromRow(({ host }) => host),
    },
    {
      id: 'id',
      header: t('traffic.column.id'),
      width: 130,
      hidePriority: 11,
      mono: true,
      sortable: false,
      value: fromRow(({ id }) => id),
    },
  ])
}
