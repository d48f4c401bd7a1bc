import type { ExchangeDetail, ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { EntryMasker, type MaskedBody, type MaskedEntry } from './entry-masker.ts'
import { containsText, FindingsJudge } from '../findings/findings-judge.ts'
import { type PendingRow, type RawEntry, collectNamedIds } from './entry.ts'
import { createRowComparator, hasFailed, matchesFilter } from './traffic-filter.ts'
import { MAX_HEAD_ROWS, type MemoryStoreReason } from '../../../shared/ipc/traffic.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import type { RetentionBounds, FoundExchanges, ListHead, StoreListeners, TrafficStore } from './traffic-store.ts'

interface Kept extends Omit<MaskedEntry, 'row'> {
  row: ExchangeRow
  /** As `RawEntry.beganAt`. */
  readonly beganAt: number
  readonly request: MaskedBody
  readonly response: MaskedBody
}

interface Options extends StoreListeners {
  /** Why exchanges are kept in memory. */
  readonly reason: MemoryStoreReason
  readonly maxExchanges?: number
  readonly maxBytes?: number
}

/** What an exchange takes besides its bodies, roughly. */
const ENTRY_BYTES = 2_048

/**
 * The last exchanges, in memory: where there is no database. Oldest ones make room for new ones;
 * pinned ones stay.
 */
export function createMemoryStore({
  reason,
  onChange,
  onFindings,
  maxExchanges: mostExchanges = 2_000,
  maxBytes: mostBytes = 64 * 1024 * 1024,
}: Options): TrafficStore {
  const cleaner = new EntryMasker()
  const entries = new Map<number, Kept>()
  const judge = new FindingsJudge({
    conceal: (text) => cleaner.conceal(text),
    contains: (seq, text) => {
      const body = entries.get(seq)?.response
      return body?.bytes ? containsText(body.bytes, text, body.kept.missing === null) : null
    },
    getClearedSeq: () => clearedTo,
    onChange: (change) => onFindings?.(change),
  })
  let newest = 0
  let bytes = 0
  let droppedBodies = 0
  let keepMs = Infinity
  let clearedTo = 0

  const sizeOf = ({ request, response }: Kept): number => ENTRY_BYTES + request.kept.kept + response.kept.kept
  const changed = (reread: boolean): void => onChange({ newest, exchanges: entries.size, reread })

  function remove(seq: number): void {
    const entry = entries.get(seq)
    if (!entry) return
    entries.delete(seq)
    bytes -= sizeOf(entry)
  }

  function makeRoom(): void {
    const newestAt = entries.get(newest)?.beganAt ?? 0
    for (const [seq, { row, beganAt }] of entries) {
      const isOld = beganAt < newestAt - keepMs
      if (!isOld && entries.size <= mostExchanges && bytes <= mostBytes) return
      if (!row.pinned) remove(seq)
    }
  }

  const textsOf = ({ requestHeaders, responseHeaders, request, response }: Kept): string =>
    [...requestHeaders, ...responseHeaders].map((header) => header.join(': ')).join('\n') +
    `\n${textOf(request)}\n${textOf(response)}`

  function detailOf(entry: Kept): ExchangeDetail {
    const { row, request, response, requestHeaders, responseHeaders, error, maskedCount: masked } = entry
    const all = [...entries.values()]
    const isBefore = (one: Kept): boolean =>
      one.row.seq < row.seq &&
      one.row.state === 'answered' &&
      one.row.host === row.host &&
      one.row.method === row.method &&
      one.row.path === row.path &&
      one.request.kept.hash === request.kept.hash
    return {
      row,
      requestHeaders: [...requestHeaders],
      responseHeaders: [...responseHeaders],
      error,
      request: request.kept,
      response: response.kept,
      attempts: all.filter((one) => one.row.group === row.group).map((one) => one.row.seq),
      before: all.findLast(isBefore)?.row.seq ?? null,
      names: collectNamedIds(row, textOf(request), textOf(response)),
      masked,
    }
  }

  const passing = (filter: Parameters<typeof matchesFilter>[1]): Kept[] =>
    [...entries.values()].filter((entry) =>
      matchesFilter(entry.row, filter, (text) => textsOf(entry).toLowerCase().includes(text)),
    )

  /** For each row the first attempt that is kept of its request. */
  function firstAttempts(): (row: ExchangeRow) => ExchangeRow {
    const first = new Map<string, ExchangeRow>()
    for (const { row } of entries.values()) {
      const known = first.get(row.group)
      if (!known || row.attempt < known.attempt) first.set(row.group, row)
    }
    return (row) => (row.attempt === 1 ? row : (first.get(row.group) ?? row))
  }

  const listed = (
    filter: TrafficFilter,
    sort: TrafficSort,
    firstOf: (row: ExchangeRow) => ExchangeRow,
  ): ExchangeRow[] =>
    passing(filter)
      .map(({ row }) => row)
      .sort(createRowComparator(sort, firstOf, ({ seq }) => entries.get(seq)?.beganAt ?? 0))

  return {
    add(raw: RawEntry) {
      newest += 1
      const clean = cleaner.maskEntry(raw)
      const request = cleaner.maskBody(raw.request, raw.token)
      const response = cleaner.maskBody(raw.response, raw.token)
      const masked = clean.maskedCount + request.masked + response.masked
      const entry: Kept = {
        ...clean,
        row: { ...clean.row, seq: newest },
        beganAt: raw.beganAt,
        request,
        response,
        maskedCount: masked,
      }
      entries.set(newest, entry)
      bytes += sizeOf(entry)
      makeRoom()
      changed(false)
      judge.observeExchanges([
        {
          beganAt: raw.beganAt,
          endedAt: raw.endedAt,
          row: entry.row,
          request: whole(request),
          response: whole(response),
        },
      ])
    },
    addPending: (_row: PendingRow) => undefined,
    hasRoom: (size) => size <= mostBytes / 4,
    recordDropped() {
      droppedBodies += 1
    },
    checkPending: (now, underWay) => judge.checkPending(now, underWay),
    recordPageLeft: (caller, load) => judge.observePageLeft(caller, load),
    recordGap: (now) => judge.observeGap(now),
    recordPanelCall: (id, page) => judge.observePanelCall(id, page),
    addTokens: (tokens) => cleaner.addTokens(tokens),
    setBounds({ keepDays }: RetentionBounds) {
      keepMs = keepDays * 86_400_000
      makeRoom()
    },
    find(filter, sort, after): FoundExchanges {
      const firstOf = firstAttempts()
      const newer = listed(filter, sort, firstOf).filter(({ seq }) => seq > after)
      const scattered = after > 0 && newer.some((row) => firstOf(row).seq <= after)
      return { seqs: Uint32Array.from(newer, ({ seq }) => seq), newest, incomplete: false, scattered }
    },
    head(filter, sort): ListHead {
      const rows = listed(filter, sort, firstAttempts())
      return { rows: rows.slice(0, MAX_HEAD_ROWS), newest, isWhole: rows.length <= MAX_HEAD_ROWS }
    },
    rows: (seqs) => seqs.flatMap((seq) => entries.get(seq)?.row ?? []),
    exchange({ seq, id }) {
      const entry = seq === undefined ? [...entries.values()].find(({ row }) => row.id === id) : entries.get(seq)
      return entry ? detailOf(entry) : null
    },
    seqOf: (id) => [...entries.values()].find(({ row }) => row.id === id)?.row.seq ?? null,
    body(seq, side, start, end) {
      const body = entries.get(seq)?.[side]
      return body ? { bytes: (body.bytes ?? new Uint8Array()).slice(start, end), kept: body.kept.kept } : null
    },
    countOverTime({ filter, from, to, buckets }) {
      const all = new Array<number>(buckets).fill(0)
      const failed = new Array<number>(buckets).fill(0)
      for (const { row } of passing({ ...filter, from, to })) {
        const at = Math.min(buckets - 1, Math.floor(((row.startedAt - from) / Math.max(1, to - from)) * buckets))
        all[at] = (all[at] ?? 0) + 1
        if (hasFailed(row)) failed[at] = (failed[at] ?? 0) + 1
      }
      return { all, failed }
    },
    info() {
      const times = [...entries.values()].map(({ row }) => row.startedAt)
      const oldestAt = times.length === 0 ? null : Math.min(...times)
      return { kind: 'memory', reason, exchanges: entries.size, bytes, oldestAt, droppedBodies, setAside: null }
    },
    judgePast: () => ({ judged: 0, left: 0 }),
    clear() {
      const before = entries.size
      for (const [seq, { row }] of entries) if (!row.pinned) remove(seq)
      changed(true)
      onFindings?.({ kind: 'all', findings: [] })
      return before - entries.size
    },
    clearFindings() {
      clearedTo = newest
      onFindings?.({ kind: 'all', findings: [] })
    },
    pin(seqs, pinned) {
      for (const seq of seqs) {
        const entry = entries.get(seq)
        if (entry) entry.row = { ...entry.row, pinned }
      }
      changed(true)
    },
    close: () => undefined,
  }
}

const whole = ({ kept, bytes }: MaskedBody): Uint8Array | null => (kept.missing === null ? bytes : null)

const textOf = ({ bytes }: MaskedBody): string =>
  bytes === null ? '' : Buffer.from(bytes.buffer, 0, bytes.byteLength).toString()
