import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute } from 'vue-router'
import type { HostChange } from '../../shared/ipc/connection.ts'
import { useWriteTitle } from '../panes/write/write-title.ts'
import { useOperationTexts } from '../panes/write/operation-texts.ts'
import { useMessageStates, useNotices } from '../stores/notices.ts'
import { useApp } from '../stores/app.ts'
import { useConnection } from '../stores/connection.ts'
import { useFinishedOperations } from '../stores/finished-operations.ts'
import { useSettings } from '../stores/settings.ts'

export interface ShellMessage {
  readonly id: string
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly isDismissible: boolean
  /** When it happened, in epoch milliseconds; absent for a condition that lasts. */
  readonly timestamp?: number
  /** Where to find more. */
  readonly link?: { readonly to: string; readonly text: string }
}

const ENDED_OPERATIONS_ID = 'operations-ended'

/** What the shell has to report and nobody has dismissed: service process gone, host changed, settings not saved, operations ended, notices. */
export function useMessages() {
  const { t, te, d, n } = useI18n()
  const app = useApp()
  const connection = useConnection()
  const notices = useNotices()
  const settings = useSettings()
  const announced = useMessageStates()
  const endings = useFinishedOperations()
  const route = useRoute()
  const titleOf = useWriteTitle()
  const words = useOperationTexts()

  /** An operation already on screen is not announced. */
  const ended = computed(() => endings.all.filter(({ id }) => route.params['id'] !== id))
  function ending(): readonly ShellMessage[] {
    const [one] = ended.value
    if (!one) return []
    const level = endings.isCalm ? 'info' : 'warning'
    const many = ended.value.length > 1
    const said = `${titleOf(one.endpoint)} · ${words.formatState(one)}. ${words.describeVerdict(one)}`
    return [
      {
        // The latest end names it, so that each further one is announced anew.
        id: `${ENDED_OPERATIONS_ID}-${one.id}`,
        level,
        timestamp: one.updatedAt,
        text: many ? t('operations.ended', { n: n(ended.value.length) }) : said,
        isDismissible: true,
        link: many
          ? { to: '/operations', text: t('operations.showAll') }
          : { to: `/operations/${one.id}`, text: t('write.openRecord') },
      },
    ]
  }

  function changed({ at, restarted, facts }: HostChange): ShellMessage {
    const time = d(at, 'time')
    const sentences = [
      t(restarted ? 'shell.changes.restarted' : 'shell.changes.same', { time }),
      ...facts.map(({ name, from, to }) => t(`shell.changes.${name}`, { from, to })),
    ]
    return {
      id: `host-${at}`,
      level: restarted ? 'warning' : 'info',
      text: sentences.join(' '),
      isDismissible: true,
      timestamp: at,
      link: restarted
        ? { to: '/host', text: t('shell.changes.openHost') }
        : { to: '/host?view=routes', text: t('shell.changes.openRoutes') },
    }
  }

  const messages = computed<readonly ShellMessage[]>(() => {
    const list: ShellMessage[] = []
    if (app.error?.code !== undefined && te(`errors.${app.error.code}`)) {
      list.push({ id: 'app', level: 'error', text: t(`errors.${app.error.code}`), isDismissible: false })
    } else if (!connection.serviceReachable) {
      list.push({ id: 'service', level: 'error', text: t('shell.service.gone'), isDismissible: false })
    }
    list.push(...connection.state.changes.map(changed))
    if (settings.error) {
      list.push({ id: 'settings', level: 'error', text: t('shell.settingsNotSaved'), isDismissible: true })
    }
    for (const { id, level, code, message, params, at } of notices.list) {
      const text = te(`notices.${code}`) ? t(`notices.${code}`, params ?? {}) : message
      list.push({ id, level, text, isDismissible: true, timestamp: at })
    }
    list.push(...ending())
    return list.filter(({ id }) => !announced.dismissed.has(id))
  })

  function dismiss(id: string): void {
    if (id === 'settings') settings.error = null
    else if (id.startsWith(ENDED_OPERATIONS_ID)) endings.dismiss()
    else if (notices.list.some((notice) => notice.id === id)) void notices.dismiss(id)
    else announced.dismiss(id)
  }

  return { messages, dismiss }
}
