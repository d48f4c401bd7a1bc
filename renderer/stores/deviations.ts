import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { AskedCounts, AskedTransition, ContractQuestion, DeviationList } from '../../shared/ipc/contract.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** What recorded responses do otherwise than the contract says. Pushes keep the list up to date. */
export const useDeviations = defineStore('deviations', () => {
  const list = shallowRef<DeviationList | null>(null)
  const error = shallowRef<AppError | null>(null)
  let lastReadId = 0

  async function read(): Promise<void> {
    lastReadId += 1
    const readId = lastReadId
    try {
      const result = await call('contract.deviations', {})
      if (readId !== lastReadId) return
      list.value = result
      error.value = null
    } catch (thrown) {
      if (readId === lastReadId) error.value = toAppError(thrown)
    }
  }
  subscribe('contract.changed', () => void read())
  onServiceReachable(() => void read())

  return {
    list,
    error,
    read,
    /** Mutes a deviation or, with a `reason` of null, no longer. */
    mute: async (id: string, reason: string | null): Promise<void> => {
      await call('contract.mute', { id, reason })
      await read()
    },
    markSeen: async (): Promise<void> => {
      await call('contract.mark', {})
      await read()
    },
  }
})

interface JudgedPart {
  readonly judged: number
  readonly total: number
}

/** Judges everything that is recorded again. Until its end, the list stays as it is. */
export async function judgeAgain(signal: AbortSignal, onPart: (part: JudgedPart) => void): Promise<void> {
  let judged = 0
  for (let after = 0; ;) {
    const part = await call('contract.judgeAgain', { after }, { signal })
    judged += part.judged
    onPart({ judged, total: judged + part.left })
    if (part.isWhole) return
    after = part.lastSeq
  }
}

/** A question to the recorded exchanges of a route. */
export interface PastQuestion {
  readonly method: string
  readonly template: string
  readonly question: ContractQuestion
}

type AskedPart = IpcOutput<'contract.ask'>

export interface PastOutcomes {
  readonly asked: number
  readonly total: number
  /** One entry per host, version and day, in the order of their first exchanges. */
  readonly counts: readonly AskedCounts[]
  readonly transitions: readonly AskedTransition[]
  /** Number of transitions that are not listed. */
  readonly moreTransitions: number
  readonly examples: AskedPart['examples']
}

/** More transitions are counted only. */
const MAX_TRANSITIONS = 1_000

/** Asks everything that is recorded of a route, part by part in the thread of the recorder. */
export async function askPast(
  { method, template, question }: PastQuestion,
  signal: AbortSignal,
  onPart: (outcomes: PastOutcomes) => void,
): Promise<void> {
  const counts = new Map<string, AskedCounts>()
  let outcomes: PastOutcomes = {
    asked: 0,
    total: 0,
    counts: [],
    transitions: [],
    moreTransitions: 0,
    examples: { held: null, broken: null },
  }
  let lastOutcomes: AskedPart['lastOutcomes'] = []
  for (let after = 0; ;) {
    const part = await call('contract.ask', { method, template, question, after, lastOutcomes }, { signal })
    for (const entry of part.counts) {
      const key = `${entry.host}\n${entry.version ?? ''}\n${entry.day}`
      const previous = counts.get(key)
      counts.set(
        key,
        previous
          ? {
              ...previous,
              held: previous.held + entry.held,
              broken: previous.broken + entry.broken,
              undecided: previous.undecided + entry.undecided,
            }
          : entry,
      )
    }
    const transitions = [...outcomes.transitions, ...part.transitions]
    const askedCount = outcomes.asked + part.asked
    outcomes = {
      asked: askedCount,
      total: askedCount + part.left,
      counts: [...counts.values()],
      transitions: transitions.slice(0, MAX_TRANSITIONS),
      moreTransitions:
        outcomes.moreTransitions + part.moreTransitions + Math.max(0, transitions.length - MAX_TRANSITIONS),
      examples: {
        held: part.examples.held ?? outcomes.examples.held,
        broken: outcomes.examples.broken ?? part.examples.broken,
      },
    }
    onPart(outcomes)
    if (part.isWhole) return
    lastOutcomes = part.lastOutcomes
    after = part.lastSeq
  }
}
