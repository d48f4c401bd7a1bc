import { ref, type Ref } from 'vue'
import { MOST_ROWS } from '../../shared/ipc/traffic.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'

/** Rows kept while the list is scrolled; more are read again when they come back into view. */
const MOST_KEPT = 4_000

interface Rows {
  /** Grows whenever rows have arrived or changed. */
  readonly version: Ref<number>
  rowOf(seq: number): ExchangeRow | undefined
  /** Reads these rows, if they are not there. */
  need(seqs: readonly number[]): void
  /** Rows that came with something else. */
  take(found: readonly ExchangeRow[]): void
  /** They may have changed. */
  forget(): void
}

/** Rows by `seq`, read together once a frame. */
export function useRows(): Rows {
  const version = ref(0)
  let rows = new Map<number, ExchangeRow>()
  const asked = new Set<number>()
  let wanted: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(): Promise<void> {
    timer = undefined
    const missing = wanted.filter((seq) => !rows.has(seq) && !asked.has(seq)).slice(0, MOST_ROWS)
    if (missing.length === 0) return
    for (const seq of missing) asked.add(seq)
    try {
      const { rows: found } = await call('traffic.rows', { seqs: missing })
      take(found)
    } catch {
      // The list itself says what is wrong; the rows are asked for again when they are next in view.
    } finally {
      for (const seq of missing) asked.delete(seq)
    }
  }

  async function refresh(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    try {
      const { rows: found } = await call('traffic.rows', { seqs: seqs.slice(0, MOST_ROWS) })
      take(found)
    } catch {
      // As above.
    }
  }

  function take(found: readonly ExchangeRow[]): void {
    for (const row of found) rows.set(row.seq, row)
    if (rows.size > MOST_KEPT) rows = new Map([...rows].slice(-MOST_KEPT / 2))
    version.value += 1
  }

  return {
    version,
    rowOf: (seq) => (version.value, rows.get(seq)),
    need(seqs) {
      wanted = seqs
      timer ??= setTimeout(() => void read(), 16)
    },
    take,
    forget() {
      // Shown until the new ones arrive.
      const known = [...rows.keys()]
      rows = new Map(rows)
      for (const seq of known.filter((one) => !wanted.includes(one))) rows.delete(seq)
      void refresh(known.filter((one) => wanted.includes(one)))
    },
  }
}
