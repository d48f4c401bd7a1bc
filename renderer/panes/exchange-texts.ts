import { Ban, CircleAlert, CircleX, LoaderCircle, Unplug } from '@lucide/vue'
import type { Component } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ExchangeRow, Origin } from '../../shared/traffic/exchange.ts'

/** How an exchange ended. A color comes with an icon, because color alone is not accessible. */
interface Outcome {
  readonly text: string
  /** The beginning of `text` that must be visible: the status, or the words in its place. */
  readonly status: string
  readonly icon: Component | null
  readonly tone: 'plain' | 'error' | 'warn' | 'muted'
}

type OutcomeStyle = Pick<Outcome, 'icon' | 'tone'>

const ERROR_STYLE: OutcomeStyle = { icon: CircleAlert, tone: 'error' }
const STYLES: Readonly<Record<Exclude<ExchangeRow['state'], 'answered'>, OutcomeStyle>> = {
  pending: { icon: LoaderCircle, tone: 'muted' },
  cancelled: { icon: Ban, tone: 'muted' },
  lost: { icon: Unplug, tone: 'warn' },
  failed: { icon: CircleX, tone: 'error' },
}

const withCode = (status: string, code: string | null): Pick<Outcome, 'status' | 'text'> => ({
  status,
  text: code === null ? status : `${status} ${code}`,
})

export function useExchangeTexts() {
  const { t, n } = useI18n()

  function describeOutcome({ state, status, errorCode }: Pick<ExchangeRow, 'state' | 'status' | 'errorCode'>): Outcome {
    if (state === 'answered') {
      const isError = (status !== null && status >= 400) || errorCode !== null
      const style = isError ? ERROR_STYLE : ({ icon: null, tone: 'plain' } as const)
      return { ...withCode(String(status ?? ''), errorCode), ...style }
    }
    const code = state === 'failed' ? errorCode : null
    return { ...withCode(t(`exchange.state.${state}`), code), ...STYLES[state] }
  }

  return {
    formatOrigin: ({ kind, label }: Origin): string =>
      label !== null && label !== '' && (kind === 'panel' || kind === 'recorded' || kind === 'agent')
        ? t('exchange.originNamed', { origin: t(`exchange.origin.${kind}`), name: label })
        : t(`exchange.origin.${kind}`),
    describeOutcome: describeOutcome,
    /** Formats bytes in the unit that fits, such as “3.4 kB”. */
    formatBytes(bytes: number): string {
      if (bytes < 1000) return t('exchange.size.b', { n: n(bytes) })
      if (bytes < 1_000_000) return t('exchange.size.kb', { n: n(bytes / 1000, 'bytes') })
      return t('exchange.size.mb', { n: n(bytes / 1_000_000, 'bytes') })
    },
    /** Formats milliseconds, in seconds if the longest duration of an axis is at least 10 s. */
    formatDuration(ms: number, longestMs = ms): string {
      if (longestMs >= 10_000) return t('exchange.seconds', { n: n(ms / 1000, 'bytes') })
      return t('exchange.ms', { n: ms < 10 ? n(ms, 'bytes') : n(Math.round(ms)) })
    },
  }
}
