import { defineStore } from './define-store.ts'
import { onScopeDispose, ref, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { IpcInput, IpcOutput, IpcPayload } from '../../shared/ipc/index.ts'
import {
  MAX_RECORDING_SLICE_BYTES,
  type OpenRecording,
  type RecordingEntry,
  type RecordingInfo,
  type RecordingPreview,
  type RecordingSelectionInput,
  type RecordingSource,
} from '../../shared/ipc/recordings.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { isCancellation, toAppError } from './errors.ts'
import { useServiceState } from './service-state.ts'

/** One way to select what is saved; the dialog offers those of the view that opens it. */
export interface RecordingChoice {
  readonly label: string
  readonly selection: RecordingSelectionInput
}

export interface RecordingDraft {
  /** The suggested name of the file, without its extension. */
  readonly name: string
  readonly choices: readonly [RecordingChoice, ...RecordingChoice[]]
}

export interface SavedFile {
  readonly entry: RecordingEntry
  /** Undefined for a recording, which is listed and can be read again. */
  readonly report?: RecordingInfo['report'] | undefined
}

const MAX_LISTED_RUNS = 8

export const useRecordings = defineStore('recordings', () => {
  const { state: list, error, tryApply } = useServiceState<readonly RecordingEntry[] | null>(null)
  /** Content of the dialog *Save recording…*; null while it is closed. */
  const draft = shallowRef<RecordingDraft | null>(null)
  /** The user's words of a recording that was not saved; closing the dialog does not lose them. */
  const steps = ref('')
  /** What was saved last, until the message about it is dismissed. */
  const saved = shallowRef<SavedFile | null>(null)

  /** Listings of Traffic that were compared since the page was loaded, the newest first. */
  const listedRuns = shallowRef<readonly string[]>([])

  const read = (): Promise<void> => tryApply(call('recordings.list', {}).then(({ recordings }) => recordings))

  subscribe('recordings.changed', () => void read())
  onServiceReachable(() => void read())

  return {
    list,
    error,
    draft,
    steps,
    saved,
    listedRuns,
    addListedRun: (run: string): void =>
      void (listedRuns.value = [run, ...listedRuns.value.filter((other) => other !== run)].slice(0, MAX_LISTED_RUNS)),
    read,
    open: (source: RecordingSource): Promise<OpenRecording> => call('recordings.open', { source }),
    choose: async (): Promise<string | null> => (await call('recordings.choose', {})).path,
    serve: (id: string): Promise<RecordingEntry> => call('recordings.serve', { id }),
    stopServing: (id: string): Promise<RecordingEntry> => call('recordings.stopServing', { id }),
    forget: (input: IpcInput<'recordings.forget'>): Promise<unknown> => call('recordings.forget', input),
    reveal: (id: string): Promise<unknown> => call('recordings.reveal', { id }),
  }
})

export function previewRecording(
  input: IpcInput<'recordings.preview'>,
  signal: AbortSignal,
): Promise<RecordingPreview> {
  return call('recordings.preview', input, { signal })
}

/** Resolves with the recording that is open in place of the host; null if none is. */
export async function readOpenedRecording(): Promise<RecordingEntry | null> {
  const { open } = await call('recordings.current', {}).catch(() => ({ open: null }))
  return open && open.entry
}

const MAX_FAILING_CALLS = 5
/** Calls that show a finding or, if there is none, those that were answered with an error. */
export async function readFailingCalls(): Promise<readonly ExchangeRow[]> {
  const sort = { by: 'time', descending: false } as const
  const withFindings = await call('traffic.head', { filter: { hasFinding: true }, sort })
  const { rows } =
    withFindings.rows.length > 0 ? withFindings : await call('traffic.head', { filter: { statuses: ['4', '5'] }, sort })
  return rows.slice(0, MAX_FAILING_CALLS)
}

export function readRecordingInfo(id: string, signal: AbortSignal): Promise<RecordingInfo> {
  return call('recordings.info', { id }, { signal })
}

export async function readScreenshot(id: string, name: string): Promise<Uint8Array> {
  return new Uint8Array((await call('recordings.screenshot', { id, name })).bytes)
}

export function exportArchive(id: string): Promise<IpcOutput<'recordings.exportArchive'>> {
  return call('recordings.exportArchive', { id })
}

export function exportPage(id: string): Promise<IpcOutput<'recordings.exportPage'>> {
  return call('recordings.exportPage', { id })
}

const exportTypes = { archive: 'application/json', page: 'text/html' } as const
export type ExportKind = keyof typeof exportTypes

/** Reads the file of a recording, or what was just exported of it, piece by piece. */
export async function readRecordingFile(id: string, signal: AbortSignal, exported?: ExportKind): Promise<Blob> {
  const pieces: Blob[] = []
  for (let start = 0, total = Infinity; start < total;) {
    const { meta, bytes } = await call(
      'recordings.slice',
      { id, start, end: start + MAX_RECORDING_SLICE_BYTES, ...(exported ? { exported } : {}) },
      { signal },
    )
    if (bytes.byteLength === 0) break
    // The browser may move the bytes of a blob to the disk.
    pieces.push(new Blob([bytes]))
    total = meta.total
    start += bytes.byteLength
  }
  return new Blob(pieces, { type: exported ? exportTypes[exported] : 'application/zip' })
}

type Progress = Omit<IpcPayload<'recordings.progress'>, 'jobId'>

/** Runs one long job at a time. A method returns null if it failed or was cancelled. */
export function useRecordingJob() {
  const isRunning = ref(false)
  const progress = shallowRef<Progress | null>(null)
  const error = shallowRef<AppError | null>(null)
  let controller = new AbortController()
  let runningId = ''

  async function run<T>(work: (jobId: string, options: { signal: AbortSignal }) => Promise<T>): Promise<T | null> {
    controller.abort()
    const { signal } = (controller = new AbortController())
    runningId = crypto.randomUUID()
    isRunning.value = true
    progress.value = error.value = null
    try {
      return await work(runningId, { signal })
    } catch (thrown) {
      if (controller.signal === signal && !isCancellation(thrown)) error.value = toAppError(thrown)
      return null
    } finally {
      if (controller.signal === signal) isRunning.value = false
    }
  }

  onScopeDispose(
    subscribe('recordings.progress', ({ jobId, ...next }) => {
      if (isRunning.value && jobId === runningId) progress.value = next
    }),
  )
  onScopeDispose(() => controller.abort())
  return {
    isRunning,
    progress,
    error,
    save: (input: Omit<IpcInput<'recordings.save'>, 'jobId'>) =>
      run((jobId, options) => call('recordings.save', { ...input, jobId }, options)),
    redact: (input: Omit<IpcInput<'recordings.redact'>, 'jobId'>) =>
      run((jobId, options) => call('recordings.redact', { ...input, jobId }, options)),
    /** The result is null if the user closed the dialog. */
    reduce: (input: Omit<IpcInput<'recordings.reduce'>, 'jobId'>) =>
      run((jobId, options) => call('recordings.reduce', { ...input, jobId }, options)),
    verify: (id: string) => run((jobId, options) => call('recordings.verify', { id, jobId }, options)),
    cancel: (): void => controller.abort(),
  }
}
