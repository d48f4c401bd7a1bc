// Saving while a recording stands in place of the host: lines of its file as they are, so
// that whoever opens a file and saves it again gets the same.
import type { RecordingSelectionInput } from '../../../shared/ipc/recordings.ts'
import {
  getSnapshotInfo,
  limitExample,
  type LeftOut,
  type LinePart,
  type RecordedExchange,
  type RecordedLine,
  type SnapshotLine,
} from '../../../shared/recordings/recording.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { RecordingFile } from '../../recording-file/recording-file.ts'
import { listSnapshotInfos } from '../../recording-file/recording-reader.ts'
import type { RecordingSource, Screenshots } from '../../recording-file/recording-writer.ts'
import { selectExchanges, type ExchangeSelection, type SelectionSources } from './exchange-selection.ts'
import { findLoads, isWithinLoads, listSnapshots, type RelatedParts } from './recorded-parts.ts'
import { listMissingBodies, type SavedSelection, type SourceOptions } from './recording-source.ts'

export interface OpenedSources extends SelectionSources {
  readonly file: RecordingFile
  /** Settles once everything is listed. @throws the errors of reading the file */
  readonly whenFilled: Promise<void>
}

/** They are counted anew for the selected exchanges. */
const STORAGE_REASONS: ReadonlySet<LeftOut['why']> = new Set<LeftOut['why']>(['not-stored', 'no-longer-stored'])

export async function selectOpened(
  input: RecordingSelectionInput,
  opened: OpenedSources,
  signal: AbortSignal,
): Promise<SavedSelection> {
  // Before that, only a part of the recording could be selected.
  await opened.whenFilled
  const { file, store } = opened
  const selection = await selectExchanges(input, opened, signal)
  const seqs = new Set<number>()
  for await (const { row } of readOpenedExchanges(selection, file)) seqs.add(row.seq)
  const { kind } = selection.selection
  const isAll = kind !== 'operation' && kind !== 'finding' && seqs.size === (file.manifest.parts.exchanges?.lines ?? 0)
  const select = <Part extends LinePart>(
    part: Part,
    isSelected: (line: RecordedLine<Part>) => boolean,
  ): Promise<RecordedLine<Part>[]> => file.listLines(part, isAll ? undefined : isSelected)
  const operationId = selection.selection.kind === 'operation' ? selection.selection.id : null
  const operations = await select('operations', ({ summary, events }) =>
    operationId === null
      ? events.some((event) => 'exchangeId' in event && selection.ids.has(event.exchangeId))
      : summary.id === operationId,
  )
  const notes = await file.listLines('console')
  const loads = findLoads(selection, notes)
  const moments = await select('moments', (moment) => isWithinLoads(moment, loads))
  const deviations = await select('deviations', ({ sampleSeq }) => sampleSeq !== null && seqs.has(sampleSeq))
  const steps = await select('steps', ({ exchange }) => exchange === null || seqs.has(exchange))
  const leftOut = isAll
    ? file.manifest.leftOut
    : [...listMissingBodies(selection), ...file.manifest.leftOut.filter(({ why }) => !STORAGE_REASONS.has(why))]
  const topicids = operations.flatMap(({ summary }) => summary.topicid ?? [])
  const related: RelatedParts = {
    operations,
    findings: await select('findings', ({ exchanges }) => seqs.has(exchanges.at(-1) ?? 0)),
    deviations: deviations.map((deviation) => (isAll ? deviation : limitExample(deviation, seqs))),
    console: isAll ? notes : notes.filter((note) => isWithinLoads(note, loads)),
    overrides: await select('overrides', ({ name }) => selection.rules.has(name)),
    snapshots: await selectSnapshots(selection, topicids, file, isAll),
    moments,
    screenshots: listScreenshots(file, isAll ? null : new Set(moments.map(({ screenshot }) => screenshot))),
  }
  const readExchanges = (): AsyncGenerator<RecordedExchange> => readOpenedExchanges(selection, file)
  const { snapshots, screenshots, ...lines } = related
  const { host, redaction, span, selection: earlierSelection } = file.manifest
  const createSource = ({ title, program, createdAt }: SourceOptions): RecordingSource => ({
    describe: () => ({
      createdAt,
      title,
      program,
      host,
      redaction,
      span: isAll ? span : selection.span,
      selection: isAll ? earlierSelection : selection.selection,
      leftOut: [...leftOut],
    }),
    lines: {
      ...lines,
      steps: steps.map((step) => (isAll ? step : { ...step, screenshot: null })),
      exchanges: readExchanges(),
      snapshots: readOpenedSnapshots(file, snapshots),
    },
    loadBody: (name) => Promise.resolve(file.hasBody(name) ? file.openBody(name) : null),
    screenshots,
    ...(isAll ? { otherEntries: file.readOtherEntries() } : {}),
  })
  return {
    selection,
    related,
    store,
    leftOut,
    readExchanges,
    createSource: (options) => Promise.resolve(createSource(options)),
  }
}

async function selectSnapshots(
  selection: ExchangeSelection,
  topicids: readonly string[],
  file: RecordingFile,
  isAll: boolean,
): Promise<SnapshotInfo[]> {
  const infos = await listSnapshotInfos(file)
  if (isAll) return infos
  return listSnapshots(selection, new Set([...selection.topicids, ...topicids]), {
    list: (topicid) =>
      Promise.resolve({ snapshots: infos.filter((info) => info.topicid === topicid).toReversed(), isOnDisk: true }),
  })
}

/** The lists of an open recording number its exchanges in the order of the file, from 1. */
async function* readOpenedExchanges(
  { exchanges }: ExchangeSelection,
  file: RecordingFile,
): AsyncGenerator<RecordedExchange> {
  const contexts = new Map(exchanges.map(({ seq, isContext }) => [seq, isContext]))
  let seq = 0
  for await (const exchange of file.readExchanges()) {
    seq += 1
    const isContext = contexts.get(seq)
    if (isContext !== undefined) yield isContext ? { ...exchange, context: true } : exchange
  }
}

async function* readOpenedSnapshots(file: RecordingFile, infos: readonly SnapshotInfo[]): AsyncGenerator<SnapshotLine> {
  const toKey = ({ topicid, id }: SnapshotInfo): string => `${id} ${topicid}`
  const keys = new Set(infos.map(toKey))
  let isSelected = false
  for await (const line of file.readLines('snapshots')) {
    const info = getSnapshotInfo(line)
    if (info) isSelected = keys.has(toKey(info))
    if (isSelected) yield line
  }
}

/** @param names those that are listed; null for all */
const listScreenshots = (file: RecordingFile, names: ReadonlySet<string | null> | null): Screenshots =>
  new Map(
    file.screenshots.filter((name) => names?.has(name) ?? true).map((name) => [name, () => file.readScreenshot(name)]),
  )
