import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { composeApp } from './app-composition.ts'
import type { Config } from './config.ts'
import { spawnDemoHost } from './demo-host/demo-thread.ts'
import type { AppPorts, ComposedApp, OpenedRecording, RecordingSwitch } from './handlers/app-ports.ts'
import { fromWireError, toWireError } from '../shared/errors.ts'
import { normaliseBaseUrl } from './services/profiles/base-url.ts'
import type { OpenedSources } from './services/recordings/opened-recording.ts'
import { Secret } from './services/secret.ts'

/** Methods of the program itself. Agents' writes are only counted: each is reviewed at its host. */
const OWN_METHOD = /^(?:(?:recordings|settings|updates|uploads)\.|agents\.asks$)/
/** Events that are forwarded from the program, whatever it shows. */
const OWN_TOPIC = /^(?:agents|recordings|settings|updates|uploads)\./
/** An open recording changes only while it is filled; views read it when that has ended. */
const UNFORWARDED_TOPIC = 'bridge.dataChanged'

/** Folders of the data directory for open recordings, which are removed with the session. */
const FOLDER_PREFIX = 'recording-session-'

/** Caller id for opening a recording that the system passed or a flag names. */
const OPENING_CALLER = 'system'

interface SwitchableApp extends ComposedApp {
  /** Opens a file that the system passed. Never rejects: a failure becomes a notice. */
  openRecording(file: string): Promise<void>
}

interface OpenedSession {
  readonly app: ComposedApp
  readonly opened: OpenedRecording
  readonly sources: OpenedSources
  close(): Promise<void>
}

/**
 * Composes an app that can show a recording in place of the host. The recording has services of its
 * own in a folder that is removed afterwards; those of the host go on meanwhile. All pages see the
 * same, and must be loaded again when it changes.
 * @throws the errors of `composeApp`, and those of opening the recording that the flags name
 */
