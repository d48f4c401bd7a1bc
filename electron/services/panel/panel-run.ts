import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { SAMPLE_PANELS, type PanelSource, type PanelWriteMode } from '../../../shared/panel/panel.ts'
import type { Breakpoints } from '../breakpoints/breakpoints.ts'
import type { ExchangeRecorder, Relay } from '../bridge/types.ts'
import type { ConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { createCallInitiators, type CallInitiators } from './call/call-initiators.ts'
import type { PanelCalls } from './call/panel-calls.ts'
import { createOriginServer } from './origin-server.ts'
import { createCallHandler } from './policy/call-handler.ts'
import { forwardPanelRead } from './policy/panel-read.ts'
import { forwardPanelWrite, type PanelAskQueue } from './policy/panel-write.ts'
import type { HostRules } from './host-rules.ts'
import type { PanelChoices } from './panel-store.ts'
import { createSourceMaps, type SourceMaps } from './source-maps.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PageLoad } from './page/reports.ts'
import type { NewPanelNote, OriginServer, SocketTarget } from './call/types.ts'
import { createFolderSite } from './site/folder-site.ts'
import { createServerSite } from './site/server-site.ts'
import type { NoteSink, PanelSite } from './site/site.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

const resourceFile = (resources: URL, name: string): URL => new URL(name, resources)

/** @throws PANEL_NOT_FOUND, PANEL_NO_INDEX, PANEL_NOT_LOOPBACK. */
async function openSite(source: PanelSource, resources: URL, addNote: NoteSink): Promise<PanelSite> {
  if (source.kind === 'server') return createServerSite(source.url, addNote)
  if (source.kind === 'folder') return createFolderSite(source.path, addNote, source)
  const { folder, start = '/' } = SAMPLE_PANELS[source.name]
  return createFolderSite(fileURLToPath(resourceFile(resources, `demo/panels/${folder}`)), addNote, { start })
}

/** If the user chose none: the sample's own plugin, or the first in the host's template. */
export function chooseDefaultPlugin(source: PanelSource | null, offered: readonly string[]): string | null {
  const samplePlugin = source?.kind === 'sample' ? SAMPLE_PANELS[source.name].plugin : null
  return samplePlugin !== null && offered.includes(samplePlugin) ? samplePlugin : (offered[0] ?? null)
}

export interface RunOptions {
  /** The folder of the program's resources, with a slash at the end. */
  readonly resources: URL
  /** The file that parses source maps in a worker thread. */
  readonly sourceMapWorker: URL
  readonly rules: HostRules
  readonly overrides: Overrides
  readonly breakpoints: Pick<Breakpoints, 'mayHold' | 'begin'>
  readonly calls: PanelCalls
  readonly asks: PanelAskQueue
  readonly relay: Relay
  readonly operations: Pick<Operations, 'prepare' | 'propose' | 'send'>
  /** Stores the body of an upload until the body is sent. */
  readonly uploads: Pick<Uploads, 'begin' | 'add' | 'drop'>
  readonly recorder: ExchangeRecorder
  readonly getConnectedHost: () => ConnectedHost | null
  /** Returns the files and folders that the user named as wrappers of the host's calls. */
  readonly getWrapperNames: () => readonly string[]
  /** Returns true if the connected profile may write. */
  readonly canWrite: () => boolean
  readonly getChoices: () => PanelChoices
  readonly getWrites: () => PanelWriteMode
  /** Returns the panel's current name, which changes with the title of its page. */
  readonly getLabel: () => string
  readonly onFilesChanged: () => void
  readonly addNote: (note: NewPanelNote) => void
  /** Called with the number of notes that the page could not report. */
  readonly onNotesLost: (count: number) => void
  readonly onTitle: (title: string) => void
  /** Called when more is known of the code that made a call. */
  readonly onInitiator: (exchangeId: string) => void
  /** Called for any new load. The numbers increase, but skip those of frames in the page. */
  readonly onPageLoad: (load: PageLoad) => void
  readonly getFrameAncestors: () => string
}

const createRefusedMapNote = (file: string): NewPanelNote => ({
  kind: 'error',
  level: 'warning',
  what: null,
  text: `The source map of ${file} needs too much time or memory, so it is not used: positions in this script are shown without their originals.`,
  file,
  line: null,
  column: null,
})

/** One opening of a panel, until it is closed. */
export interface PanelRun {
  /** The secret part of the address of the panel's origin. */
  readonly id: string
  /** Identifies this opening in recorded calls; it grants no access. */
  readonly caller: string
  readonly originServer: OriginServer
  readonly start: string
  readonly socketTarget: SocketTarget | null
  readonly readSource: SourceMaps['readSource']
  readonly settleInitiators: CallInitiators['settle']
  /** Called before a reload of the page: pending calls of the previous load are cancelled. */
  beginLoad(): void
  end(): void
}

/** @throws the errors of `openSite`. */
export async function createPanelRun(source: PanelSource, options: RunOptions): Promise<PanelRun> {
  const { rules, overrides, getChoices, calls, asks, addNote, operations, uploads } = options
  const site = await openSite(source, options.resources, addNote)
  const getPluginId = (): string | null => getChoices().pluginId ?? chooseDefaultPlugin(source, rules.plugins())
  const caller = randomUUID()
  /** `lastDocument`: the newest document, including frames; `newestLoad`: that of the page. */
  let lastDocument = 0
  let newestLoad = 0
  let pageAbort = new NodeAbortController()
  const sourceMaps = createSourceMaps((request) => site.serve(request), {
    worker: options.sourceMapWorker,
    isQueryIgnored: source.kind !== 'server',
    onRefused: (file) => addNote(createRefusedMapNote(file)),
  })
  const initiators = createCallInitiators({
    sourceMaps,
    getWrapperNames: options.getWrapperNames,
    onInitiator(exchangeId, change) {
      const initiator = calls.setInitiator(exchangeId, change)
      if (!initiator) return
      options.recorder.recordInitiator?.(exchangeId, initiator)
      options.onInitiator(exchangeId)
    },
  })
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
    breakpoints: options.breakpoints,
    read: (allowedCall) => forwardPanelRead(options.relay, allowedCall),
    write: (allowedCall, writeMode) =>
      forwardPanelWrite({ operations, uploads, asks, getPluginId }, allowedCall, writeMode),
    recorder: options.recorder,
    calls,
    initiators,
  })
  const originServer = createOriginServer({
    site,
    sourceMaps,
    getFrameAncestors: options.getFrameAncestors,
    helperFiles: ['calls.js', 'load.js', 'elements.js', 'console.js', 'refusals.js', 'host.js', 'scheme.js'].map(
      (name) => resourceFile(options.resources, `panel/${name}`),
    ),
    serveApi: (request) => handleCall(request, pageAbort.signal),
    addNote,
    onNotesLost: options.onNotesLost,
    onTitle: options.onTitle,
    onElements: (report) => initiators.addReport(report),
    onWorkerFile: (path) => initiators.addWorkerFile(path),
    beginLoad() {
      initiators.beginDocument()
      return (lastDocument += 1)
    },
    onLoad(pageLoad) {
      if (pageLoad.load <= newestLoad || pageLoad.load > lastDocument) return
      newestLoad = pageLoad.load
      initiators.beginPage(pageLoad.load, pageLoad.page)
      options.recorder.recordPageLeft?.(caller, pageLoad.load - 1)
      sourceMaps.clear()
      options.onPageLoad(pageLoad)
    },
    onLeft(load) {
      if (load === newestLoad)
        options.recorder.recordLoadEnd?.(caller, load, () => newestLoad !== load || pageAbort.signal.aborted)
    },
  })
  const stopWatching = site.watch(options.onFilesChanged)
  return {
    id: randomBytes(16).toString('hex'),
    caller,
    originServer,
    start: site.start,
    socketTarget: site.socketTarget,
    readSource: sourceMaps.readSource,
    settleInitiators: initiators.settle,
    beginLoad() {
      sourceMaps.clear()
      options.recorder.recordPageLeft?.(caller, lastDocument)
      pageAbort.abort()
      pageAbort = new NodeAbortController()
    },
    end() {
      options.recorder.recordCallerEnd?.(caller)
      pageAbort.abort()
      sourceMaps.clear()
      stopWatching()
    },
  }
}
