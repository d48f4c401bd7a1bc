import type { RecordingSelectionInput } from '../../../shared/ipc/recordings.ts'
import { selectExchanges } from './exchange-selection.ts'
import { selectOpened, type OpenedSources } from './opened-recording.ts'
import { listRelatedParts, readExchanges, type PartSources } from './recorded-parts.ts'
import { createRecordingSource, listMissing, type SavedSelection } from './recording-source.ts'

export interface SavedSources extends PartSources {
  /** Returns null unless a recording is open: then what is saved comes from its file. */
  readonly getOpened: () => OpenedSources | null
}

/** @throws the errors of `selectExchanges`, and those of reading the open recording */
export async function selectSaved(
  input: RecordingSelectionInput,
  sources: SavedSources,
  signal: AbortSignal,
): Promise<SavedSelection> {
  const opened = sources.getOpened()
  if (opened) return selectOpened(input, opened, signal)
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
