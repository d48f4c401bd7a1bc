import { useI18n } from 'vue-i18n'
import { useClipboardCopy } from '../../components/clipboard.ts'
import { useApp } from '../../stores/app.ts'
import { readRecordingInfo, useRecordings, type SavedFile } from '../../stores/recordings.ts'
import { useExchangeTexts } from '../exchange-texts.ts'

export const SAVED_RECORDING_ID = 'recording-saved'

/** The message about the recording, or its page, that was saved last: show it, copy its report. */
export function useSavedRecordingMessage() {
  const { t } = useI18n()
  const app = useApp()
  const recordings = useRecordings()
  const { formatBytes } = useExchangeTexts()
  const { state: copyState, copy } = useClipboardCopy()

  function createSavedMessage({ entry, report }: SavedFile) {
    const { id, name, bytes } = entry
    // A page is no place of this program, and a browser has its own list of downloads.
    const showPage = { run: () => recordings.reveal(id), text: t('recordings.show') }
    const isPage = report !== undefined
    return {
      id: `${SAVED_RECORDING_ID}-${id}`,
      level: 'info',
      text: t('recordings.saved', { name, size: formatBytes(bytes) }),
      isDismissible: true,
      ...(isPage ? {} : { link: { to: `/recordings/${id}`, text: t('recordings.show') } }),
      actions: [
        ...(isPage && app.info?.mode === 'desktop' ? [showPage] : []),
        {
          run: () => copyReport(entry, report),
          text: t(copyState.value === 'idle' ? 'recordings.copyReport' : `common.${copyState.value}`),
        },
      ],
    } as const
  }

  /** A report that is only there in part is not copied. */
  async function copyReport({ id }: SavedFile['entry'], pageReport: SavedFile['report']): Promise<void> {
    try {
      const report =
        pageReport === undefined ? (await readRecordingInfo(id, new AbortController().signal)).report : pageReport
      if (!report || report.isCut) throw new Error('no whole report')
      await copy(report.text)
    } catch {
      copyState.value = 'failed'
    }
  }

  return () => (recordings.saved === null ? [] : [createSavedMessage(recordings.saved)])
}
