import { useI18n } from 'vue-i18n'
import type { HostChange } from '../../../shared/ipc/connection.ts'
import { joinSentences } from '../../model/format/joined-sentences.ts'

/** The message that the host restarted, or that it is another one now. */
export function useHostChangeMessage() {
  const { t, d } = useI18n()
  return function createChangeMessage({ at: timestamp, restarted, facts }: HostChange) {
    const time = d(timestamp, 'time')
    const sentences = [
      t(restarted ? 'shell.changes.restarted' : 'shell.changes.same', { time }),
      ...facts.map(({ name, from, to }) => t(`shell.changes.${name}`, { from, to })),
    ]
    return {
      id: `host-${timestamp}`,
      level: restarted ? 'warning' : 'info',
      text: joinSentences(sentences),
      isDismissible: true,
      timestamp: timestamp,
      link: restarted
        ? { to: '/host', text: t('shell.changes.openHost') }
        : { to: '/contract?view=routes', text: t('shell.changes.openRoutes') },
    } as const
  }
}
