import { defineStore } from './define-store.ts'
import { shallowRef, type ShallowRef } from 'vue'
import { askReads } from '../../shared/contract/read-plan.ts'
import type { AppError } from '../../shared/errors.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import type { OutcomeCounts, OutcomeTransition, ContractQuestion, DeviationList } from '../../shared/ipc/contract.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'
import { useServiceState } from './service-state.ts'

/** Deviations of recorded responses from the contract. Pushes keep the list up to date. */
export const useDeviations = defineStore('deviations', () => {
  const { state: list, error, tryApply } = useServiceState<DeviationList | null>(null)
  const read = (): Promise<void> => tryApply(call('contract.deviations', {}))

  subscribe('contract.changed', () => void read())
  onServiceReachable(() => void read())

  return {
    list,
    error,
    read,
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

/** The binding deviations as a SARIF file. */
export function exportDeviations(): Promise<IpcOutput<'contract.exportDeviations'>> {
  return call('contract.exportDeviations', {})
}

export interface AskedReads {
  readonly asked: number
  /** Reads that the host answered with an error, and reads without any response. */
  readonly failed: number
  readonly left: number
  /** The read under way, as method and path template; empty at the end. */
  readonly current: string
}

/** Asks each read of the contract that the host lists once, so that its response is judged. */
export async function askAllReads(signal: AbortSignal, onPart: (part: AskedReads) => void): Promise<void> {
  const errors: AppError[] = []
  let requestCount = 0
  const report = (left: number, current: string): void =>
    onPart({ asked: requestCount, failed: errors.length, left, current })
  const { plan, isWhole } = await askReads(async ({ endpoint, ...request }, readPlan) => {
    report(readPlan.listUnasked().length + 1, `${endpoint.method} ${endpoint.path}`)
    requestCount += 1
    try {
      const { bytes } = await call('bridge.read', { endpoint: endpoint.id, ...request }, { signal })
      const isJson = endpoint.response.kind === 'json'
      return { body: isJson ? tryParse(decodeUtf8(new Uint8Array(bytes)).text) : undefined, isLost: false }
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toAppError(thrown)
      errors.push(error)
      return { body: undefined, isLost: ['offline', 'timeout'].includes(error.wire.kind) }
    }
  })
  const lastError = errors.at(-1)
  if (!isWhole && lastError) throw lastError
  report(plan.listUnasked().length, '')
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Routes with a recorded response; a reading counts what came since the previous one. */
export function useSeenRoutes(): { readonly ids: ShallowRef<ReadonlySet<string>>; readonly read: () => Promise<void> } {
  const ids = shallowRef<ReadonlySet<string>>(new Set())
  let after = 0
  let running: Promise<void> | null = null
  async function readNew(): Promise<void> {
    for (let isWhole = false; !isWhole;) {
      const part = await call('traffic.coverage', { after })
      const added = part.routes.flatMap(({ endpoint, statuses, responders, calls }) => {
        const byOthers = Object.values(responders).reduce((sum, count) => sum + count, 0)
        return endpoint !== null && calls > byOthers && Object.keys(statuses).length > 0 ? [endpoint] : []
      })
      if (added.length > 0) ids.value = new Set([...ids.value, ...added])
      after = Math.max(after, part.lastSeq)
      isWhole = part.isWhole
    }
  }
  return { ids, read: () => (running ??= readNew().finally(() => (running = null))) }
}

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
  readonly counts: readonly OutcomeCounts[]
  readonly transitions: readonly OutcomeTransition[]
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
  const counts = new Map<string, OutcomeCounts>()
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
