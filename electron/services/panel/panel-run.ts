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
import { passRead } from './policy/panel-read.ts'
import { passWrite, type PanelAskQueue } from './policy/panel-write.ts'
import type { HostRules } from './host-rules.ts'
import type { PanelChoices } from './panel-store.ts'
import { createSourceMaps } from './source-maps.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PageLoad } from './page/reports.ts'
import type { NewPanelNote, OriginServer, SocketTarget } from './call/types.ts'
import { createFolderSite } from './site/folder-site.ts'
import { createServerSite } from './site/server-site.ts'
import type { NoteSink, PanelSite } from './site/site.ts'

/** Files that ship with the program. */
const resourceFile = (resources: URL, name: string): URL => new URL(name, resources)

/** Opens a source. Throws `PANEL_NOT_FOUND`, `PANEL_NO_INDEX`, `PANEL_NOT_LOOPBACK`. */
async function openSite(source: PanelSource, resources: URL, note: NoteSink): Promise<PanelSite> {
  if (source.kind === 'server') return createServerSite(source.url, note)
  const sample = (name: string): string => fileURLToPath(resourceFile(resources, `demo/panels/${name}`))
  if (source.kind === 'sample') return createFolderSite(sample(source.name), note)
  return createFolderSite(source.path, note, source)
}

/** The plugins of the samples; the template of the demo host lists them. */
const samplePlugins: Readonly<Record<Extract<PanelSource, { kind: 'sample' }>['name'], string>> = {
  practice: 'app.demo.practice',
  'rule-breaker': 'app.demo.rule-breaker',
}

/**
 * The plugin that a panel is taken for where nobody chose one: the sample's own, or the first that
 * the host's template lists.
 */
export function chooseDefaultPlugin(source: PanelSource | null, offered: readonly string[]): string | null {
  const own = source?.kind === 'sample' ? samplePlugins[source.name] : null
  return own !== null && offered.includes(own) ? own : (offered[0] ?? null)
}

/** What a source is called before its page says so. */
export function getSourceName(source: PanelSource): string {
  if (source.kind === 'sample') return source.name
  return source.kind === 'folder' ? path.basename(source.path) || source.path : new URL(source.url).host
}

export interface RunOptions {
  /** The folder of what ships with the program, with a slash at the end. */
  readonly resources: URL
  readonly rules: HostRules
  readonly overrides: Overrides
  readonly calls: PanelCalls
  readonly asks: PanelAskQueue
  readonly relay: Relay
  readonly operations: Pick<Operations, 'prepare' | 'send'>
  /** Where a body that is a file waits. */
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
  /** The files of the page have changed. */
  readonly onFilesChanged: () => void
  readonly addNote: (note: NewPanelNote) => void
  /** The page could not report so many notes. */
  readonly onNotesLost: (count: number) => void
  readonly onTitle: (title: string) => void
  /**
   * The page has begun another load, whoever caused it. Numbers rise, and some are left out: those
   * of frames in the page.
   */
  readonly onPageLoad: (load: PageLoad) => void
  /**
   * The page reaches the sockets of its development server at their own address, because its origin
   * takes none.
   */
  readonly hasDirectSockets: boolean
  /** Who may frame the page. */
  readonly getFrameAncestors: () => string
}

/** One opening of a panel. */
export interface PanelRun {
  /** The key to its origin. */
  readonly id: string
  /** Names this opening in what is recorded; it opens nothing. */
  readonly caller: string
  readonly originServer: OriginServer
  readonly start: string
  readonly socketTarget: SocketTarget | null
  /** The development server behind it. */
  readonly devServer: URL | null
  /** The page is loaded again: whatever the one before had under way ends. */
  beginLoad(): void
  end(): void
}

/** Opens a source. Throws what `openSite` throws. */
export async function createPanelRun(source: PanelSource, options: RunOptions): Promise<PanelRun> {
  const { rules, overrides, getChoices: choices, calls, asks, addNote: note, operations, uploads } = options
  const site = await openSite(source, options.resources, note)
  const plugin = (): string | null => choices().pluginId ?? chooseDefaultPlugin(source, rules.plugins())
  const caller = randomUUID()
  /** The last number given to a document, and that of the page's newest load. */
  let given = 0
  let newest = 0
  let page = new AbortController()
  const gate = createCallHandler({
    getAllowList: () => ({ mode: choices().mode, mine: [...choices().mine], ...rules.allow() }),
    getWrites: options.getWrites,
    // A call that the helper script could not mark belongs to the newest load.
    getOrigin(said) {
      const isKnown = said !== null && said >= 1 && said <= given
      return { kind: 'panel', label: options.getLabel(), caller, load: isKnown ? said : Math.max(1, newest) }
    },
    getConnectedHost: options.getConnectedHost,
    overrides,
    read: (passing) => passRead(options.relay, passing),
    write: (passing, how) => passWrite({ operations, uploads, asks, pluginId: plugin }, passing, how),
    recorder: options.recorder,
    calls,
  })
  const { socketTarget: sockets } = site
  // A bundler may announce its socket by another name of this machine than the user wrote.
  const names = ['localhost', '127.0.0.1', '[::1]']
  const connect =
    options.hasDirectSockets && sockets ? names.map((name) => `ws://${name}:${sockets.port}`).join(' ') : ''
  const sourceMaps = createSourceMaps((request) => site.serve(request))
  const door = createOriginServer({
    site,
    sourceMaps,
    getFramePolicy: () => ({ frameAncestors: options.getFrameAncestors(), connectSources: connect }),
    helperFiles: ['load.js', 'console.js', 'refusals.js', 'host.js', 'scheme.js'].map((name) =>
      resourceFile(options.resources, `panel/${name}`),
    ),
    serveApi: (request) => gate(request, page.signal),
    addNote: note,
    onNotesLost: options.onNotesLost,
    onTitle: options.onTitle,
    beginLoad: () => (given += 1),
    onLoad(begun) {
      if (begun.load <= newest || begun.load > given) return
      newest = begun.load
      options.recorder.recordPageLeft?.(caller, begun.load - 1)
      sourceMaps.clear()
      options.onPageLoad(begun)
    },
  })
  const stopWatching = site.watch(options.onFilesChanged)
  return {
    id: randomBytes(16).toString('hex'),
    caller,
    originServer: door,
    start: site.start,
    socketTarget: sockets,
    devServer: source.kind === 'server' ? new URL(source.url) : null,
    beginLoad() {
      sourceMaps.clear()
      options.recorder.recordPageLeft?.(caller, given)
      page.abort()
      page = new AbortController()
    },
    end() {
      options.recorder.recordPageLeft?.(caller, given)
      page.abort()
      stopWatching()
    },
  }
}
