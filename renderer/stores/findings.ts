import { defineStore } from 'pinia'
import { computed, shallowRef, watch, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Finding, FindingGroup, FindingRuleId, FindingScope, MutedRule } from '../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** As many as one question returns; the newest are what is looked at. */
const MAX_FINDINGS = 1_000

/** What callers did wrong, one row for each rule and resource, and which rules are muted; kept up to date. */
export const useFindings = defineStore('findings', () => {
  const list = shallowRef<readonly FindingGroup[]>([])
  const muted = shallowRef<readonly MutedRule[]>([])
  const total = shallowRef(0)
  const loaded = shallowRef(false)
  const error = shallowRef<AppError | null>(null)
  /** Rows of the exchanges at which findings show, by `seq`, as far as they were read. */
  const rows = shallowRef<ReadonlyMap<number, ExchangeRow>>(new Map())
  /** What became of looking at earlier runs; null before, and if it failed. */
  const pastRunsState = shallowRef<'judging' | { readonly left: number } | null>(null)
  let asked = 0

  async function read(): Promise<void> {
    asked += 1
    const mine = asked
    try {
      const found = await call('findings.list', { offset: 0, limit: MAX_FINDINGS })
      if (mine !== asked) return
      list.value = found.findings
      muted.value = found.muted
      total.value = found.total
      error.value = null
      loaded.value = true
    } catch (thrown) {
      if (mine === asked) error.value = toAppError(thrown)
    }
  }

  /** Has the rules look at what earlier runs kept; those that are found come like any other. */
  async function judgePastRuns(): Promise<void> {
    if (pastRunsState.value !== null) return
    pastRunsState.value = 'judging'
    pastRunsState.value = await call('findings.judge', {}).catch(() => null)
  }

  /** Reads rows that are not there yet. */
  async function loadRows(seqs: readonly number[]): Promise<void> {
    const missing = seqs.filter((seq) => !rows.value.has(seq)).slice(0, MAX_ROWS_PER_CALL)
    if (missing.length === 0) return
    const found = await call('traffic.rows', { seqs: missing }).catch(() => null)
    if (found) rows.value = new Map([...rows.value, ...found.rows.map((row) => [row.seq, row] as const)])
  }

  /** How many show at an exchange, by its `seq`. */
  const countsBySeq = computed(() => {
    const counts = new Map<number, number>()
    for (const { shownAt: seqs } of list.value) {
      for (const seq of seqs) counts.set(seq, (counts.get(seq) ?? 0) + 1)
    }
    return counts
  })

  // A service process that comes back is asked again.
  subscribe('findings.changed', (push) => {
    total.value = push.total
    void read()
  })
  onServiceReachable(() => void read())

  return {
    list,
    muted,
    total,
    loaded,
    error,
    rows,
    shownAt: countsBySeq,
    past: pastRunsState,
    judgePast: judgePastRuns,
    read,
    needRows: loadRows,
    /** Those that an exchange is part of. */
    getFindingsOfExchange: async (seq: number): Promise<readonly Finding[]> =>
      (await call('findings.of', { seq })).findings,
    mute: async (rule: FindingRuleId, reason: string): Promise<void> => {
      muted.value = (await call('findings.mute', { rule, reason })).muted
      await read()
    },
    clear: async (): Promise<void> => {
      await call('findings.clear', {})
      await read()
    },
    unmute: async (rule: FindingRuleId): Promise<void> => {
      muted.value = (await call('findings.unmute', { rule })).muted
      await read()
    },
  }
})

interface FindingRows {
  readonly list: ShallowRef<readonly FindingGroup[]>
  readonly total: ShallowRef<number>
  readonly loaded: ShallowRef<boolean>
  readonly error: ShallowRef<AppError | null>
}

/** The rows within a scope, kept up to date; those of everybody come from the store. `limit` is how many are read. */
export function useFindingRows(scope: () => FindingScope, limit = MAX_FINDINGS): FindingRows {
  const findings = useFindings()
  const rows = {
    list: shallowRef<readonly FindingGroup[]>([]),
    total: shallowRef(0),
    loaded: shallowRef(false),
    error: shallowRef<AppError | null>(null),
  }
  let asked = 0
  async function read(): Promise<void> {
    asked += 1
    const own = asked
    try {
      const found = await call('findings.list', { offset: 0, limit, scope: scope() })
      if (own !== asked) return
      rows.list.value = found.findings
      rows.total.value = found.total
      rows.error.value = null
      rows.loaded.value = true
    } catch (thrown) {
      if (own === asked) rows.error.value = toAppError(thrown)
    }
  }
  watch([() => JSON.stringify(scope()), () => findings.list], () => void read(), { immediate: true })
  return rows
}
