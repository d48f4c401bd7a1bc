import { useI18n } from 'vue-i18n'

/** Formats milliseconds in the unit that needs the fewest digits: "42 ms", "1.3 s", "5 min". */
export function useDurationFormatter(): (ms: number) => string {
  const { t, n } = useI18n()
  return (ms) => {
    if (ms < 999.5) return t('common.lasted.ms', { n: n(Math.round(ms)) })
    if (ms < 59_950) return t('common.lasted.s', { n: n(Math.round(ms / 100) / 10) })
    return t('common.lasted.min', { n: n(Math.round(ms / 6_000) / 10) })
  }
}
