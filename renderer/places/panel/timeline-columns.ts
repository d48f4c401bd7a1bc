import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import type { PanelNote } from '../../../shared/panel/panel.ts'
import { formatPathAndLine } from '../../../shared/traffic/call-initiator.ts'
import type { Column } from '../../components/grid/columns.ts'
import { toSingleLine } from '../../components/text-truncation.ts'
import type { TimelineEvent } from '../../model/panel/timeline.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'
import { describeInitiator } from './call-columns.ts'

interface TimelineData {
  /** When the load began, in epoch milliseconds. */
  readonly getStart: () => number
  /** The result of `findCrossedCalls`. */
  readonly getCrossedCalls: () => ReadonlyMap<string, readonly string[]>
  readonly getEvents: () => readonly TimelineEvent[]
}

/** The columns of the list below the lanes. */
export function useTimelineColumns(data: TimelineData) {
  const { t, n } = useI18n()
  const { formatDuration, describeOutcome } = useExchangeTexts()
  const formatOffset = (timestamp: number): string => `+${formatDuration(Math.max(0, timestamp - data.getStart()))}`
  const describeNote = ({ text }: PanelNote): string => toSingleLine(text.slice(0, 400))
  const describeEvent = (event: TimelineEvent): string =>
    event.kind === 'call' ? `${event.call.method} ${event.call.path}` : describeNote(event.note)
  const describeStatus = (event: TimelineEvent, part: 'status' | 'text'): string =>
    event.kind === 'call' ? describeOutcome(event.call.outcome)[part] : ''
  /** Names a call that was made later and got its response first; empty if there is none. */
  function describeCrossedCall(event: TimelineEvent): string {
    const [first, ...others] = data.getCrossedCalls().get(event.key) ?? []
    const other = first === undefined ? undefined : data.getEvents().find(({ key }) => key === first)
    if (!other) return ''
    return t('panel.timeline.crossed', { offset: formatOffset(other.start), n: n(others.length) }, others.length)
  }
  const columns = computed((): readonly Column<TimelineEvent>[] => [
    {
      id: 'offset',
      header: t('panel.timeline.offset'),
      width: 84,
      neverCut: true,
      align: 'end',
      sortable: false,
      value: ({ start }) => formatOffset(start),
    },
    {
      id: 'lane',
      header: t('panel.timeline.kind'),
      width: 80,
      sortable: false,
      value: ({ lane }) => t(`panel.timeline.lane.${lane}`),
    },
    {
      id: 'status',
      hasIcon: true,
      neverCut: (event) => describeStatus(event, 'status'),
      header: t('traffic.column.status'),
      width: 64,
      sortable: false,
      value: (event) => describeStatus(event, 'text'),
    },
    {
      id: 'text',
      header: t('panel.timeline.what'),
      width: 400,
      minWidth: 240,
      outranks: 3,
      grow: true,
      mono: true,
      sortable: false,
      value: (event) => [describeCrossedCall(event), describeEvent(event)].filter((part) => part !== '').join(' · '),
    },
    {
      id: 'duration',
      header: t('traffic.column.duration'),
      width: 84,
      neverCut: true,
      hidePriority: 2,
      align: 'end',
      sortable: false,
      value: (event) => (event.kind === 'call' ? formatDuration(event.end - event.start) : ''),
    },
    {
      id: 'initiator',
      header: t('panel.initiator.title'),
      width: 150,
      minWidth: 100,
      hidePriority: 3,
      mono: true,
      sortable: false,
      value: (event) => {
        if (event.kind === 'call') return event.call.summary ? describeInitiator(event.call.summary, t) : ''
        const { line, ...position } = event.note
        return line === null || position.file === '' ? '' : formatPathAndLine({ ...position, line })
      },
    },
  ])
  return { columns, describeCrossedCall, describeNote }
}
