import { CoverageCounter } from '../../../shared/panel/coverage.ts'
import type { CallInitiator } from '../../../shared/traffic/call-initiator.ts'
import { BoundedMap } from '../../core/protocol/rule-state.ts'
import { findBodyEncoding } from '../../../shared/traffic/body-text.ts'
import type { ExchangeDetail, ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { EntryMasker, type MaskedBody, type MaskedEntry } from './entry-masker.ts'
import { ContractJudge } from '../contract/contract-judge.ts'
import { createMemoryArchive } from '../contract/learned-routes.ts'
import { limitBytes } from '../contract/exchange-facts.ts'
import { isHostResponse } from '../contract/judged-state.ts'
import { NO_ARCHIVE, type ExchangeSource, type RecordedExchange } from '../contract/recorded-exchange.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { containsText, FindingsJudge } from '../findings/findings-judge.ts'
import { type PendingRow, type RawEntry, collectNamedIds, readPlacedBodies } from './entry.ts'
import { createRowComparator, hasFailed, matchesFilter } from './traffic-filter.ts'
import { MAX_HEAD_ROWS, type MemoryStoreReason } from '../../../shared/ipc/traffic.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import { createListHead, type RetentionBounds, type StoreListeners, type TrafficStore } from './traffic-store.ts'

interface MemoryEntry extends Omit<MaskedEntry, 'row'> {
  row: ExchangeRow
  readonly beganAt: number
  readonly request: MaskedBody
  readonly response: MaskedBody
}

interface Options extends StoreListeners {
  readonly reason: MemoryStoreReason
  readonly maxExchanges?: number
  readonly maxBytes?: number
}

/** Estimated memory of an exchange in bytes, without its bodies. */
const ENTRY_BYTES = 2_048
/** Maximum number of initiators, which take some kilobytes each. */
const MAX_INITIATORS = 2_000

/**
 * Creates a store that keeps the most recent exchanges in memory, for when the database cannot be
 * used, and for a command that writes nothing to the data directory. The oldest exchanges are
 * removed to make room; pinned ones stay.
 */
export function createMemoryStore({
  reason,
  onChange,
  onFindings,
  onContract,
  onDamaged,
  maxExchanges = 2_000,
  maxBytes = 64 * 1024 * 1024,
}: Options): TrafficStore {
  const masker = new EntryMasker()
  const entries = new Map<number, MemoryEntry>()
  /** Keyed by the id of the exchange, which may still be in progress. */
  const initiators = new BoundedMap<CallInitiator>(MAX_INITIATORS)
  const judge = new FindingsJudge({
    conceal: (text) => masker.conceal(text),
    contains: (seq, text) => {
      const body = entries.get(seq)?.response
      return body?.bytes ? containsText(body.bytes, text, body.kept.missing === null) : null
    },
    getClearedSeq: () => clearedSeq,
    onChange: (change) => onFindings?.(change),
  })
  const contract = new ContractJudge({
    source: createExchangeSource(entries, () => newest),
    archive: NO_ARCHIVE,
    learned: createMemoryArchive(),
    onChange: onContract,
  })
  let newest = 0
  let bytes = 0
  let droppedBodies = 0
  let keepMs = Infinity
  let clearedSeq = 0

  const estimateBytes = ({ request, response }: MemoryEntry): number =>
    ENTRY_BYTES + request.kept.kept + response.kept.kept
  const reportChange = (shouldReread: boolean): void =>
    onChange({ newest, exchanges: entries.size, reread: shouldReread })

  function remove(seq: number): void {
    const entry = entries.get(seq)
    if (!entry) return
    entries.delete(seq)
    initiators.delete(entry.row.id)
    bytes -= estimateBytes(entry)
  }

  function removeExcess(): void {
    const newestBeganAt = entries.get(newest)?.beganAt ?? 0
    for (const [seq, { row, beganAt }] of entries) {
      const isOld = beganAt < newestBeganAt - keepMs
      if (!isOld && entries.size <= maxExchanges && bytes <= maxBytes) return
      if (!row.pinned) remove(seq)
    }
  }

  const buildSearchableText = ({ requestHeaders, responseHeaders, request, response }: MemoryEntry): string =>
    [...requestHeaders, ...responseHeaders].map((header) => header.join(': ')).join('\n') +
    `\n${decodeBody(request)}\n${decodeBody(response)}`

  function buildDetail(entry: MemoryEntry): ExchangeDetail {
    const { row, request, response, requestHeaders, responseHeaders, error, maskedCount } = entry
    const allEntries = [...entries.values()]
    const initiator = initiators.get(row.id)
    const isBefore = (candidate: MemoryEntry): boolean =>
      candidate.row.seq < row.seq &&
      candidate.row.state === 'answered' &&
      candidate.row.host === row.host &&
      candidate.row.method === row.method &&
      candidate.row.path === row.path &&
      candidate.request.kept.hash === request.kept.hash
    return {
      row,
      requestHeaders: [...requestHeaders],
      responseHeaders: [...responseHeaders],
      error,
      request: request.kept,
      response: response.kept,
      attempts: allEntries.filter((candidate) => candidate.row.group === row.group).map((other) => other.row.seq),
      before: allEntries.findLast(isBefore)?.row.seq ?? null,
      names: collectNamedIds(row, decodeBody(request), decodeBody(response)),
      masked: maskedCount,
      ...(initiator === undefined ? {} : { initiator }),
    }
  }

  const filterEntries = (filter: Parameters<typeof matchesFilter>[1]): MemoryEntry[] =>
    [...entries.values()].filter((entry) =>
      matchesFilter(entry.row, filter, (text) => foldText(buildSearchableText(entry)).includes(text)),
    )

  /** Returns a function that finds the first stored attempt at the same request as a given row. */
  function createFirstAttemptLookup(): (row: ExchangeRow) => ExchangeRow {
    const firstByGroup = new Map<string, ExchangeRow>()
    for (const { row } of entries.values()) {
      const knownFirst = firstByGroup.get(row.group)
      if (!knownFirst || row.attempt < knownFirst.attempt) firstByGroup.set(row.group, row)
    }
    return (row) => (row.attempt === 1 ? row : (firstByGroup.get(row.group) ?? row))
  }

  const readRows = (seqs: readonly number[]): ExchangeRow[] => seqs.flatMap((seq) => entries.get(seq)?.row ?? [])

  const listRows = (
    filter: TrafficFilter,
    sort: TrafficSort,
    findFirstAttempt: (row: ExchangeRow) => ExchangeRow,
  ): ExchangeRow[] =>
    filterEntries(filter)
      .map(({ row }) => row)
      .sort(createRowComparator(sort, findFirstAttempt, ({ seq }) => entries.get(seq)?.beganAt ?? 0))

  return {
    add(added: RawEntry) {
      newest += 1
      const raw = readPlacedBodies(added, onDamaged)
      const maskedEntry = masker.maskEntry(raw)
      const request = masker.maskBody(raw.request, raw.token)
      const response = masker.maskBody(raw.response, raw.token)
      const maskedCount = maskedEntry.maskedCount + request.masked + response.masked
      const entry: MemoryEntry = {
        ...maskedEntry,
        row: { ...maskedEntry.row, seq: newest },
        beganAt: raw.beganAt,
        request,
        response,
        maskedCount,
      }
      entries.set(newest, entry)
      bytes += estimateBytes(entry)
      removeExcess()
      reportChange(false)
      if (onFindings) {
        judge.observeExchanges([
          {
            beganAt: raw.beganAt,
            endedAt: raw.endedAt,
            row: entry.row,
            panelCall: raw.panelCall,
            request: getCompleteBytes(request),
            response: getCompleteBytes(response),
          },
        ])
      }
      if (onContract) contract.judgeNew(0)
    },
    addPending: (_row: PendingRow) => undefined,
    hasRoom: (size) => size <= maxBytes / 4,
    recordDropped() {
      droppedBodies += 1
    },
    checkPending: (now, underWay) => judge.checkPending(now, underWay),
    recordCallersEnded: (scope, end) => judge.recordCallersEnded(scope, end),
    areCallersOwing: (scope) => judge.areCallersOwing(scope),
    recordPageLeft: (caller, load) => judge.recordPageLeft(caller, load),
    recordHold: (caller) => judge.recordHold(caller),
    recordGap: (now) => judge.recordGap(now),
    recordInitiator: (id, initiator) => initiators.set(id, masker.maskInitiator(initiator)),
    addTokens: (tokens) => masker.addTokens(tokens),
    setBounds({ keepDays }: RetentionBounds) {
      keepMs = keepDays * 86_400_000
      removeExcess()
    },
    find(filter, sort, after) {
      const findFirstAttempt = createFirstAttemptLookup()
      const newer = listRows(filter, sort, findFirstAttempt).filter(({ seq }) => seq > after)
      const scattered = after > 0 && newer.some((row) => findFirstAttempt(row).seq <= after)
      return { seqs: Uint32Array.from(newer, ({ seq }) => seq), newest, incomplete: false, scattered }
    },
    head(filter, sort, limit = MAX_HEAD_ROWS) {
      const seqs = listRows(filter, sort, createFirstAttemptLookup()).map(({ seq }) => seq)
      return createListHead(seqs, limit, true, { newest, rows: readRows })
    },
    rows: readRows,
    exchange({ seq, id }) {
      const entry = seq === undefined ? [...entries.values()].find(({ row }) => row.id === id) : entries.get(seq)
      return entry ? buildDetail(entry) : null
    },
    seqOf: (id) => [...entries.values()].find(({ row }) => row.id === id)?.row.seq ?? null,
    body(seq, side, start, end) {
      const body = entries.get(seq)?.[side]
      return body ? { bytes: (body.bytes ?? new Uint8Array()).slice(start, end), kept: body.kept.kept } : null
    },
    listBodies: (seqs) =>
      seqs.flatMap((seq) => {
        const entry = entries.get(seq)
        return entry
          ? [{ seq, orderedAt: entry.beganAt, request: entry.request.kept, response: entry.response.kept }]
          : []
      }),
    listInitiators: (seqs) =>
      seqs.flatMap((seq) => {
        const initiator = initiators.get(entries.get(seq)?.row.id ?? '')
        return initiator ? [{ seq, initiator }] : []
      }),
    countOverTime({ filter, from, to, buckets }) {
      const all = new Array<number>(buckets).fill(0)
      const failed = new Array<number>(buckets).fill(0)
      for (const { row } of filterEntries({ ...filter, from, to })) {
        const bucket = Math.min(buckets - 1, Math.floor(((row.startedAt - from) / Math.max(1, to - from)) * buckets))
        all[bucket] = (all[bucket] ?? 0) + 1
        if (hasFailed(row)) failed[bucket] = (failed[bucket] ?? 0) + 1
      }
      return { all, failed }
    },
    countCoverage(after) {
      const counter = new CoverageCounter()
      const rows = [...entries.values()].map(({ row }) => row).filter(({ seq }) => seq > after)
      for (const row of rows) counter.add(row)
      return { routes: counter.list(), counted: rows.length, lastSeq: newest, isWhole: true }
    },
    info() {
      const times = [...entries.values()].map(({ row }) => row.startedAt)
      const oldestAt = times.length === 0 ? null : Math.min(...times)
      return { kind: 'memory', reason, exchanges: entries.size, bytes, oldestAt, droppedBodies, setAside: null }
    },
    judgePast: () => ({ judged: 0, left: 0 }),
    ...contract.toStoreMethods(),
    clear() {
      const previousCount = entries.size
      for (const [seq, { row }] of entries) if (!row.pinned) remove(seq)
      reportChange(true)
      onFindings?.({ kind: 'all', findings: [] })
      contract.forget()
      return previousCount - entries.size
    },
    clearFindings() {
      clearedSeq = newest
      onFindings?.({ kind: 'all', findings: [] })
    },
    pin(seqs, pinned) {
      for (const seq of seqs) {
        const entry = entries.get(seq)
        if (entry) entry.row = { ...entry.row, pinned }
      }
      reportChange(true)
    },
    close: () => undefined,
  }
}

const getCompleteBytes = ({ kept, bytes }: MaskedBody): Uint8Array | null => (kept.missing === null ? bytes : null)

const decodeBody = ({ bytes, kept }: MaskedBody): string =>
  bytes === null ? '' : new TextDecoder(findBodyEncoding(bytes, kept).encoding).decode(bytes)

const isCapabilities = (row: ExchangeRow, host: string): boolean =>
  row.host === host && row.endpoint === 'capabilities.get' && row.status === 200 && isHostResponse(row)

function createExchangeSource(entries: ReadonlyMap<number, MemoryEntry>, getNewest: () => number): ExchangeSource {
  const toExchange = ({ row, request, response }: MemoryEntry): RecordedExchange => ({
    row,
    requestHash: request.kept.hash,
    responseHash: response.kept.hash,
    requestSize: request.kept.kept,
    responseSize: response.kept.kept,
    readRequest: () => ({ bytes: request.bytes, isWhole: request.kept.missing === null }),
    readResponse: (maxBytes) => limitBytes(response.bytes, response.kept.missing === null, maxBytes),
  })
  const find = (matches: (row: ExchangeRow) => boolean): MemoryEntry | undefined =>
    [...entries.values()].find(({ row }) => matches(row))
  return {
    readNext(after, route) {
      const entry = find(
        ({ seq, method, endpoint }) =>
          seq > after && (!route || (method === route.method && endpoint === route.endpoint)),
      )
      return entry ? toExchange(entry) : null
    },
    findCapabilities(host, after, upTo) {
      const entry = [...entries.values()].findLast(
        ({ row }) => row.seq > after && row.seq <= upTo && isCapabilities(row, host),
      )
      return entry ? toExchange(entry) : null
    },
    findNextCapabilities(host, seq) {
      const entry = find((row) => row.seq > seq && isCapabilities(row, host))
      return entry ? toExchange(entry) : null
    },
    countAfter: (seq) => [...entries.keys()].filter((key) => key > seq).length,
    isStored: (seq) => entries.has(seq),
    newest: getNewest,
  }
}
