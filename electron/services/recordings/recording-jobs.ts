import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import {
  MAX_REPORT_CHARS,
  type CheckedRecording,
  type ExportedArchive,
  type RecordingEntry,
  type RecordingInfo,
  type RecordingPreview,
  type SmallestCase,
} from '../../../shared/ipc/recordings.ts'
import { getFindingGroupId, groupFindings } from '../../../shared/protocol/finding.ts'
import {
  ARCHIVE_EXTENSION,
  combineRedactions,
  DEFAULT_REDACTION,
  PAGE_EXTENSION,
  RECORDING_EXTENSION,
  type RedactionPolicy,
} from '../../../shared/recordings/recording.ts'
import { looksLikeArchive } from '../../recording-file/archive-reader.ts'
import { exportArchive } from '../../recording-file/archive-writer.ts'
import { assertWithinLimit } from '../../recording-file/limits.ts'
import { assertPageBuilt, writeRecordingPage } from '../../recording-file/page-writer.ts'
import { openRecording, type RecordingFile } from '../../recording-file/recording-file.ts'
import { isKnownPart } from '../../recording-file/recording-reader.ts'
import { createReducedSource, loadReducibleRecording } from '../../recording-file/reduction.ts'
import { redactRecording } from '../../recording-file/redaction.ts'
import { writeRecording, type RecordingProgress, type RecordingSource } from '../../recording-file/recording-writer.ts'
import { readSeals } from '../../recording-file/seal-reader.ts'
import { verifyRecording } from '../../recording-file/verification.ts'
import { withTemporaryFile, writeWhole } from '../../recording-file/whole-file.ts'
import type { Log } from '../files/log.ts'
import { toFileStem } from '../media/file-name.ts'
import type { Cipher } from '../vault/cipher.ts'
import { importArchive } from './archive/archive-import.ts'
import { addOwnSteps, checkPictures, countOwnPictures } from './own-steps.ts'
import { findSmallestCase, type SmallestCaseOptions } from './reduction/smallest-case.ts'
import { RecordingRedaction } from './redaction/recording-redaction.ts'
import { createRemovedError, describeWritten, toManifestMembers, type StoredRecording } from './recording-list.ts'
import { createPreview } from './recording-preview.ts'
import { selectSaved, type SavedSources } from './saved-selection.ts'
import { createSigningKeys } from './signing-key.ts'

export interface JobOptions extends SavedSources {
  readonly dataDir: string
  readonly log: Log
  readonly cipher: Cipher | null
  readonly version: string
  /** Path of the page as it is built, into which a recording is written. */
  readonly pageTemplate: string
  /** Sends the requests of a recording again to the recording itself. */
  readonly repeatRequests: SmallestCaseOptions['repeatRequests']
  readonly getTokens: () => readonly string[]
}

interface ListedRecordings {
  /** @throws RECORDING_UNKNOWN */
  getRecording(id: string): StoredRecording
  findByFile(file: string): StoredRecording | null
  toEntry(recording: StoredRecording): RecordingEntry
  put(recording: StoredRecording): RecordingEntry
  /** @returns null if the user closed the dialog */
  chooseTarget(name: string): Promise<string | null> | string | null
  /** Others leave the path alone until it is released. */
  findFreePath(stem: string): string
  /** Call this once a file was written to a path of this list, or is not going to be. */
  releasePath(file: string): void
  /** Asks for a place. @returns null if the user closed the dialog */
  chooseExport(id: string, name: string, extension: string): Promise<string | null> | string
  /** Remembers a page instead of listing a recording. */
  putPage(page: StoredRecording): RecordingEntry
  createProgressReporter(jobId: string): ReportProgress
  /** Files go here if the user gives no place. */
  readonly ownDir: string
}

/** Tells progress; a null `total` is unknown, `smallest` counts exchanges of the best case. */
export type ReportProgress = (done: number, total: number | null, smallest?: number) => void

