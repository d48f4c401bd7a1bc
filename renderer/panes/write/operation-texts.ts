import { useI18n } from 'vue-i18n'
import { findEndpointById, getCommandKind } from '../../../shared/bridge/endpoints/index.ts'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'

type DescribedOperation = Pick<OperationSummary, 'endpoint' | 'origin' | 'state' | 'observations' | 'verdict'>

const successVerdicts: ReadonlySet<string> = new Set(['saved-and-verified', 'unsaid-but-verified', 'session-recorded'])
const errorVerdicts: ReadonlySet<string> = new Set(['settled-not-saved', 'saved-but-differs', 'settled-contradictory'])
/** The host itself reported success. A read-back alone never makes a success. */
const doneStates: ReadonlySet<string> = new Set(['settled', 'persisted', 'recorded'])
const neutralStates: ReadonlySet<string> = new Set(['prepared', 'sent', 'pending', 'not-sent', 'given-up'])

export function useOperationTexts() {
  const { t } = useI18n()
  /** True if the host reported that only part of the write was done, or nothing. */
  const isIncomplete = ({ state, verdict }: DescribedOperation): boolean =>
    state === 'unconfirmed' && (verdict.done === 'partly' || verdict.done === 'no')

  /** A command that only shows something on the screen has nothing to save or read back. */
  const isNavigation = (operation: DescribedOperation): boolean =>
    findEndpointById(operation.endpoint)?.access === 'navigate' &&
    (operation.state === 'persisted' ||
      (operation.state === 'unconfirmed' && operation.verdict.persisted === null && !isIncomplete(operation)))

  return {
    formatState(operation: DescribedOperation): string {
      if (isNavigation(operation)) return t('operations.state.shown')
      if (isIncomplete(operation)) return t(`operations.done.${operation.verdict.done}`)
      return t(`operations.state.${operation.state}`)
    },
    explainState(operation: DescribedOperation): string {
      if (isNavigation(operation)) return t('operations.explain.shown')
      if (isIncomplete(operation)) return t(`operations.doneExplain.${operation.verdict.done}`)
      return t(
        `operations.explain.${operation.state}${operation.state === 'unknown-no-record' && operation.origin === 'watched' ? '-watched' : ''}`,
      )
    },
    describeVerdict(operation: DescribedOperation): string {
      if (isNavigation(operation)) return t('operations.verdict.shown')
      const verdictText = t(`operations.verdict.${operation.verdict.code}`)
      if (operation.verdict.code !== 'saved-and-verified') return verdictText
      return `${verdictText} ${t(getCommandKind(operation.endpoint) === 'pencil' ? 'operations.byHost' : 'operations.byReading')}`
    },
    /** A word or two, for a column. */
    formatVerdict: (operation: DescribedOperation): string =>
      t(`operations.verdictShort.${isNavigation(operation) ? 'shown' : operation.verdict.code}`),
    /** Success, action needed, refused without effect, unknown, or none of these. */
    getTone(operation: DescribedOperation): 'ok' | 'error' | 'refused' | 'warn' | 'none' {
      const { code } = operation.verdict
      // The host's own word for the end may be a success or a failure.
      if (code === 'session-settled') return 'none'
      if (errorVerdicts.has(code) || code === 'refused-changed') return 'error'
      // Refused without effect, which is no failure, whether or not it was intended.
      if (operation.state === 'refused' || operation.state === 'conflict') return 'refused'
      if ((successVerdicts.has(code) && doneStates.has(operation.state)) || isNavigation(operation)) return 'ok'
      return neutralStates.has(operation.state) ? 'none' : 'warn'
    },
  }
}
