import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import { useWriteTitle } from '../../panes/write/write-title.ts'
import { useOperationTexts } from '../../panes/write/operation-texts.ts'
import { useProfileName } from '../../panes/profile-name.ts'
import { useDurationFormatter } from '../../components/duration-formatter.ts'
import type { Column } from '../../components/grid/columns.ts'
import { findCommandRow } from '../../../shared/bridge/listed-row.ts'
import { isToday } from '../../model/format/day.ts'
import { useCallerName } from './caller-name.ts'

/** Returns a function that formats epoch milliseconds. The date is left out for today's records. */
export function useRecordTimeFormatter(): (timestamp: number) => string {
  const { d } = useI18n()
  return (timestamp) => d(timestamp, isToday(timestamp) ? 'seconds' : 'short')
}

/** Ids that the summary lacks stay placeholders. A watched record has no request of its own. */
export function findRequest(record: OperationSummary): { method: string; path: string } | null {
  const row = record.origin === 'watched' ? undefined : findCommandRow(record.endpoint)
  if (!row) return null
  const values = new Map([
    ['{noteid}', record.noteid],
    ['{topicid}', record.topicid],
  ])
  const fill = (name: string): string => encodeURIComponent(values.get(name) ?? '') || name
  return { method: row.method, path: row.path.replace(/\{\w+\}/g, fill) }
}

export function useOperationColumns(): ComputedRef<readonly Column<OperationSummary>[]> {
  const { t } = useI18n()
  const formatTime = useRecordTimeFormatter()
  const formatDuration = useDurationFormatter()
  const formatCaller = useCallerName()
  const getWriteTitle = useWriteTitle()
  const getProfileName = useProfileName()
  const texts = useOperationTexts()
  return computed(() => [
    {
      id: 'time',
      header: t('operations.column.time'),
      // The width includes the dot of an unread record.
      width: 92,
      value: ({ createdAt }) => createdAt,
      text: ({ createdAt }) => formatTime(createdAt),
    },
    {
      id: 'state',
      neverCut: true,
      header: t('operations.column.state'),
      // The width fits the longest text.
      width: 172,
      minWidth: 100,
      value: (summary) => texts.formatState(summary),
    },
    {
      id: 'kind',
      neverCut: true,
      header: t('operations.column.kind'),
      width: 200,
      minWidth: 120,
      value: ({ endpoint, origin }) => (origin === 'watched' ? t('operations.watched') : getWriteTitle(endpoint)),
    },
    {
      id: 'route',
      header: t('traffic.column.path'),
      width: 280,
      minWidth: 180,
      hidePriority: 0,
      grow: true,
      mono: true,
      value: (record) => findRequest(record)?.path,
    },
    {
      id: 'verdict',
      neverCut: true,
      header: t('operations.column.verdict'),
      width: 160,
      minWidth: 120,
      hidePriority: 1,
      value: (summary) => texts.formatVerdict(summary),
    },
    {
      id: 'note',
      header: t('operations.column.note'),
      width: 240,
      minWidth: 110,
      hidePriority: 2,
      value: ({ noteid }) => noteid,
    },
    {
      id: 'code',
      header: t('operations.column.code'),
      width: 150,
      hidePriority: 5,
      mono: true,
      value: ({ errorCode, failureCode }) => errorCode ?? failureCode,
    },
    {
      id: 'duration',
      neverCut: true,
      header: t('operations.column.duration'),
      width: 76,
      hidePriority: 3,
      align: 'end',
      value: ({ durationMs }) => durationMs,
      text: ({ durationMs }) => (durationMs === null ? '' : formatDuration(durationMs)),
    },
    {
      id: 'caller',
      header: t('operations.column.caller'),
      width: 150,
      hidePriority: 4,
      value: (summary) => formatCaller(summary),
    },
    {
      id: 'request',
      header: t('operations.column.request'),
      width: 150,
      hidePriority: 7,
      mono: true,
      value: ({ requestId }) => requestId,
    },
    {
      id: 'host',
      header: t('operations.host'),
      width: 120,
      hidePriority: 6,
      value: ({ profileName }) => getProfileName(profileName),
    },
  ])
}
