import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'
import { useWriteTitle } from '../../panes/write/write-title.ts'
import { useOperationTexts } from '../../panes/write/operation-texts.ts'
import { useProfileName } from '../../panes/profile-name.ts'
import { useDurationFormatter } from '../../components/duration-formatter.ts'
import type { Column } from '../../components/grid/columns.ts'
import { useCallerName } from './caller-name.ts'

/** When a record was made: what was made today needs no date. */
export function useRecordTimeFormatter(): (at: number) => string {
  const { d } = useI18n()
  return (at) => d(at, new Date(at).toDateString() === new Date().toDateString() ? 'seconds' : 'short')
}

/** Columns of the operations list. */
export function useOperationColumns(): ComputedRef<readonly Column<OperationSummary>[]> {
  const { t } = useI18n()
  const timeOf = useRecordTimeFormatter()
  const lasted = useDurationFormatter()
  const callerName = useCallerName()
  const titleOf = useWriteTitle()
  const nameOf = useProfileName()
  const words = useOperationTexts()
  return computed(() => [
    {
      id: 'time',
      header: t('operations.column.time'),
      // Room for the dot of an unread record.
      width: 92,
      value: ({ createdAt }) => createdAt,
      text: ({ createdAt }) => timeOf(createdAt),
    },
    {
      id: 'state',
      header: t('operations.column.state'),
      // What the record is about comes first and is never cut: the longest text fits.
      width: 172,
      value: (one) => words.formatState(one),
    },
    {
      id: 'kind',
      header: t('operations.column.kind'),
      width: 120,
      minWidth: 90,
      grow: true,
      value: ({ endpoint, origin }) => (origin === 'watched' ? t('operations.watched') : titleOf(endpoint)),
    },
    {
      id: 'verdict',
      header: t('operations.column.verdict'),
      width: 160,
      minWidth: 120,
      hidePriority: 0,
      value: (one) => words.formatVerdict(one),
    },
    {
      id: 'note',
      header: t('operations.column.note'),
      width: 110,
      hidePriority: 1,
      grow: true,
      value: ({ noteid }) => noteid,
    },
    {
      id: 'code',
      header: t('operations.column.code'),
      width: 150,
      hidePriority: 2,
      mono: true,
      value: ({ errorCode, failureCode }) => errorCode ?? failureCode,
    },
    {
      id: 'duration',
      header: t('operations.column.duration'),
      width: 76,
      hidePriority: 3,
      align: 'end',
      value: ({ durationMs }) => durationMs,
      text: ({ durationMs }) => (durationMs === null ? '' : lasted(durationMs)),
    },
    {
      id: 'caller',
      header: t('operations.column.caller'),
      width: 110,
      hidePriority: 4,
      value: (summary) => callerName(summary),
    },
    {
      id: 'request',
      header: t('operations.column.request'),
      width: 150,
      hidePriority: 6,
      mono: true,
      value: ({ requestId }) => requestId,
    },
    {
      id: 'host',
      header: t('operations.host'),
      width: 120,
      hidePriority: 5,
      value: ({ profileName }) => nameOf(profileName),
    },
  ])
}
