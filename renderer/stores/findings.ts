import { defineStore } from './define-store.ts'
import { computed, shallowRef, watch } from 'vue'
import type {
  Finding,
  FindingClass,
  LocatedFinding,
  FindingRuleId,
  FindingScope,
  MutedRule,
} from '../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** The service process returns at most this many findings per call, newest first. */
const MAX_FINDINGS = 1_000

/** Grouped by rule and resource, with the muted rules. Pushes keep both up to date. */
export const useFindings = defineStore('findings', () => {
  const { load, ...findings } = useFindingList()
  /** Loaded exchanges that have findings, by `seq`. */
  const rows = shallowRef<ReadonlyMap<number, ExchangeRow>>(new Map())
  /** Progress of the check; null before it and after a failure. `left` counts unchecked ones. */
  const pastRunsState = shallowRef<'judging' | { readonly left: number } | null>(null)

  const read = (): Promise<void> => load({ offset: 0, limit: MAX_FINDINGS })

  /** Applies the rules to the exchanges of earlier runs. A push reports the new findings. */
  async function judgePastRuns(): Promise<void> {
    if (pastRunsState.value !== null) return
    pastRunsState.value = 'judging'
    pastRunsState.value = await call('findings.judge', {}).catch(() => null)
  }

  async function loadRows(seqs: readonly number[]): Promise<void> {
    const missing = seqs.filter((seq) => !rows.value.has(seq)).slice(0, MAX_ROWS_PER_CALL)
    if (missing.length === 0) return
    const result = await call('traffic.rows', { seqs: missing }).catch(() => null)
    if (result) rows.value = new Map([...rows.value, ...result.rows.map((row) => [row.seq, row] as const)])
  }

  const countsBySeq = computed(() => {
    const counts = new Map<number, number>()
    for (const { shownAt: seqs } of findings.list.value) {
      for (const seq of seqs) counts.set(seq, (counts.get(seq) ?? 0) + 1)
    }
    return counts
  })

  subscribe('findings.changed', () => void read())
  onServiceReachable(() => void read())

  return {
    ...findings,
    rows,
    countsBySeq,
    pastRunsState,
    judgePastRuns,
    read,
    loadRows,
    getFindingsOfExchange: async (seq: number): Promise<readonly Finding[]> =>
      (await call('findings.of', { seq })).findings,
    mute: async (rule: FindingRuleId, reason: string): Promise<void> => {
      await call('findings.mute', { rule, reason })
      await read()
    },
    clear: async (): Promise<void> => {
      await call('findings.clear', {})
      await read()
    },
    unmute: async (rule: FindingRuleId): Promise<void> => {
      await call('findings.unmute', { rule })
      await read()
    },
  }
})

/** Loads at most `limit` findings of a class within a scope; pushes keep them up to date. */
export function useFindingRows(
  scope: () => FindingScope,
  limit = MAX_FINDINGS,
  listedClass: () => FindingClass = () => 'findings',
) {
  const findings = useFindings()
  const { load, ...rows } = useFindingList()
  watch(
    [() => JSON.stringify(scope()), listedClass, () => findings.list],
    () => void load({ offset: 0, limit, scope: scope(), class: listedClass() }),
    { immediate: true },
  )
  return rows
}

function useFindingList() {
  const { state, error, tryApply } = useServiceState<IpcOutput<'findings.list'> | null>(null)
  return {
    list: computed<readonly LocatedFinding[]>(() => state.value?.findings ?? []),
    total: computed(() => state.value?.total ?? 0),
    /** The number of rows of each class within the scope. */
    totals: computed(() => state.value?.totals ?? { findings: 0, advice: 0, withdrawn: 0 }),
    muted: computed<readonly MutedRule[]>(() => state.value?.muted ?? []),
    loaded: computed(() => state.value !== null),
    error,
    load: (input: IpcInput<'findings.list'>): Promise<void> => tryApply(call('findings.list', input)),
  }
}
