import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { RecordingEntry } from '../../../shared/ipc/recordings.ts'
import type { Column } from '../../components/grid/columns.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'
import { useRecordingTexts } from '../../panes/recordings/recording-texts.ts'

export function useRecordingColumns(
  entries: () => readonly RecordingEntry[],
): ComputedRef<readonly Column<RecordingEntry>[]> {
  const { t, n, d } = useI18n()
  const texts = useRecordingTexts()
  const { formatBytes } = useExchangeTexts()
  return computed(() => [
    {
      id: 'name',
      fitsText: true,
      header: t('recordings.name'),
      width: 240,
      minWidth: 200,
      grow: true,
      value: ({ name }) => name,
    },
    {
      id: 'state',
      isHidden: entries().every(({ isRemoved, served }) => !isRemoved && !served),
      neverCut: true,
      header: t('recordings.column.state'),
      width: 96,
      value: ({ isRemoved, served }) =>
        isRemoved ? t('recordings.state.removed') : served ? t('recordings.state.served') : '',
    },
    {
      id: 'saved',
      header: t('recordings.column.saved'),
      neverCut: true,
      width: 116,
      value: ({ savedAt, openedAt }) => savedAt ?? openedAt,
      text: ({ savedAt, openedAt }) => {
        const timestamp = savedAt ?? openedAt
        return timestamp === null ? '' : d(timestamp, 'short')
      },
    },
    {
      id: 'span',
      header: t('recordings.span'),
      neverCut: true,
      width: 168,
      hidePriority: 1,
      value: ({ span }) => span?.from ?? null,
      text: ({ span }) => texts.formatSpan(span),
    },
    {
      id: 'exchanges',
      neverCut: true,
      header: t('recordings.part.exchanges'),
      width: 84,
      align: 'end',
      value: ({ counts }) => counts['exchanges'] ?? 0,
      text: ({ counts }) => n(counts['exchanges'] ?? 0),
    },
    {
      id: 'size',
      neverCut: true,
      header: t('recordings.column.size'),
      width: 76,
      align: 'end',
      hidePriority: 2,
      value: ({ bytes }) => bytes,
      text: ({ bytes }) => formatBytes(bytes),
    },
    {
      id: 'host',
      neverCut: true,
      header: t('recordings.host'),
      width: 100,
      hidePriority: 3,
      value: ({ host }) => [host.name ?? host.baseUrl, host.version].filter((part) => part !== null).join(' '),
    },
    {
      id: 'redaction',
      neverCut: true,
      header: t('recordings.redaction'),
      width: 200,
      hidePriority: 4,
      value: ({ redaction }) => texts.formatRedaction(redaction),
    },
    {
      id: 'fingerprint',
      isHidden: entries().every(({ fingerprint }) => fingerprint === null),
      neverCut: true,
      header: t('recordings.fingerprint'),
      width: 120,
      hidePriority: 5,
      mono: true,
      value: ({ fingerprint }) => fingerprint ?? t('recordings.unsigned'),
    },
  ])
}
