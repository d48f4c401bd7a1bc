import type { CallInitiator } from '../../../../shared/traffic/call-initiator.ts'
import type { FindingScope } from '../../../../shared/protocol/finding.ts'
import type { CallerEnd, PendingExchange } from '../../../../shared/protocol/rules/rule-engine.ts'
import type { ContractSummary } from '../../contract/contract-judge.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import type { PanelCallFacts } from '../../findings/exchange-step.ts'
import type { NewNotice } from '../../notices.ts'
import type { PendingRow, RawEntry } from '../entry.ts'
import type { RetentionBounds, StoreChange, TrafficStore } from '../traffic-store.ts'
import type { ThreadReply } from '../../../system/thread-questions.ts'

/** Methods of the store that the worker thread runs and whose result it sends back. */
export type StoreQuestion =
  | 'find'
  | 'head'
  | 'rows'
  | 'exchange'
  | 'seqOf'
  | 'body'
  | 'listBodies'
  | 'listInitiators'
  | 'countOverTime'
  | 'countCoverage'
  | 'info'
  | 'judgePast'
  | 'areCallersOwing'
  | 'listDeviations'
  | 'judgeContract'
  | 'muteDeviation'
  | 'markDeviations'
  | 'askExchanges'
  | 'listLearned'
  | 'readLearned'
  | 'clear'
  | 'clearFindings'
  | 'pin'
  | 'close'

export interface ThreadData {
  readonly dataDir: string
  readonly runStartedAt: number
}

/** A message to the worker thread. */
export type StoreOrder =
  | { readonly kind: 'add'; readonly entry: RawEntry }
  | { readonly kind: 'note'; readonly row: PendingRow; readonly token: string | null }
  | { readonly kind: 'know'; readonly tokens: readonly string[] }
  | { readonly kind: 'tick'; readonly now: number; readonly underWay: readonly PendingExchange[] }
  | { readonly kind: 'called'; readonly id: string; readonly page: PanelCallFacts }
  | { readonly kind: 'ended'; readonly scope: FindingScope; readonly end: CallerEnd }
  | { readonly kind: 'initiated'; readonly id: string; readonly initiator: CallInitiator }
  | { readonly kind: 'left'; readonly caller: string; readonly load: number }
  | { readonly kind: 'hold'; readonly caller: PendingExchange }
  | { readonly kind: 'gap'; readonly now: number }
  | { readonly kind: 'bound'; readonly bounds: RetentionBounds }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly question: StoreQuestion
      readonly input: readonly unknown[]
    }

/** A message from the worker thread. */
export type StoreReport =
  | { readonly kind: 'noticed'; readonly notices: readonly NewNotice[] }
  | { readonly kind: 'changed'; readonly change: StoreChange }
  | { readonly kind: 'findings'; readonly change: FindingsChange }
  | { readonly kind: 'contract'; readonly summary: ContractSummary }
  /** The number of bytes of bodies whose memory is free again. */
  | { readonly kind: 'freed'; readonly bytes: number }
  | ThreadReply

export type StoreResult<Q extends Exclude<StoreQuestion, 'close'>> = Awaited<ReturnType<TrafficStore[Q]>>
