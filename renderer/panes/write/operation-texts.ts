import { useI18n } from 'vue-i18n'
import { findEndpointById, getCommandKind } from '../../../shared/bridge/endpoints/index.ts'
import type { OperationSummary } from '../../../shared/ipc/operations.ts'

type Told = Pick<OperationSummary, 'endpoint' | 'origin' | 'state' | 'observations' | 'verdict'>

/** Texts for the state of an operation, fitted to its kind. */
interface OperationTexts {
  formatState(operation: Told): string
  /** What that means, in a sentence or two. */
  explainState(operation: Told): string
  /** What is verified, and by what. */
  describeVerdict(operation: Told): string
  /** The same in a word or two, for a column. */
  formatVerdict(operation: Told): string
  /** Its tone: all is well, action needed, held back without harm, nobody knows, or none of these. */
  getTone(operation: Told): 'ok' | 'error' | 'refused' | 'warn' | 'none'
}

const good: ReadonlySet<string> = new Set(['saved-and-verified', 'unsaid-but-verified', 'session-recorded'])
const bad: ReadonlySet<string> = new Set(['settled-not-saved', 'saved-but-differs', 'settled-contradictory'])
/** States of which the host itself said that it was done: what was read back alone never turns another state into a success. */
const done: ReadonlySet<string> = new Set(['settled', 'persisted', 'recorded'])
const calm: ReadonlySet<string> = new Set(['prepared', 'sent', 'pending', 'not-sent', 'given-up'])

export function useOperationTexts(): OperationTexts {
  const { t } = useI18n()
  /** The host said that only part of it was done, or nothing. */
  const isLess = ({ state, verdict }: Told): boolean =>
    state === 'unconfirmed' && (verdict.done === 'partly' || verdict.done === 'no')

  /** It shows something on the screen: there is nothing to be written or read back. */
  const isShown = (one: Told): boolean =>
    findEndpointById(one.endpoint)?.access === 'navigate' &&
    (one.state === 'persisted' || (one.state === 'unconfirmed' && one.verdict.persisted === null && !isLess(one)))

  return {
    formatState(one) {
      if (isShown(one)) return t('operations.state.shown')
      if (isLess(one)) return t(`operations.done.${one.verdict.done}`)
      return t(`operations.state.${one.state}`)
    },
    explainState(one) {
      if (isShown(one)) return t('operations.explain.shown')
      if (isLess(one)) return t(`operations.doneExplain.${one.verdict.done}`)
      return t(
        `operations.explain.${one.state}${one.state === 'unknown-no-record' && one.origin === 'watched' ? '-watched' : ''}`,
      )
    },
    describeVerdict(one) {
      if (isShown(one)) return t('operations.verdict.shown')
      const said = t(`operations.verdict.${one.verdict.code}`)
      if (one.verdict.code !== 'saved-and-verified') return said
      return `${said} ${t(getCommandKind(one.endpoint) === 'pencil' ? 'operations.byHost' : 'operations.byReading')}`
    },
    formatVerdict: (one) => t(`operations.verdictShort.${isShown(one) ? 'shown' : one.verdict.code}`),
    getTone(one) {
      const { code } = one.verdict
      if (bad.has(code) || code === 'refused-changed') return 'error'
      // The host kept its promise to do nothing: no failure, whether it was meant to be refused or not.
      if (one.state === 'refused' || one.state === 'conflict') return 'refused'
      if ((good.has(code) && done.has(one.state)) || isShown(one)) return 'ok'
      return calm.has(one.state) ? 'none' : 'warn'
    },
  }
}
