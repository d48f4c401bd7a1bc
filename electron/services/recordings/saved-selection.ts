import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { LeftOut, RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { RecordingSource } from '../../recording-file/recording-writer.ts'
import { selectExchanges, type ExchangeSelection, type SelectionStore } from './exchange-selection.ts'
import { createOpenedSource, readOpenedExchanges, selectOpened, type OpenedSources } from './opened-recording.ts'
import { listRelatedParts, readExchanges, type PartSources, type RelatedParts } from './recorded-parts.ts'
import { createRecordingSource, listMissing, type SourceOptions } from './recording-source.ts'

export interface SavedSources extends PartSources {
  /** Returns null unless a recording is open: then what is saved comes from its file. */
  readonly getOpened: () => OpenedSources | null
}

export interface SavedSelection {
  readonly selection: ExchangeSelection
  readonly related: RelatedParts
  readonly store: SelectionStore
  readonly leftOut: readonly LeftOut[]
  readExchanges(): AsyncIterable<RecordedExchange>
  createSource(options: SourceOptions): Promise<RecordingSource>
}

/** @throws the errors of `selectExchanges`, and those of reading the open recording */
export async function selectSaved(
  { selection: input }: Pick<IpcInput<'recordings.save'>, 'selection'>,
  sources: SavedSources,
  signal: AbortSignal,
): Promise<SavedSelection> {
  const opened = sources.getOpened()
  if (opened) return selectOfOpened(input, opened, signal)
  const selection = await selectExchanges(input, sources, signal)
  const related = await listRelatedParts(selection, sources)
  return {
    selection,
    related,
    store: sources.store,
    leftOut: await listMissing(selection, related, sources.store),
    readExchanges: () => readExchanges(selection, sources.store, signal),
    createSource: (options) => createRecordingSource(selection, related, sources, options),
  }
}

async function selectOfOpened(
  input: IpcInput<'recordings.save'>['selection'],
  opened: OpenedSources,
  signal: AbortSignal,
): Promise<SavedSelection> {
  // Before that, only a part of the recording could be selected.
  await opened.whenFilled
  const exchanges = await selectExchanges(input, opened, signal)
  const selected = await selectOpened(exchanges, opened.file)
  const { selection, related } = selected
  return {
    selection,
    related,
    store: opened.store,
    leftOut: selected.leftOut,
    readExchanges: () => readOpenedExchanges(selection, opened.file),
    createSource: (options) => Promise.resolve(createOpenedSource(selected, options)),
  }
}
