import { useI18n } from 'vue-i18n'
import type { RunLoad } from '../../../shared/ipc/recordings.ts'
import { isToday } from '../../model/format/day.ts'

/** Returns the line of a load in lists of them. */
export function useLoadText(): (load: RunLoad) => string {
  const { t, n, d } = useI18n()
  return ({ label, load, startedAt, exchanges, findings }) =>
    t('runs.load', {
      name: label ?? t('exchange.origin.panel'),
      n: n(load),
      time: d(startedAt, isToday(startedAt) ? 'time' : 'short'),
      exchanges: t('runs.requests', { n: n(exchanges) }, exchanges),
      findings: findings === 0 ? t('runs.noFindings') : t('protocol.mark', { n: n(findings) }, findings),
    })
}
