import type { RecordingSource } from '../../recording-file/recording-writer.ts'
import { MAX_ROWS_PER_CALL } from '../../../shared/ipc/traffic.ts'
import {
  combineLeftOut,
  listLeftOut,
  type LeftOut,
  type ManifestFacts,
  type RecordedExchange,
  type RecordingManifest,
} from '../../../shared/recordings/recording.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import { getMember } from '../../../shared/json/object.ts'
import type { ExchangeSelection, SelectionStore } from './exchange-selection.ts'
import { readBody, readExchanges, readSnapshots, type PartSources, type RelatedParts } from './recorded-parts.ts'

export interface SourceOptions {
  readonly title: string
  readonly program: RecordingManifest['program']
  readonly createdAt: number
  readonly signal: AbortSignal
}

/** The selected parts of stored traffic or of an open recording. */
export interface SavedSelection {
  readonly selection: ExchangeSelection
  readonly related: RelatedParts
  readonly store: SelectionStore
  readonly leftOut: readonly LeftOut[]
  readExchanges(): AsyncIterable<RecordedExchange>
  createSource(options: SourceOptions): Promise<RecordingSource>
}

export async function createRecordingSource(
  selection: ExchangeSelection,
  related: RelatedParts,
  sources: PartSources,
  { title, program, createdAt, signal }: SourceOptions,
): Promise<RecordingSource> {
  const { store, snapshots } = sources
  const { snapshots: snapshotInfos, screenshots, ...lines } = related
  const host = await readHostFacts(selection, store)
  const missing = await listMissing(selection, related, store)
  /** A body is read several times. */
  const goneBodies = new Set<string>()
  const describe = (): ManifestFacts => ({
    createdAt,
    title,
    program,
    host,
    span: selection.span,
    selection: selection.selection,
    leftOut: combineLeftOut(missing, listLeftOut('no-longer-stored', { bodies: goneBodies.size })),
    redaction: null,
  })
  return {
    describe,
    screenshots,
    lines: {
      ...lines,
      exchanges: readExchanges(selection, store, signal),
      // A redaction reads them twice.
      snapshots: { [Symbol.asyncIterator]: () => readSnapshots(snapshotInfos, snapshots, signal) },
    },
    async loadBody(name) {
      const place = selection.bodies.get(name)
      const content = place && (await readBody(store, place))
      if (!content) goneBodies.add(name)
      return content ?? null
    },
  }
}

async function readHostFacts(
  { status }: ExchangeSelection,
  store: PartSources['store'],
): Promise<RecordingManifest['host']> {
  const { baseUrl } = status
  if (status.seq === null) return { baseUrl, name: null, version: null }
  const body = await store.body(status.seq, 'response', 0, MAX_STATUS_BYTES)
  const value = parseBodyText(new TextDecoder().decode(body?.bytes))
  const readText = (member: string): string | null => {
    const text = getMember(value, member)
    return typeof text === 'string' && text !== '' ? text.slice(0, MAX_FACT_CHARS) : null
  }
  return { baseUrl, name: readText('app'), version: readText('appVersion') }
}

const MAX_STATUS_BYTES = 100_000
const MAX_FACT_CHARS = 500

/** Includes what is missing of the exchanges from which their findings follow. */
export async function listMissing(
  selection: ExchangeSelection,
  { findings }: Pick<RelatedParts, 'findings'>,
  store: Pick<SelectionStore, 'rows'>,
): Promise<LeftOut[]> {
  const seqs = findings.flatMap(({ exchanges }) => exchanges)
  const absent = [...new Set(seqs)].filter((seq) => !selection.seqs.has(seq))
  let stored = 0
  for (let start = 0; start < absent.length; start += MAX_ROWS_PER_CALL)
    stored += (await store.rows(absent.slice(start, start + MAX_ROWS_PER_CALL))).length
  return [
    ...listMissingBodies(selection),
    ...listLeftOut('not-selected', { 'finding-exchanges': stored }),
    ...listLeftOut('no-longer-stored', { 'finding-exchanges': absent.length - stored }),
  ]
}

/** Bodies of the selected exchanges of which the program has not stored all bytes. */
export function listMissingBodies({ missingBodies }: ExchangeSelection): LeftOut[] {
  const removed = missingBodies.get('removed') ?? 0
  const all = [...missingBodies.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...listLeftOut('not-stored', { bodies: all - removed }),
    ...listLeftOut('no-longer-stored', { bodies: removed }),
  ]
}
