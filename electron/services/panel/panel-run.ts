import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PanelSource, PanelWriteMode } from '../../../shared/panel/panel.ts'
import type { ExchangeRecorder, Relay } from '../bridge/types.ts'
import type { ConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { PanelCalls } from './call/panel-calls.ts'
import { createOriginServer } from './origin-server.ts'
import { createCallHandler } from './policy/call-handler.ts'
import { forwardPanelRead } from './policy/panel-read.ts'
import { forwardPanelWrite, type PanelAskQueue } from './policy/panel-write.ts'
import type { HostRules } from './host-rules.ts'
import type { PanelChoices } from './panel-store.ts'
import { createSourceMaps } from './source-maps.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PageLoad } from './page/reports.ts'
import type { NewPanelNote, OriginServer, SocketTarget } from './call/types.ts'
import { createFolderSite } from './site/folder-site.ts'
import { createServerSite } from './site/server-site.ts'
import type { NoteSink, PanelSite } from './site/site.ts'

const resourceFile = (resources: URL, name: string): URL => new URL(name, resources)

/** Opens a source. Throws `PANEL_NOT_FOUND`, `PANEL_NO_INDEX`, `PANEL_NOT_LOOPBACK`. */
async function openSite(source: PanelSource, resources: URL, addNote: NoteSink): Promise<PanelSite> {
  if (source.kind === 'server') return createServerSite(source.url, addNote)
  const sample = (name: string): string => fileURLToPath(resourceFile(resources, `demo/panels/${name}`))
  if (source.kind === 'sample') return createFolderSite(sample(source.name), addNote)
  return createFolderSite(source.path, addNote, source)
}

/** Plugins of the sample panels, which the template of the demo host lists. */
const SAMPLE_PLUGINS: Readonly<Record<Extract<PanelSource, { kind: 'sample' }>['name'], string>> = {
  practice: 'app.demo.practice',
  'rule-breaker': 'app.demo.rule-breaker',
}

/**
 * Chooses the plugin of a panel if the user has not: the sample's own, or the first that the host's
 * template lists.
 */
export function chooseDefaultPlugin(source: PanelSource | null, offered: readonly string[]): string | null {
  const samplePlugin = source?.kind === 'sample' ? SAMPLE_PLUGINS[source.name] : null
  return samplePlugin !== null && offered.includes(samplePlugin) ? samplePlugin : (offered[0] ?? null)
}

/** Returns the name of a source, until its page has a title. */
export function getSourceName(source: PanelSource): string {
  if (source.kind === 'sample') return source.name
  return source.kind === 'folder' ? path.basename(source.path) || source.path : new URL(source.url).host
}

export interface RunOptions {
  /** The folder of the program's resources, with a slash at the end. */
  readonly resources: URL
  readonly rules: HostRules
  readonly overrides: Overrides
  readonly calls: PanelCalls
  readonly asks: PanelAskQueue
  readonly relay: Relay
  readonly operations: Pick<Operations, 'prepare' | 'send'>
  /** Stores a body that is a file until it is sent. */
  readonly uploads: Pick<Uploads, 'begin' | 'add' | 'drop'>
  readonly recorder: ExchangeRecorder
  /** The connected host; null if there is none. */
  readonly getConnectedHost: () => ConnectedHost | null
  /** Whether the connected profile may write. */
  readonly canWrite: () => boolean
  readonly getChoices: () => PanelChoices
  readonly getWrites: () => PanelWriteMode
  /** The panel's name now. */
  readonly getLabel: () => string
  /** Called when the files of the page have changed. */
  readonly onFilesChanged: () => void
  readonly addNote: (note: NewPanelNote) => void
  /** Called with the number of notes that the page could not report. */
  readonly onNotesLost: (count: number) => void
  readonly onTitle: (title: string) => void
  /**
   * Called when the page has begun another load, for any reason. Numbers rise, with gaps for frames
   * in the page.
   */
  readonly onPageLoad: (load: PageLoad) => void
  /**
   * Whether the page reaches its development server's sockets at their own address, because its
   * origin cannot accept sockets.
   */
  readonly hasDirectSockets: boolean
  /** Who may frame the page. */
  readonly getFrameAncestors: () => string
}

/** One opening of a panel, until it is closed. */
export interface PanelRun {
  /** The secret part of its origin's address. */
  readonly id: string
  /** Identifies this opening in recorded calls; it grants no access. */
  readonly caller: string
  readonly originServer: OriginServer
  readonly start: string
  readonly socketTarget: SocketTarget | null
  /** The development server behind the page, if there is one. */
  readonly devServer: URL | null
  /** Called before the page is loaded again: pending calls of the previous load end. */
  beginLoad(): void
  end(): void
}

/** Opens a source. Throws what `openSite` throws. */
export async function createPanelRun(source: PanelSource, options: RunOptions): Promise<PanelRun> {
  const { rules, overrides, getChoices, calls, asks, addNote, operations, uploads } = options
  const site = await openSite(source, options.resources, addNote)
  const getPluginId = (): string | null => getChoices().pluginId ?? chooseDefaultPlugin(source, rules.plugins())
  const caller = randomUUID()
  /** The last number of a document, and that of the page's newest load. */
  let lastDocument = 0
  let newestLoad = 0
  let pageAbort = new AbortController()
  const handleCall = createCallHandler({
    getAllowList: () => ({ mode: getChoices().mode, mine: [...getChoices().mine], ...rules.getAllowList() }),
    getWrites: options.getWrites,
    // A call that the helper script could not mark belongs to the newest load.
    getOrigin(reportedLoad) {
      const isKnown = reportedLoad !== null && reportedLoad >= 1 && reportedLoad <= lastDocument
      return {
        kind: 'panel',
        label: options.getLabel(),
        caller,
        load: isKnown ? reportedLoad : Math.max(1, newestLoad),
      }
    },
    getConnectedHost: options.getConnectedHost,
    overrides,
    read: (allowedCall) => forwardPanelRead(options.relay, allowedCall),
    write: (allowedCall, writeMode) =>
      forwardPanelWrite({ operations, uploads, asks, getPluginId }, allowedCall, writeMode),
    recorder: options.recorder,
    calls,
  })
  const { socketTarget } = site
  // A bundler may announce its socket by another name of this machine than the user entered.
  const names = ['localhost', '127.0.0.1', '[::1]']
  const connect =
    options.hasDirectSockets && socketTarget ? names.map((name) => `ws://${name}:${socketTarget.port}`).join(' ') : ''
  const sourceMaps = createSourceMaps((request) => site.serve(request))
  const originServer = createOriginServer({
    site,
    sourceMaps,
    getFramePolicy: () => ({ frameAncestors: options.getFrameAncestors(), connectSources: connect }),
    helperFiles: ['load.js', 'console.js', 'refusals.js', 'host.js', 'scheme.js'].map((name) =>
      resourceFile(options.resources, `panel/${name}`),
    ),
    serveApi: (request) => handleCall(request, pageAbort.signal),
    addNote,
    onNotesLost: options.onNotesLost,
    onTitle: options.onTitle,
    beginLoad: () => (lastDocument += 1),
    onLoad(pageLoad) {
      if (pageLoad.load <= newestLoad || pageLoad.load > lastDocument) return
      newestLoad = pageLoad.load
      options.recorder.recordPageLeft?.(caller, pageLoad.load - 1)
      sourceMaps.clear()
      options.onPageLoad(pageLoad)
    },
  })
  const stopWatching = site.watch(options.onFilesChanged)
  return {
    id: randomBytes(16).toString('hex'),
    caller,
    originServer,
    start: site.start,
    socketTarget,
    devServer: source.kind === 'server' ? new URL(source.url) : null,
    beginLoad() {
      sourceMaps.clear()
      options.recorder.recordPageLeft?.(caller, lastDocument)
      pageAbort.abort()
      pageAbort = new AbortController()
    },
    end() {
      options.recorder.recordPageLeft?.(caller, lastDocument)
      pageAbort.abort()
      stopWatching()
    },
  }
}
