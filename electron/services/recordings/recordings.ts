// Recordings: files that hold what was seen, so that others can believe and repeat it. The file
// itself is electron/recording-file, its types are shared/recordings.
// Read this file first, then recording-jobs.ts, exchange-selection.ts and recorded-parts.ts.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import { MAX_RECORDING_SLICE_BYTES, type RecordingEntry } from '../../../shared/ipc/recordings.ts'
import { ARCHIVE_EXTENSION, PAGE_EXTENSION, RECORDING_EXTENSION } from '../../../shared/recordings/recording.ts'
import { openRecordingFile } from '../../recording-file/open-recording-file.ts'
import type { Bus } from '../bus.ts'
import { makeDataDir, tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'
import type { Notices } from '../notices.ts'
import { toFileStem } from '../media/file-name.ts'
import type { RunComparisons } from './run-comparisons.ts'
import type { JobOptions, RecordingJobs, ReportProgress } from './recording-jobs.ts'
import { createRemovedError, openRecordingList, removeTemporaryFiles, type StoredRecording } from './recording-list.ts'

/** A recording that responds at an address of this machine. */
export interface ServedFile {
  readonly baseUrl: string
  readonly token: string
  close(): Promise<void>
}

export type Recordings = ReturnType<typeof createRecordings>

interface Options extends JobOptions {
  readonly bus: Bus
  readonly notices: Notices
  /** Asks the user where to save a file; null if files stay in the data directory. */
  readonly chooseFile: ((name: string) => Promise<string | null>) | null
  readonly serveFile: (file: string) => Promise<ServedFile>
}

/** Shortest time between two messages about the progress of a job. */
const PROGRESS_INTERVAL_MS = 100

/** The inputs and errors are those of `shared/ipc/recordings.ts`. */
export function createRecordings(options: Options) {
  const { dataDir, bus } = options
  const stored = openRecordingList(dataDir, options.notices)
  const servedById = new Map<string, ServedFile & { readonly tokenFile: string }>()
  const startsById = new Map<string, Promise<void>>()
  /** Paths of files that are about to be written. */
  const reservedPaths = new Set<string>()
  /** Pages that were saved in place of a recording since the program started. */
  const pagesById = new Map<string, string>()
  /** Files that this program keeps; others belong to the user. */
  const ownDir = path.join(dataDir, 'recordings')
  removeTemporaryFiles(ownDir)
  const isInDataDir = (file: string): boolean => path.dirname(file) === ownDir

  function getRecording(id: string): StoredRecording {
    const recording = stored.find(id)
    if (!recording) throw createRefusedError('RECORDING_UNKNOWN', 'This recording is not in the list (any more).')
    return recording
  }

  const getFile = (id: string): string => pagesById.get(id) ?? getRecording(id).file

  function toEntry(recording: StoredRecording): RecordingEntry {
    const { baseUrl, tokenFile } = servedById.get(recording.id) ?? {}
    const served = baseUrl === undefined || tokenFile === undefined ? null : { baseUrl, tokenFile }
    return { ...recording, isRemoved: !existsSync(recording.file), isInDataDir: isInDataDir(recording.file), served }
  }

  function put(recording: StoredRecording): RecordingEntry {
    stored.put(recording)
    bus.publish('recordings.changed', {})
    return toEntry(recording)
  }

  function chooseTarget(name: string): Promise<string | null> | string {
    const stem = toFileStem(name, 'recording')
    return options.chooseFile ? options.chooseFile(`${stem}${RECORDING_EXTENSION}`) : findFreePath(stem)
  }

  function findFreePath(stem: string): string {
    makeDataDir(ownDir)
    for (let number = 1; ; number += 1) {
      const file = path.join(ownDir, `${stem}${number === 1 ? '' : ` ${number}`}${RECORDING_EXTENSION}`)
      if (existsSync(file) || reservedPaths.has(file)) continue
      reservedPaths.add(file)
      return file
    }
  }

  /** In the browser the file stays until the page has read it, and the program starts anew. */
  const chooseExport = (id: string, name: string, extension: string): Promise<string | null> | string => {
    if (options.chooseFile) return options.chooseFile(`${toFileStem(name, 'recording')}${extension}`)
    makeDataDir(ownDir)
    return path.join(ownDir, `${id}${extension}`)
  }

  function createProgressReporter(jobId: string): ReportProgress {
    let reportedAt = -Infinity
    return (done, total, smallest) => {
      if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return
      reportedAt = performance.now()
      bus.publish('recordings.progress', { jobId, done, total, ...(smallest === undefined ? {} : { smallest }) })
    }
  }

  let jobs: Promise<RecordingJobs> | null = null
  /** The jobs are loaded when first needed, because they would delay each start. */
  const loadJobs = (): Promise<RecordingJobs> =>
    (jobs ??= import('./recording-jobs.ts').then(({ createRecordingJobs }) =>
      createRecordingJobs({
        ...options,
        getRecording,
        toEntry,
        put,
        chooseTarget,
        findFreePath,
        chooseExport,
        putPage(recording) {
          pagesById.set(recording.id, recording.file)
          return toEntry(recording)
        },
        ownDir,
        releasePath: (file) => void reservedPaths.delete(file),
        findByFile: (file) => stored.list().find((recording) => recording.file === file) ?? null,
        createProgressReporter,
      }),
    ))

  let comparisons: Promise<RunComparisons> | null = null
  const loadComparisons = (): Promise<RunComparisons> =>
    (comparisons ??= import('./run-comparisons.ts').then(({ createRunComparisons }) =>
      createRunComparisons({
        ...options,
        getFile: (id) => getRecording(id).file,
        createProgressReporter,
      }),
    ))

  return {
    list: (): RecordingEntry[] => stored.list().map(toEntry),
    getFile,
    loadJobs,
    loadComparisons,
    async serve(id: string): Promise<RecordingEntry> {
      const recording = getRecording(id)
      if (!servedById.has(id)) await (startsById.get(id) ?? startServing(recording))
      return toEntry(recording)
    },
    async stopServing(id: string): Promise<RecordingEntry> {
      const recording = getRecording(id)
      await stopServing(id)
      bus.publish('recordings.changed', {})
      return toEntry(recording)
    },
    async forget({ id, removesFile }: IpcInput<'recordings.forget'>): Promise<void> {
      const { file } = getRecording(id)
      await stopServing(id)
      if (removesFile && isInDataDir(file)) await rm(file, { force: true })
      stored.remove(id)
      bus.publish('recordings.changed', {})
    },
    /** @returns null if the user closed the dialog */
    async exportPage({ id }: IpcInput<'recordings.exportPage'>): Promise<{ file: string; bytes: number } | null> {
      const recording = getRecording(id)
      if (!existsSync(recording.file)) throw createRemovedError()
      const file = await chooseExport(id, recording.name, PAGE_EXTENSION)
      if (file === null) return null
      const { writeRecordingPage } = await import('../../recording-file/page-writer.ts')
      return { file, bytes: await writeRecordingPage(recording.file, options.pageTemplate, file) }
    },
    async readScreenshot({ id, name }: IpcInput<'recordings.screenshot'>) {
      const { openRecording } = await import('../../recording-file/recording-file.ts')
      const opened = await openRecording(getRecording(id).file)
      try {
        if (!opened.screenshots.includes(name))
          throw createRefusedError('SCREENSHOT_UNKNOWN', 'The recording has no such picture.')
        return { meta: {}, bytes: new Uint8Array(await opened.readScreenshot(name)).buffer }
      } finally {
        await opened.close()
      }
    },
    async readSlice({ id, start, end, exported }: IpcInput<'recordings.slice'>) {
      const extension = exported === 'page' ? PAGE_EXTENSION : ARCHIVE_EXTENSION
      const isSaved = exported === undefined || pagesById.has(id)
      const file = isSaved ? getFile(id) : path.join(ownDir, `${getRecording(id).id}${extension}`)
      const handle = await openRecordingFile(file).catch((error: unknown) => {
        throw createRemovedError(error)
      })
      try {
        const { size } = await handle.stat()
        const length = Math.max(0, Math.min(end, size, start + MAX_RECORDING_SLICE_BYTES) - start)
        const bytes = new ArrayBuffer(length)
        const { bytesRead } = await handle.read(new Uint8Array(bytes), 0, length, start)
        return { meta: { start, total: size }, bytes: bytes.slice(0, bytesRead) }
      } finally {
        await handle.close()
      }
    },
    async close(): Promise<void> {
      await Promise.allSettled(startsById.values())
      await Promise.all([...servedById.keys()].map(stopServing))
    },
  }

  function startServing({ id, file }: StoredRecording): Promise<void> {
    async function start(): Promise<void> {
      const served = await options.serveFile(file)
      const tokenFile = path.join(ownDir, `${id}.token`)
      try {
        writeAtomic(tokenFile, `${served.token}\n`, { backup: 'none' })
      } catch (error) {
        await served.close()
        throw error
      }
      servedById.set(id, { ...served, tokenFile })
      bus.publish('recordings.changed', {})
    }
    const started = start().finally(() => startsById.delete(id))
    startsById.set(id, started)
    return started
  }

  async function stopServing(id: string): Promise<void> {
    await startsById.get(id)?.catch(() => undefined)
    const served = servedById.get(id)
    if (!served) return
    servedById.delete(id)
    tryRemoveFile(served.tokenFile)
    await served.close()
  }
}
