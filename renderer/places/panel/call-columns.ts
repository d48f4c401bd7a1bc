import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { PanelCallSummary } from '../../../shared/panel/panel.ts'
import type { Column } from '../../components/grid/columns.ts'
import type { PendingRow } from '../../model/traffic/pending-row.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

/**
 * A row of the list: its place in the store, or the id of what is under way. What it shows is read
 * when it comes into view.
 */
export type RowKey = number | string
export type CallListRow = ExchangeRow | PendingRow

/** Columns of the calls; the two functions return undefined for what was not read yet. */
export function useCallColumns(
  rowOf: (key: RowKey) => CallListRow | undefined,
  callOf: (exchangeId: string) => PanelCallSummary | undefined,
): ComputedRef<readonly Column<RowKey>[]> {
  const { t, d } = useI18n()
  const words = useExchangeTexts()
  const of =
    (text: (row: CallListRow) => string) =>
    (key: RowKey): string => {
      const row = rowOf(key)
      return row === undefined ? '' : text(row)
    }
  const said = (text: (call: PanelCallSummary) => string) =>
    of(({ id }) => {
      const call = callOf(id)
      return call === undefined ? '' : text(call)
    })
  return computed(() => [
    {
      id: 'time',
      header: t('traffic.column.time'),
      width: 84,
      hidePriority: 2,
      sortable: false,
      value: of(({ id, startedAt }) => d(callOf(id)?.at ?? startedAt, 'seconds')),
    },
    {
      id: 'method',
      header: t('traffic.column.method'),
      width: 76,
      mono: true,
      minWidth: 72,
      sortable: false,
      value: of(({ method }) => method),
    },
    {
      id: 'path',
      header: t('traffic.column.path'),
      width: 200,
      minWidth: 150,
      grow: true,
      mono: true,
      sortable: false,
      value: of(({ path }) => path),
    },
    {
      id: 'status',
      header: t('traffic.column.status'),
      width: 130,
      minWidth: 64,
      sortable: false,
      value: of((row) => words.describeOutcome(row).text),
    },
    {
      id: 'duration',
      header: t('traffic.column.duration'),
      width: 84,
      hidePriority: 3,
      align: 'end',
      sortable: false,
      value: of(({ id, durationMs }) => {
        // Of a call that is known, the time counts until the page has its answer.
        const call = callOf(id)
        const shown = call === undefined ? durationMs : call.durationMs
        return shown === undefined || shown === null ? '' : words.formatDuration(shown)
      }),
    },
    {
      id: 'via',
      header: t('panel.call.via'),
      width: 76,
      hidePriority: 4,
      sortable: false,
      value: said(({ via }) => t(`panel.via.${via === 'host.api' ? 'api' : via}`)),
    },
    {
      id: 'decision',
      header: t('panel.call.decision'),
      width: 110,
      minWidth: 90,
      hidePriority: 1,
      sortable: false,
      value: said(({ decision }) => t(`panel.decision.${decision}`)),
    },
  ])
}