/** Pictures that the user adds, as files. */
type WithPicturePaths<Name extends 'save' | 'preview'> = Omit<IpcInput<`recordings.${Name}`>, 'pictures'> & {
  readonly pictures: readonly string[]
}

export type RecordingJobs = ReturnType<typeof createRecordingJobs>

const PROGRAM_NAME = 'Bridge Inspector'
/** The smallest recording that was found by then is saved. */
const REDUCTION_TIME_LIMIT_MS = 60_000

/** The inputs and errors are those of `shared/ipc/recordings.ts`. */
export function createRecordingJobs(options: JobOptions & ListedRecordings) {
  const { version, getRecording, findByFile, toEntry, put, chooseTarget, findFreePath, chooseExport } = options
  const { createProgressReporter, releasePath, pageTemplate, putPage } = options
  const signingKeys = createSigningKeys(options)
  const { ownDir: temporaryDir } = options
  const program = { name: PROGRAM_NAME, version }

  const createRedaction = (policy: RedactionPolicy, loadBody: RecordingSource['loadBody']): RecordingRedaction =>
    new RecordingRedaction({ policy, tokens: options.getTokens(), loadBody })

  /** A name becomes the title, and the name of a file. */
  const maskName = (name: string): string =>
    new RecordingRedaction({ policy: DEFAULT_REDACTION, tokens: options.getTokens() }).maskText(name)

  async function importFile(file: string, name: string): Promise<string> {
    const stem = path.basename(name, path.extname(name))
    const { sign } = await signingKeys.get()
    return writeOwnFile(toFileStem(stem, 'recording'), (target) =>
      importArchive(file, target, { title: stem, program, tokens: options.getTokens(), sign, temporaryDir }),
    )
  }

  /** @returns the path of the file */
  async function writeOwnFile(stem: string, write: (target: string) => Promise<unknown>): Promise<string> {
    const target = findFreePath(stem)
    try {
      await write(target)
      return target
    } finally {
      releasePath(target)
    }
  }

  /** @returns null if the user closed the dialog */
  async function writeTarget<T>(name: string, write: (target: string) => Promise<T>): Promise<T | null> {
    const target = await chooseTarget(name)
    if (target === null) return null
    try {
      return await write(target)
    } finally {
      releasePath(target)
    }
  }

  /** Keeps the recording in the page only. @throws as `writeRecordingPage`, and as `write` */
  async function writePage(
    name: string,
    write: (recordingFile: string) => Promise<StoredRecording>,
    signal: AbortSignal,
  ): Promise<IpcOutput<'recordings.save'>> {
    assertPageBuilt(pageTemplate)
    const id = randomUUID()
    const file = await chooseExport(id, name, PAGE_EXTENSION)
    if (file === null) return { entry: null }
    return withTemporaryFile(temporaryDir, `${id}${RECORDING_EXTENSION}`, async (recordingFile) => {
      const recording = await write(recordingFile)
      const bytes = await writeRecordingPage(recordingFile, pageTemplate, file, signal)
      const report = await withFile(recordingFile, readReport)
      return { entry: putPage({ ...recording, id, file, bytes }), report }
    })
  }

  return {
    async save(input: WithPicturePaths<'save'>, signal: AbortSignal): Promise<IpcOutput<'recordings.save'>> {
      const { redaction: policy, name, steps: text, jobId } = input
      const saved = await selectSaved(input.selection, options, signal)
      const pictures = await checkPictures(input.pictures)
      const { selection, related } = saved
      assertWithinLimit('exchanges', selection.exchanges.length)
      const title = maskName(name)
      async function write(file: string): Promise<StoredRecording> {
        const createdAt = Date.now()
        const facts = { title, program, createdAt, signal }
        const source = await saved.createSource(facts)
        const redaction = createRedaction(policy, source.loadBody)
        const redacted = addOwnSteps(await redaction.redactSource(source, saved.readExchanges), {
          text,
          pictures,
          redaction: new RecordingRedaction({ policy, tokens: options.getTokens(), keepsSteps: true }),
        })
        // Like the steps, the title is written for whoever gets the recording.
        const describe = () => ({
          ...redacted.describe(),
          title,
          redaction: combineRedactions(source.describe().redaction, policy),
        })
        const total = selection.exchanges.length + selection.bodies.size
        const report = createProgressReporter(jobId)
        const onProgress = ({ exchanges, bodies }: RecordingProgress): void => report(exchanges + bodies, total)
        const { sign, fingerprint } = await signingKeys.get()
        const manifest = await writeRecording(
          file,
          { ...redacted, describe },
          { signal, onProgress, sign, temporaryDir },
        )
        const counts = { ...toManifestMembers(manifest, file).counts, snapshots: related.snapshots.length }
        return describeWritten(file, manifest, { fingerprint, savedAt: createdAt, counts })
      }
      if (input.format === 'page') return writePage(title, write, signal)
      return { entry: await writeTarget(title, async (file) => put(await write(file))) }
    },
    async info(id: string): Promise<RecordingInfo> {
      const recording = getRecording(id)
      return withFile(recording.file, async (opened) => {
        return {
          entry: toEntry(recording),
          manifest: opened.manifest,
          unknownParts: Object.keys(opened.manifest.parts).filter((part) => !isKnownPart(part)),
          steps: await opened.listLines('steps'),
          moments: await opened.listLines('moments'),
          findings: groupFindings(await opened.listLines('findings', (finding) => finding.withdrawnAt === undefined)),
          report: await readReport(opened),
        }
      })
    },
    async preview(
      { redaction: policy, pictures: picturePaths, selection: selectionInput }: WithPicturePaths<'preview'>,
      signal: AbortSignal,
    ): Promise<RecordingPreview> {
      const pictures = await checkPictures(picturePaths)
      const preview = await createPreview({
        ...(await selectSaved(selectionInput, options, signal)),
        signal,
        createRedaction: (loadBody) => createRedaction(policy, loadBody),
      })
      return countOwnPictures(preview, pictures.length, policy)
    },
    verify: async ({ id, jobId }: IpcInput<'recordings.verify'>, signal: AbortSignal): Promise<CheckedRecording> =>
      withFile(getRecording(id).file, async (opened) => ({
        ...(await verifyRecording(opened, { signal, onProgress: createProgressReporter(jobId) })),
        ownFingerprint: (await signingKeys.get()).fingerprint,
      })),
    /** @param source the path of the file */
    redact: (
      source: string,
      { redaction: policy, jobId }: Pick<IpcInput<'recordings.redact'>, 'redaction' | 'jobId'>,
      signal: AbortSignal,
    ): Promise<RecordingEntry | null> =>
      withFile(source, async (opened) => {
        const name = findByFile(source)?.name ?? path.basename(source, path.extname(source))
        return writeTarget(`${name} redacted`, async (file) => {
          const redaction = new RecordingRedaction({ policy, tokens: options.getTokens() })
          const report = createProgressReporter(jobId)
          const { exchanges, bodies } = opened.manifest.parts
          const total = (exchanges?.lines ?? 0) + (bodies?.entries ?? 0)
          const onProgress = (done: RecordingProgress): void => report(done.exchanges + done.bodies, total)
          const { sign } = await signingKeys.get()
          const manifest = await redactRecording(opened, file, redaction, {
            policy,
            signal,
            onProgress,
            sign,
            temporaryDir,
          })
          const fingerprint = await readFingerprint(opened)
          // The title may be redacted; the file has a name that the user knows.
          const fileName = path.basename(file, path.extname(file))
          return put(await describeWritten(file, manifest, { fingerprint, savedAt: Date.now(), name: fileName }))
        })
      }),
    reduce: async (
      { id, finding: groupId, name, jobId }: IpcInput<'recordings.reduce'>,
      signal: AbortSignal,
    ): Promise<SmallestCase | null> =>
      withFile(getRecording(id).file, async (opened) => {
        const findings = await opened.listLines('findings', (finding) => getFindingGroupId(finding) === groupId)
        if (findings.length === 0) throw createRefusedError('FINDING_UNKNOWN', 'The recording has no such finding.')
        const recording = await loadReducibleRecording(opened)
        const report = createProgressReporter(jobId)
        const { candidate, finding, ...outcome } = await findSmallestCase(recording, findings, {
          signal,
          repeatRequests: options.repeatRequests,
          timeLimitMs: REDUCTION_TIME_LIMIT_MS,
          onProgress: ({ tries, exchanges }) => report(tries, null, exchanges),
        })
        const title = maskName(name)
        return writeTarget(title, async (file) => {
          const source = await createReducedSource(opened, candidate, { title, program, finding, groupId })
          const { sign, fingerprint } = await signingKeys.get()
          const manifest = await writeRecording(file, source, { signal, sign, temporaryDir })
          const facts = { fingerprint, savedAt: manifest.createdAt }
          return { entry: put(await describeWritten(file, manifest, facts)), ...outcome }
        })
      }),
    /** The path of a recording, made of an HTTP archive if need be. @throws errors of importing */
    findRecording: async (file: string): Promise<string> =>
      (await looksLikeArchive(file)) ? importFile(file, file) : file,
    /** @returns null if the user closed the dialog */
    async exportArchive(
      { id }: IpcInput<'recordings.exportArchive'>,
      signal: AbortSignal,
    ): Promise<ExportedArchive | null> {
      const recording = getRecording(id)
      return withFile(recording.file, async (opened) => {
        const file = await chooseExport(id, recording.name, ARCHIVE_EXTENSION)
        return file === null
          ? null
          : { file, ...(await exportArchive(opened, file, version, { signal, temporaryDir })) }
      })
    },
    /**
     * Copies a file that will be removed to the data directory; an HTTP archive becomes a
     * recording.
     * @returns the path of the copy
     * @throws the errors of opening a recording; nothing is copied then
     */
    async keepFile(file: string, name: string): Promise<string> {
      if (await looksLikeArchive(file)) return importFile(file, name)
      await withFile(file, () => Promise.resolve())
      return writeOwnFile(toFileStem(path.basename(name, RECORDING_EXTENSION), 'recording'), (target) =>
        writeWhole(target, undefined, (temporary) => copyFile(file, temporary)),
      )
    },
    async noteOpened(file: string, openedAt: number): Promise<RecordingEntry> {
      const listed = findByFile(file)
      if (listed?.openedAt === openedAt) return toEntry(listed)
      return withFile(file, async (opened) => {
        const { size } = await stat(file)
        const fingerprint = await readFingerprint(opened)
        const entry = listed ?? { id: randomUUID(), file, savedAt: opened.manifest.createdAt, fingerprint }
        return put({ ...entry, bytes: size, openedAt, ...toManifestMembers(opened.manifest, file) })
      })
    },
  }
}

async function readReport(opened: RecordingFile): Promise<RecordingInfo['report']> {
  const text = await opened.readReport()
  return text === null ? null : { text: text.slice(0, MAX_REPORT_CHARS), isCut: text.length > MAX_REPORT_CHARS }
}

/** The fingerprint of the first seal; null if it is not signed, or not by this key. */
async function readFingerprint({ zip }: RecordingFile): Promise<string | null> {
  const [first] = await readSeals(zip)
  return first?.fingerprint ?? null
}

/** @throws the errors of `openRecording`, RECORDING_REMOVED, and those of `use` */
async function withFile<T>(file: string, use: (opened: RecordingFile) => Promise<T>): Promise<T> {
  if (!existsSync(file)) throw createRemovedError()
  const opened = await openRecording(file)
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}
