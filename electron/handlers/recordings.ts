import { createRefusedError, type AppError } from '../../shared/errors.ts'
import type { OpenRecording, RecordingSource } from '../../shared/ipc/recordings.ts'
import type { Recordings } from '../services/recordings/recordings.ts'
import type { Uploads } from '../services/uploads/uploads.ts'
import type { AppPorts, Handlers } from './app-ports.ts'

interface RecordingServices {
  readonly recordings: Recordings
  readonly uploads: Pick<Uploads, 'getFile' | 'drop'>
  readonly ports: Pick<AppPorts, 'recordingSwitch' | 'chooseRecording' | 'revealFile'>
}

export function createRecordingsHandlers({
  recordings,
  uploads,
  ports,
}: RecordingServices): Pick<Handlers, Extract<keyof Handlers, `recordings.${string}`>> {
  const { recordingSwitch, chooseRecording, revealFile } = ports

  /** An uploaded file is kept, so that it can be listed, checked and opened again. */
  async function findFile(source: RecordingSource, caller: string): Promise<string> {
    if (source.from === 'path') return (await recordings.loadJobs()).findRecording(source.path)
    if (source.from === 'list') return recordings.getFile(source.id)
    const upload = uploads.getFile(source.uploadId)
    const file = await (await recordings.loadJobs()).keepFile(upload.path, source.name)
    uploads.drop(caller, source.uploadId)
    return file
  }

  /** @throws UPLOAD_UNKNOWN, UPLOAD_INCOMPLETE */
  const findPictures = (uploadIds: readonly string[] = []): string[] => uploadIds.map((id) => uploads.getFile(id).path)

  async function getOpened(): Promise<OpenRecording | null> {
    const opened = recordingSwitch?.getOpened() ?? null
    if (opened === null) return null
    const { file, openedAt } = opened
    return { entry: await (await recordings.loadJobs()).noteOpened(file, openedAt), openedAt }
  }

  return {
    'recordings.list': () => ({ recordings: recordings.list() }),
    'recordings.preview': async ({ pictures, ...input }, { signal }) =>
      (await recordings.loadJobs()).preview({ ...input, pictures: findPictures(pictures) }, signal),
    'recordings.save': async ({ pictures, ...input }, { signal }) =>
      (await recordings.loadJobs()).save({ ...input, pictures: findPictures(pictures) }, signal),
    'recordings.info': async ({ id }) => (await recordings.loadJobs()).info(id),
    'recordings.screenshot': (input) => recordings.readScreenshot(input),
    'recordings.verify': async (input, { signal }) => (await recordings.loadJobs()).verify(input, signal),
    'recordings.redact': async ({ source, ...input }, { caller, signal }) => {
      const file = await findFile(source, caller)
      return { entry: await (await recordings.loadJobs()).redact(file, input, signal) }
    },
    'recordings.reduce': async (input, { signal }) => ({
      result: await (await recordings.loadJobs()).reduce(input, signal),
    }),
    'recordings.exportArchive': async (input, { signal }) => ({
      archive: await (await recordings.loadJobs()).exportArchive(input, signal),
    }),
    'recordings.exportPage': async (input) => ({ page: await recordings.exportPage(input) }),
    'recordings.forget': async (input) => {
      await recordings.forget(input)
      return {}
    },
    'recordings.slice': (input) => recordings.readSlice(input),
    'recordings.serve': ({ id }) => recordings.serve(id),
    'recordings.stopServing': ({ id }) => recordings.stopServing(id),
    'recordings.open': async ({ source }, { caller }) => {
      if (!recordingSwitch) throw createUnavailableError()
      await recordingSwitch.open(await findFile(source, caller))
      const opened = await getOpened()
      if (!opened) throw createUnavailableError()
      return opened
    },
    'recordings.close': async () => {
      await recordingSwitch?.close()
      return {}
    },
    'recordings.current': async () => ({ open: await getOpened() }),
    'recordings.choose': async () => {
      if (!chooseRecording) throw createDesktopOnlyError()
      return { path: await chooseRecording() }
    },
    'recordings.loads': async (_, { signal }) => (await recordings.loadComparisons()).listLoads(signal),
    'recordings.cardPath': async ({ source }, { signal }) =>
      (await recordings.loadComparisons()).readCardPath(source, signal),
    'recordings.compare': async (input, { signal }) => (await recordings.loadComparisons()).compare(input, signal),
    'recordings.comparedPairs': async (input) => (await recordings.loadComparisons()).readPairs(input),
    'recordings.comparedBody': async (input, { signal }) =>
      (await recordings.loadComparisons()).readBody(input, signal),
    'recordings.reveal': ({ id }) => {
      if (!revealFile) throw createDesktopOnlyError()
      revealFile(recordings.getFile(id))
      return {}
    },
  }
}

const createUnavailableError = (): AppError =>
  createRefusedError('RECORDING_UNAVAILABLE', 'Recordings cannot be opened in this way to run.')

const createDesktopOnlyError = (): AppError =>
  createRefusedError('NOT_HERE', 'Only the desktop app has dialogs and folders of the system.')
