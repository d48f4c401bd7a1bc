import { defineStore } from './define-store.ts'
import { computed, shallowRef, watch, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type {
  Finding,
  FindingClass,
  LocatedFinding,
  FindingRuleId,
  FindingScope,
  MutedRule,
} from '../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** The service process returns at most this many findings per call, newest first. */
const MAX_FINDINGS = 1_000

/** Grouped by rule and resource, with the muted rules. Pushes keep both up to date. */
export const useFindings = defineStore('findings', () => {
  const list = shallowRef<readonly LocatedFinding[]>([])
  const muted = shallowRef<readonly MutedRule[]>([])
  const total = shallowRef(0)
  const loaded = shallowRef(false)
  const error = shallowRef<AppError | null>(null)
  /** Loaded exchanges that have findings, by `seq`. */
  const rows = shallowRef<ReadonlyMap<number, ExchangeRow>>(new Map())
  /**
   * Progress of the check of earlier runs; null before the check and after a failure. `left` is the
   * number of exchanges that were not checked.
   */
  const pastRunsState = shallowRef<'judging' | { readonly left: number } | null>(null)
  let lastReadId = 0

  async function read(): Promise<void> {
    lastReadId += 1
    const readId = lastReadId
    try {
      const result = await call('findings.list', { offset: 0, limit: MAX_FINDINGS })
      if (readId !== lastReadId) return
      list.value = result.findings
      muted.value = result.muted
      total.value = result.total
      error.value = null
      loaded.value = true
    } catch (thrown) {
      if (readId === lastReadId) error.value = toAppError(thrown)
    }
  }

  /** Applies the rules to the exchanges of earlier runs. A push reports the new findings. */
  async function judgePastRuns(): Promise<void> {
    if (pastRunsState.value !== null) return
    pastRunsState.value = 'judging'
    pastRunsState.value = await call('findings.judge', {}).catch(() => null)
  }

  /** Loads the rows that are not in `rows`. */
  async function loadRows(seqs: readonly number[]): Promise<void> {
    const missing = seqs.filter((seq) => !rows.value.has(seq)).slice(0, MAX_ROWS_PER_CALL)
    if (missing.length === 0) return
    const result = await call('traffic.rows', { seqs: missing }).catch(() => null)
    if (result) rows.value = new Map([...rows.value, ...result.rows.map((row) => [row.seq, row] as const)])
  }

  const countsBySeq = computed(() => {
    const counts = new Map<number, number>()
    for (const { shownAt: seqs } of list.value) {
      for (const seq of seqs) counts.set(seq, (counts.get(seq) ?? 0) + 1)
    }
    return counts
  })

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
    countsBySeq,
    pastRunsState,
    judgePastRuns,
    read,
    loadRows,
    /** Finds all findings to which an exchange contributes. */
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
  readonly list: ShallowRef<readonly LocatedFinding[]>
  readonly total: ShallowRef<number>
  /** The number of rows of each class within the scope. */
  readonly totals: ShallowRef<Readonly<Record<FindingClass, number>>>
  readonly loaded: ShallowRef<boolean>
  readonly error: ShallowRef<AppError | null>
}

/** Loads at most `limit` findings of a class within a scope; pushes keep them up to date. */
export function useFindingRows(
  scope: () => FindingScope,
  limit = MAX_FINDINGS,
  listedClass: () => FindingClass = () => 'findings',
): FindingRows {
  const findings = useFindings()
  const rows = {
    list: shallowRef<readonly LocatedFinding[]>([]),
    total: shallowRef(0),
    totals: shallowRef({ findings: 0, advice: 0, withdrawn: 0 }),
    loaded: shallowRef(false),
    error: shallowRef<AppError | null>(null),
  }
  let lastReadId = 0
  async function read(): Promise<void> {
    lastReadId += 1
    const readId = lastReadId
    try {
      const result = await call('findings.list', { offset: 0, limit, scope: scope(), class: listedClass() })
      if (readId !== lastReadId) return
      rows.list.value = result.findings
      rows.total.value = result.total
      rows.totals.value = result.totals
      rows.error.value = null
      rows.loaded.value = true
    } catch (thrown) {
      if (readId === lastReadId) rows.error.value = toAppError(thrown)
    }
  }
  watch([() => JSON.stringify(scope()), listedClass, () => findings.list], () => void read(), { immediate: true })
  return rows
}
