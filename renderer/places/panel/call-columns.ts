import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { formatPathAndLine, removeQuery } from '../../../shared/traffic/call-initiator.ts'
import type { PanelCallSummary } from '../../../shared/panel/panel.ts'
import type { Column } from '../../components/grid/columns.ts'
import type { TrafficRow, TrafficRowKey } from '../../model/traffic/pending-row.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

/** A call includes the time until the page has its whole response. Null until it has ended. */
export function getCallDuration(row: TrafficRow, call: PanelCallSummary | undefined): number | null {
  return call === undefined ? row.durationMs : (call.durationMs ?? null)
}

/** Names the line, or the file of an element, that made a call; empty if neither is known. */
export function describeInitiator(
  { frame, loader }: Pick<PanelCallSummary, 'frame' | 'loader'>,
  t: ReturnType<typeof useI18n>['t'],
): string {
  if (frame === null && loader === null) return ''
  const position = frame ?? loader?.position ?? null
  const file = position === null ? removeQuery(loader?.file ?? '') : formatPathAndLine(position)
  if (frame?.isLibrary === false) return file
  if (loader?.destination === '') return t('panel.initiator.workerShort')
  const kind = frame === null ? (loader?.destination ?? '') : t('panel.initiator.library')
  return t('panel.initiator.elementShort', { file, kind }).trim()
}

/** Columns of calls; `getRow` and `getCall` (the policy's summary) lack what is not loaded. */
export function useCallColumns(
  getRow: (key: TrafficRowKey) => TrafficRow | undefined,
  getCall: (exchangeId: string) => PanelCallSummary | undefined,
  hasGateActed: () => boolean,
): ComputedRef<readonly Column<TrafficRowKey>[]> {
  const { t, d } = useI18n()
  const texts = useExchangeTexts()
  const fromRow =
    (text: (row: TrafficRow) => string) =>
    (key: TrafficRowKey): string => {
      const row = getRow(key)
      return row === undefined ? '' : text(row)
    }
  const fromCall = (text: (call: PanelCallSummary) => string) =>
    fromRow(({ id }) => {
      const call = getCall(id)
      return call === undefined ? '' : text(call)
    })
  return computed(() => [
    {
      id: 'status',
      hasIcon: true,
      // The code after the number makes way for the other columns.
      neverCut: fromRow((row) => texts.describeOutcome(row).status),
      header: t('traffic.column.status'),
      width: 96,
      minWidth: 64,
      sortable: false,
      value: fromRow((row) => texts.describeOutcome(row).text),
    },
    {
      id: 'method',
      neverCut: true,
      header: t('traffic.column.method'),
      width: 72,
      mono: true,
      minWidth: 72,
      sortable: false,
      value: fromRow(({ method }) => method),
    },
    {
      id: 'path',
      header: t('traffic.column.path'),
      width: 400,
      minWidth: 240,
      outranks: 3,
      grow: true,
      mono: true,
      sortable: false,
      value: fromRow(({ path }) => path),
    },
    {
      id: 'duration',
      neverCut: true,
      header: t('traffic.column.duration'),
      width: 88,
      minWidth: 68,
      hidePriority: 2,
      align: 'end',
      sortable: false,
      value: fromRow((row) => {
        const duration = getCallDuration(row, getCall(row.id))
        return duration === null ? '' : texts.formatDuration(duration)
      }),
    },
    {
      id: 'time',
      header: t('traffic.column.time'),
      width: 84,
      hidePriority: 3,
      sortable: false,
      value: fromRow(({ id, startedAt }) => d(getCall(id)?.at ?? startedAt, 'seconds')),
    },
    {
      id: 'waterfall',
      header: t('traffic.column.waterfall'),
      width: 180,
      minWidth: 100,
      hidePriority: 9,
      sortable: false,
      value: () => '',
    },
    {
      id: 'initiator',
      header: t('panel.initiator.title'),
      width: 150,
      minWidth: 100,
      hidePriority: 5,
      mono: true,
      sortable: false,
      value: fromCall((call) => describeInitiator(call, t)),
    },
    {
      id: 'via',
      header: t('panel.call.via'),
      width: 76,
      hidePriority: 4,
      sortable: false,
      value: fromCall(({ via }) => t(`panel.via.${via === 'host.api' ? 'api' : via}`)),
    },
    {
      id: 'decision',
      isHidden: !hasGateActed(),
      keepsText: true,
      neverCut: true,
      hasIcon: true,
      header: t('panel.call.decision'),
      width: 100,
      minWidth: 90,
      hidePriority: 1,
      sortable: false,
      value: fromCall(({ decision }) => t(`panel.decision.${decision}`)),
    },
  ])
}