export async function composeSwitchableApp(config: Config, ports: AppPorts): Promise<SwitchableApp> {
  const listeners = new Set<Parameters<ComposedApp['dispatcher']['subscribe']>[0]>()
  let session: OpenedSession | null = null
  /** Opening and closing happen one after the other. */
  let lastSwitch: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const result = lastSwitch.then(run)
    lastSwitch = result.catch(() => undefined)
    return result
  }

  const recordingSwitch: RecordingSwitch = {
    open: (file) =>
      inTurn(async () => {
        const opened = await openSession(file, config, ports)
        const previous = session
        session = opened
        forward(opened.app, ({ topic }) => session?.app === opened.app && topic !== UNFORWARDED_TOPIC)
        announce()
        await previous?.close()
      }),
    close: () =>
      inTurn(async () => {
        if (session === null) return
        const previous = session
        session = null
        announce()
        await previous.close()
      }),
    getOpened: () => session?.opened ?? null,
    getSources: () => session?.sources ?? null,
    getDispatcher: () => session?.app.dispatcher ?? null,
  }
  const live = await composeApp(config, { ...ports, recordingSwitch })
  removeLeftovers(config.dataDir)
  forward(live, ({ topic }) => session === null || OWN_TOPIC.test(topic))
  if (config.recording !== null) {
    try {
      await openFile(config.recording)
    } catch (error) {
      await live.dispose()
      throw error
    }
  }

  /** Opens a file as a page does: an HTTP archive becomes a recording before. */
  async function openFile(file: string): Promise<void> {
    const input = { source: { from: 'path', path: file } }
    const reply = await live.dispatcher.call(OPENING_CALLER, { id: '1', method: 'recordings.open', input })
    if (!reply.ok) throw fromWireError(reply.error)
  }

  /** Everything that a page has read is about what was shown before. */
  function announce(): void {
    for (const listener of listeners) listener({ topic: 'recordings.sessionChanged', payload: {} })
  }

  function forward(app: ComposedApp, isForwarded: (event: { readonly topic: string }) => boolean): void {
    app.dispatcher.subscribe((event) => {
      if (isForwarded(event)) for (const listener of listeners) listener(event)
    })
  }

  const current = (): ComposedApp => session?.app ?? live
  const findApp = (request: unknown): ComposedApp => (isOwnCall(request) ? live : current())

  return {
    ...live,
    dispatcher: {
      call: (caller, request) => findApp(request).dispatcher.call(caller, request),
      cancel(caller, id) {
        for (const app of new Set([live, current()])) app.dispatcher.cancel(caller, id)
      },
      readListing: (...input) => current().dispatcher.readListing(...input),
      findCaller: (key) => current().dispatcher.findCaller(key),
      removeCaller(caller) {
        for (const app of new Set([live, current()])) app.dispatcher.removeCaller(caller)
      },
      subscribe(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    // The pages show the notices of the open recording, if there is one.
    addNotice: (notice) => current().addNotice(notice),
    async openRecording(file) {
      try {
        await openFile(file)
      } catch (error) {
        const { kind, code = kind, message, params } = toWireError(error)
        const name = path.basename(file)
        current().addNotice({
          level: 'error',
          code: 'FILE_NOT_OPENED',
          message: `${name} was not opened. ${message}`,
          params: { ...params, name, errorCode: code, errorMessage: message },
        })
      }
    },
    contentReader: (request) => current().contentReader(request),
    async dispose() {
      await recordingSwitch.close()
      await live.dispose()
    },
  }
}

const isOwnCall = (request: unknown): boolean =>
  typeof request === 'object' && request !== null && 'method' in request && OWN_METHOD.test(String(request.method))

/** @throws the errors of `openRecording` and of serving it; nothing remains then */
async function openSession(file: string, config: Config, ports: AppPorts): Promise<OpenedSession> {
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    // Few sessions open a recording, and loading this would delay each start.
    const { openRecording } = await import('./recording-file/recording-file.ts')
    const { createRecordedHost } = await import('./services/recordings/recorded-host.ts')
    const dataDir = mkdtempSync(path.join(config.dataDir, FOLDER_PREFIX))
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const recording = await openRecording(file)
    closers.push(() => recording.close())
    const server = await spawnDemoHost({ worker: ports.demoWorker, recording: file, from: 'end' })
    closers.push(() => server.close())
    const { hostname: host, port } = new URL(server.baseUrl)
    const baseUrl = chooseAddress(recording.manifest.host.baseUrl, server.baseUrl)
    const recordedHost = createRecordedHost(recording, baseUrl, { host, port: Number(port) })
    copySettings(config.dataDir, dataDir)
    const token = new Secret(server.token)
    const app = await composeApp(
      { ...config, dataDir, baseUrl, token, demo: false, profile: null, panel: null, record: false },
      { ...ports, updater: undefined, acceptsProposals: false, overrides: [] },
      recordedHost,
    )
    closers.push(() => app.dispose())
    closers.push(() => recordedHost.stop())
    const { selectionSources, whenFilled } = app
    const sources = { ...selectionSources, isContext: recordedHost.isContext, file: recording, whenFilled }
    return { app, opened: { file, openedAt: Date.now() }, sources, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Returns the address that the recorded host had, without TLS because a recording is served without
 * it. Nothing is sent there. A file may say anything, so what is no address is not used.
 */
function chooseAddress(recordedUrl: string | null, servedUrl: string): string {
  try {
    return recordedUrl === null ? servedUrl : normaliseBaseUrl(recordedUrl.replace(/^https:/i, 'http:'))
  } catch {
    return servedUrl
  }
}

/** An open recording looks as the program does; settings that are changed meanwhile are not its. */
function copySettings(from: string, to: string): void {
  const name = 'settings.json'
  if (existsSync(path.join(from, name))) copyFileSync(path.join(from, name), path.join(to, name))
}

/** Removes the folders of recordings that were open when the program was killed. */
function removeLeftovers(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith(FOLDER_PREFIX)) rmSync(path.join(dataDir, name), { recursive: true, force: true })
}
