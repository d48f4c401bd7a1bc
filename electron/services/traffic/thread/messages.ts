import type { WireError } from '../../../../shared/errors.ts'
import type { UnderWay } from '../../../../shared/protocol/rules/engine.ts'
import type { FindingsChange } from '../../findings/judge.ts'
import type { PageDeed } from '../../findings/step-of.ts'
import type { NewNotice } from '../../notices.ts'
import type { PendingRow, RawEntry } from '../entry.ts'
import type { Bounds, Change, TrafficStore } from '../store.ts'

/** The questions that the store's thread answers. */
export type Question =
  | 'find'
  | 'head'
  | 'rows'
  | 'exchange'
  | 'seqOf'
  | 'body'
  | 'strip'
  | 'info'
  | 'judgePast'
  | 'clear'
  | 'clearFindings'
  | 'pin'
  | 'close'

export interface ThreadData {
  readonly dataDir: string
  readonly runStartedAt: number
}

/** To the thread. */
export type Order =
  | { readonly kind: 'add'; readonly entry: RawEntry }
  | { readonly kind: 'note'; readonly row: PendingRow; readonly token: string | null }
  | { readonly kind: 'know'; readonly tokens: readonly string[] }
  | { readonly kind: 'tick'; readonly now: number; readonly underWay: readonly UnderWay[] }
  | { readonly kind: 'called'; readonly id: string; readonly page: PageDeed }
  | { readonly kind: 'left'; readonly caller: string; readonly load: number }
  | { readonly kind: 'gap'; readonly now: number }
  | { readonly kind: 'bound'; readonly bounds: Bounds }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly question: Question
      readonly input: readonly unknown[]
    }

/** From the thread. */
export type Report =
  | { readonly kind: 'noticed'; readonly notices: readonly NewNotice[] }
  | { readonly kind: 'changed'; readonly change: Change }
  | { readonly kind: 'findings'; readonly change: FindingsChange }
  /** This many bytes of bodies are not held any more. */
  | { readonly kind: 'freed'; readonly bytes: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }

/** What a question of the store resolves with. */
export type Answer<Q extends Exclude<Question, 'close'>> = Awaited<ReturnType<TrafficStore[Q]>>
