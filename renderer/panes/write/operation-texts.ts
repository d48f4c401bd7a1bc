import { useI18n } from 'vue-i18n'
import { findEndpointById, getCommandKind } from '../../../shared/bridge/endpoints/index.ts'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'

type Told = Pick<OperationSummary, 'endpoint' | 'origin' | 'state' | 'observations' | 'verdict'>

/** Texts for the state of an operation, fitted to its kind. */
interface OperationTexts {
  formatState(operation: Told): string
  /** Explains the state in a sentence or two. */
  explainState(operation: Told): string
  /** What is verified, and by what. */
  describeVerdict(operation: Told): string
  /** The verdict in a word or two, for a column. */
  formatVerdict(operation: Told): string
  /**
   * The tone of the state: success, action needed, held back without harm, unknown, or none of
   * these.
   */
  getTone(operation: Told): 'ok' | 'error' | 'refused' | 'warn' | 'none'
}

const good: ReadonlySet<string> = new Set(['saved-and-verified', 'unsaid-but-verified', 'session-recorded'])
const bad: ReadonlySet<string> = new Set(['settled-not-saved', 'saved-but-differs', 'settled-contradictory'])
/**
 * States that the host itself reported as done. A read-back alone never turns another state into a
 * success.
 */
const done: ReadonlySet<string> = new Set(['settled', 'persisted', 'recorded'])
const calm: ReadonlySet<string> = new Set(['prepared', 'sent', 'pending', 'not-sent', 'given-up'])

export function useOperationTexts(): OperationTexts {
  const { t } = useI18n()
  /** The host reported that only part of it was done, or nothing. */
  const isLess = ({ state, verdict }: Told): boolean =>
    state === 'unconfirmed' && (verdict.done === 'partly' || verdict.done === 'no')

  /** A command that only shows something on the screen: there is nothing to save or read back. */
  const isShown = (operation: Told): boolean =>
    findEndpointById(operation.endpoint)?.access === 'navigate' &&
    (operation.state === 'persisted' ||
      (operation.state === 'unconfirmed' && operation.verdict.persisted === null && !isLess(operation)))

  return {
    formatState(operation) {
      if (isShown(operation)) return t('operations.state.shown')
      if (isLess(operation)) return t(`operations.done.${operation.verdict.done}`)
      return t(`operations.state.${operation.state}`)
    },
    explainState(operation) {
      if (isShown(operation)) return t('operations.explain.shown')
      if (isLess(operation)) return t(`operations.doneExplain.${operation.verdict.done}`)
      return t(
        `operations.explain.${operation.state}${operation.state === 'unknown-no-record' && operation.origin === 'watched' ? '-watched' : ''}`,
      )
    },
    describeVerdict(operation) {
      if (isShown(operation)) return t('operations.verdict.shown')
      const verdictText = t(`operations.verdict.${operation.verdict.code}`)
      if (operation.verdict.code !== 'saved-and-verified') return verdictText
      return `${verdictText} ${t(getCommandKind(operation.endpoint) === 'pencil' ? 'operations.byHost' : 'operations.byReading')}`
    },
    formatVerdict: (operation) => t(`operations.verdictShort.${isShown(operation) ? 'shown' : operation.verdict.code}`),
    getTone(operation) {
      const { code } = operation.verdict
      if (bad.has(code) || code === 'refused-changed') return 'error'
      // The host refused the write without effect, which is no failure, whether or not a refusal
      // was intended.
      if (operation.state === 'refused' || operation.state === 'conflict') return 'refused'
      if ((good.has(code) && done.has(operation.state)) || isShown(operation)) return 'ok'
      return calm.has(operation.state) ? 'none' : 'warn'
    },
  }
}
