import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute } from 'vue-router'
import { useClipboardCopy } from '../components/clipboard.ts'
import { useHostChangeMessage } from '../panes/connection/host-change-message.ts'
import { SAVED_RECORDING_ID, useSavedRecordingMessage } from '../panes/recordings/saved-message.ts'
import { useWriteTitle } from '../panes/write/write-title.ts'
import { useOperationTexts } from '../panes/write/operation-texts.ts'
import { SAVED_FILE_CODE, useMessageStates, useNotices } from '../stores/notices.ts'
import { useAgents } from '../stores/agents.ts'
import { useApp } from '../stores/app.ts'
import { useConnection } from '../stores/connection.ts'
import { useFinishedOperations } from '../stores/finished-operations.ts'
import { useRecordings } from '../stores/recordings.ts'
import { useSettings } from '../stores/settings.ts'

export interface ShellMessage {
  readonly id: string
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly isDismissible: boolean
  /** Epoch milliseconds; absent for a condition that lasts. */
  readonly timestamp?: number
  readonly link?: { readonly to: string; readonly text: string }
  readonly actions?: readonly { readonly run: () => unknown; readonly text: string }[]
}

const ENDED_OPERATIONS_ID = 'operations-ended'

/** Messages of the shell that the user has not dismissed. */
export function useShellMessages() {
  const { t, te, n } = useI18n()
  const app = useApp()
  const agents = useAgents()
  const connection = useConnection()
  const notices = useNotices()
  const settings = useSettings()
  const states = useMessageStates()
  const finishedOperations = useFinishedOperations()
  const recordings = useRecordings()
  const createSavedMessages = useSavedRecordingMessage()
  const createChangeMessage = useHostChangeMessage()
  const { state: copyState, copy } = useClipboardCopy()
  const route = useRoute()
  const getWriteTitle = useWriteTitle()
  const operationTexts = useOperationTexts()

  /** An operation already on screen is not announced. */
  const announcedOperations = computed(() =>
    finishedOperations.operations.filter(({ id }) => route.params['id'] !== id),
  )
  function createOperationMessages(): readonly ShellMessage[] {
    const [latest] = announcedOperations.value
    if (!latest) return []
    const level = finishedOperations.isRoutine ? 'info' : 'warning'
    const hasSeveral = announcedOperations.value.length > 1
    const description = `${getWriteTitle(latest.endpoint)} · ${operationTexts.formatState(latest)}. ${operationTexts.describeVerdict(latest)}`
    return [
      {
        // The latest operation is in the id, so that another one is announced again.
        id: `${ENDED_OPERATIONS_ID}-${latest.id}`,
        level,
        timestamp: latest.updatedAt,
        text: hasSeveral ? t('operations.ended', { n: n(announcedOperations.value.length) }) : description,
        isDismissible: true,
        link: hasSeveral
          ? { to: '/operations', text: t('operations.showAll') }
          : { to: `/operations/${latest.id}`, text: t('write.openRecord') },
      },
    ]
  }

  /** A browser has its own list of downloads. */
  function listSavedFileActions(): NonNullable<ShellMessage['actions']> {
    const { savedText } = notices
    const copyLabel = t(copyState.value === 'idle' ? 'shell.notices.copyText' : `common.${copyState.value}`)
    return [
      ...(app.info?.mode === 'desktop' ? [{ run: app.revealSavedFile, text: t('recordings.show') }] : []),
      ...(savedText ? [{ run: async () => copy(await savedText.text()), text: copyLabel }] : []),
    ]
  }

  const messages = computed<readonly ShellMessage[]>(() => {
    const list: ShellMessage[] = []
    if (app.error?.code !== undefined && te(`errors.${app.error.code}`)) {
      list.push({ id: 'app', level: 'error', text: t(`errors.${app.error.code}`), isDismissible: false })
    } else if (!connection.serviceReachable) {
      list.push({ id: 'service', level: 'error', text: t('shell.service.gone'), isDismissible: false })
    }
    const [proposal] = agents.proposals
    if (proposal && app.info?.recording) {
      list.push({
        id: 'agents',
        level: 'warning',
        text: t('agents.behindRecording', { name: proposal.agent }),
        isDismissible: false,
        actions: [{ run: app.closeRecording, text: t('agents.review') }],
      })
    }
    list.push(...connection.state.changes.map(createChangeMessage))
    if (settings.error) {
      list.push({ id: 'settings', level: 'error', text: t('shell.settingsNotSaved'), isDismissible: true })
    }
    for (const { id, level, code, message, params = {}, at: timestamp } of notices.list) {
      const { errorCode, errorMessage = '' } = params
      const error = te(`errors.${errorCode}`) ? t(`errors.${errorCode}`, params) : errorMessage
      const text = te(`notices.${code}`) ? t(`notices.${code}`, { ...params, error }) : message
      const actions = code === SAVED_FILE_CODE ? listSavedFileActions() : []
      list.push({ id, level, text, isDismissible: true, timestamp, actions })
    }
    list.push(...createOperationMessages(), ...createSavedMessages())
    return list.filter(({ id }) => !states.dismissedIds.has(id))
  })

  function dismiss(id: string): void {
    if (id === 'settings') settings.error = null
    else if (id.startsWith(ENDED_OPERATIONS_ID)) finishedOperations.dismiss()
    else if (id.startsWith(SAVED_RECORDING_ID)) recordings.saved = null
    else if (notices.list.some((notice) => notice.id === id)) void notices.dismiss(id)
    else states.dismiss(id)
  }

  return { messages, dismiss }
}
