// Lines of the parts of a recording that belong to selected exchanges.
import { createRefusedError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json/object.ts'
import type { OverrideRule } from '../../../shared/panel/overrides.ts'
import type { PanelNote } from '../../../shared/panel/panel.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import { isBindingDeviation, type Deviation } from '../../../shared/contract/deviation.ts'
import {
  findScreenshotType,
  limitExample,
  screenshotExtensions,
  snapshotLineSchema,
  toRecordedExchange,
  type RecordedExchange,
  type RecordedMoment,
  type RecordedPanelNote,
  type RecordedOperation,
  type SnapshotLine,
} from '../../../shared/recordings/recording.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { Screenshots } from '../../recording-file/recording-writer.ts'
import type { PanelPicture } from '../panel/panel-pictures.ts'
import type { OperationRecord } from '../operations/records/record.ts'
import type { OperationRecords } from '../operations/records/records.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { TrafficStore } from '../traffic/traffic-store.ts'
import type { BodyPlace, ExchangeSelection, SelectionSources } from './exchange-selection.ts'

/** Exchanges that are read from the store at the same time. */
const MAX_PARALLEL_READS = 8
const BODY_PIECE_BYTES = 4 * 1024 * 1024

export interface PartSources extends SelectionSources {
  readonly store: SelectionSources['store'] & Pick<TrafficStore, 'listDeviations'>
  readonly records: Pick<OperationRecords, 'find' | 'all' | 'getDetail'>
  readonly snapshots: Pick<Snapshots, 'list' | 'read'>
  readonly listNotes: () => readonly PanelNote[]
  readonly listPictures: () => Promise<readonly PanelPicture[]>
  readonly listRules: () => readonly OverrideRule[]
}

/** Everything of a recording that is small enough to be listed at once. */
export interface RelatedParts {
  readonly operations: readonly RecordedOperation[]
  readonly findings: readonly Finding[]
  readonly deviations: readonly Deviation[]
  readonly console: readonly RecordedPanelNote[]
  readonly overrides: readonly OverrideRule[]
  readonly snapshots: readonly SnapshotInfo[]
  readonly moments: readonly RecordedMoment[]
  /** Keyed by the names that the moments have for them. */
  readonly screenshots: Screenshots
}

export async function listRelatedParts(selection: ExchangeSelection, sources: PartSources): Promise<RelatedParts> {
  const operations = [...sources.records.all].filter((record) => isOperationSelected(record, selection))
  const topicids = new Set(selection.topicids)
  for (const { filterFacts } of operations) if (filterFacts.topicid !== null) topicids.add(filterFacts.topicid)
  const loads = findLoads(selection, sources.listNotes())
  return {
    operations: operations.map((record) => ({
      ...sources.records.getDetail(record),
      instanceNonce: record.instanceNonce,
    })),
    findings: sources.findings.listAll().filter(({ exchanges }) => selection.seqs.has(exchanges.at(-1) ?? 0)),
    deviations: await listDeviations(selection, sources.store),
    console: sources
      .listNotes()
      .filter((note) => isWithinLoads(note, loads))
      .map((note) => ({ ...note, caller: findCaller(selection) })),
    overrides: sources.listRules().filter(({ name }) => selection.rules.has(name)),
    snapshots: await listSnapshots(selection, topicids, sources.snapshots),
    ...toMoments(
      selection,
      (await sources.listPictures()).filter((picture) => isWithinLoads(picture, loads)),
    ),
  }
}

function toMoments(
  { panelCallers, seqs }: ExchangeSelection,
  pictures: readonly PanelPicture[],
): Pick<RelatedParts, 'moments' | 'screenshots'> {
  const moments: RecordedMoment[] = []
  const screenshots = new Map<string, () => Promise<Uint8Array>>()
  for (const { at, caller, seq, bytes } of pictures) {
    const type = bytes && findScreenshotType(bytes)
    if ((bytes && !type) || !panelCallers.has(caller)) continue
    const screenshot = type && `panel-${String(moments.length + 1).padStart(4, '0')}${screenshotExtensions[type]}`
    moments.push({ at, exchange: seq !== null && seqs.has(seq) ? seq : null, screenshot })
    if (bytes && screenshot) screenshots.set(screenshot, () => Promise.resolve(bytes))
  }
  return { moments, screenshots }
}

function isOperationSelected(record: OperationRecord, { ids, span, selection }: ExchangeSelection): boolean {
  if (selection.kind === 'operation') return record.id === selection.id
  // Loading the events of every operation would take long, so those of another time are skipped.
  if (span === null || record.stored.createdAt > span.to) return false
  return record.events.some((event) => 'exchangeId' in event && ids.has(event.exchangeId))
}

/**
 * A deviation names one exchange that shows it, which has to be in the recording. Differences from
 * what only another host was seen to do are none (see `isBinding`).
 */
async function listDeviations(
  { exchanges, seqs }: ExchangeSelection,
  store: Pick<TrafficStore, 'listDeviations'>,
): Promise<Deviation[]> {
  const { deviations } = await store.listDeviations()
  return deviations.filter(isBindingDeviation).flatMap((deviation) => {
    const { sampleSeq, firstSeq, lastSeq } = deviation
    const limited = limitExample(deviation, seqs)
    if (sampleSeq !== null && seqs.has(sampleSeq)) return [limited]
    const shownBy = [lastSeq, firstSeq].find((seq) => seqs.has(seq))
    const sample = exchanges.find(({ seq }) => seq === shownBy)
    return sample ? [{ ...limited, sampleSeq: sample.seq, sampleId: sample.id }] : []
  })
}

interface LoadSpan {
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Finds the span of those loads of a panel that made selected exchanges; null without any. */
export function findLoads(
  { panelCallers, span }: ExchangeSelection,
  notes: readonly Pick<PanelNote, 'kind' | 'at'>[],
): LoadSpan | null {
  if (panelCallers.size === 0 || span === null) return null
  const loadTimes = notes.filter(({ kind }) => kind === 'load').map((note) => note.at)
  const from = loadTimes.findLast((timestamp) => timestamp <= span.from) ?? span.from
  return { from, to: loadTimes.find((timestamp) => timestamp > span.to) ?? Infinity }
}

export function isWithinLoads({ at }: { readonly at: number }, loads: LoadSpan | null): boolean {
  return loads !== null && at >= loads.from && at < loads.to
}

const findCaller = ({ panelCallers }: ExchangeSelection): string | null =>
  panelCallers.size === 1 ? ([...panelCallers][0] ?? null) : null

/** Lists the last snapshot of each touched study set before the span, and those of the span. */
export async function listSnapshots(
  { hosts, span }: ExchangeSelection,
  topicids: ReadonlySet<string>,
  snapshots: Pick<Snapshots, 'list'>,
): Promise<SnapshotInfo[]> {
  if (span === null) return []
  const selected: SnapshotInfo[] = []
  for (const topicid of topicids) {
    const ofHosts = (await snapshots.list(topicid)).snapshots.filter(({ host }) => hosts.has(host))
    const before = ofHosts.find(({ endedAt }) => endedAt <= span.from)
    const within = ofHosts.filter(({ startedAt, endedAt }) => endedAt > span.from && startedAt <= span.to)
    selected.push(...(before ? [before] : []), ...within.toReversed())
  }
  return selected
}

/** Reads the selected exchanges in order, a few ahead of the one that is used. */
export async function* readExchanges(
  { exchanges }: ExchangeSelection,
  store: Pick<TrafficStore, 'exchange'>,
  signal: AbortSignal,
): AsyncGenerator<RecordedExchange> {
  for (let start = 0; start < exchanges.length; start += MAX_PARALLEL_READS) {
    signal.throwIfAborted()
    const part = exchanges.slice(start, start + MAX_PARALLEL_READS)
    const details = await Promise.all(part.map(({ seq }) => store.exchange({ seq })))
    for (const [index, detail] of details.entries()) {
      if (!detail) continue
      const recorded = toRecordedExchange(detail)
      yield part[index]?.isContext === true ? { ...recorded, context: true } : recorded
    }
  }
}

/** Reads the cards of snapshots, one snapshot at a time. */
export async function* readSnapshots(
  infos: readonly SnapshotInfo[],
  snapshots: Pick<Snapshots, 'read'>,
  signal: AbortSignal,
): AsyncGenerator<SnapshotLine> {
  for (const { topicid, id } of infos) {
    signal.throwIfAborted()
    const { meta, bytes } = await snapshots.read({ topicid, snapshot: id })
    yield { snapshot: meta }
    for (const card of readDocumentCards(bytes)) yield card
  }
}

/** The document of a snapshot has one card on each line (`formatSnapshotDocument`). */
function* readDocumentCards(bytes: ArrayBuffer): Generator<SnapshotLine> {
  const text = new TextDecoder().decode(bytes)
  for (let start = text.indexOf('\n"cards":['); start !== -1;) {
    const end = text.indexOf('\n', start + 1)
    const line = text.slice(start + 1, end === -1 ? undefined : end).replace(/,$/, '')
    start = end
    if (!line.startsWith('{')) continue
    const card: unknown = JSON.parse(line)
    if (isObject(card)) yield snapshotLineSchema.parse(card)
  }
}

/** Reads a small body whole, a large one in pieces; null if it was removed meanwhile. */
export async function readBody(
  store: Pick<TrafficStore, 'body'>,
  place: BodyPlace,
): Promise<Uint8Array | AsyncGenerator<Uint8Array> | null> {
  const first = await store.body(place.seq, place.side, 0, Math.min(place.bytes, BODY_PIECE_BYTES))
  if (!first || first.bytes.byteLength === 0) return null
  return first.bytes.byteLength >= place.bytes ? first.bytes : readPieces(store, place, first.bytes)
}

async function* readPieces(
  store: Pick<TrafficStore, 'body'>,
  { seq, side, bytes }: BodyPlace,
  first: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield first
  for (let start = first.byteLength; start < bytes;) {
    const piece = await store.body(seq, side, start, Math.min(bytes, start + BODY_PIECE_BYTES))
    if (!piece || piece.bytes.byteLength === 0)
      throw createRefusedError(
        'BODY_NOT_KEPT',
        'A body was removed from the recorded traffic while it was saved. Save again.',
      )
    yield piece.bytes
    start += piece.bytes.byteLength
  }
}
