import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PanelSource, PanelWrites } from '../../../shared/panel/panel.ts'
import type { ExchangeRecorder, Relay } from '../bridge/types.ts'
import type { Here } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { PanelCalls } from './call/calls.ts'
import { createPanelDoor } from './door.ts'
import { createGate } from './gate/gate.ts'
import { passRead } from './gate/read.ts'
import { passWrite, type PanelAsks } from './gate/write.ts'
import type { HostRules } from './host-rules.ts'
import type { PanelChoices } from './kept.ts'
import { createSourceMaps } from './source-maps.ts'
import type { Overrides } from './overrides/overrides.ts'
import type { PageLoad } from './page/reports.ts'
import type { NewNote, PanelDoor, SocketTarget } from './call/types.ts'
import { folderSite } from './site/folder.ts'
import { serverSite } from './site/server.ts'
import type { Noting, PanelSite } from './site/site.ts'

/** Files that ship with the program. */
const resourceFile = (resources: URL, name: string): URL => new URL(name, resources)

/** Opens a source. Throws `PANEL_NOT_FOUND`, `PANEL_NO_INDEX`, `PANEL_NOT_LOOPBACK`. */
async function openSite(source: PanelSource, resources: URL, note: Noting): Promise<PanelSite> {
  if (source.kind === 'server') return serverSite(source.url, note)
  const sample = (name: string): string => fileURLToPath(resourceFile(resources, `demo/panels/${name}`))
  if (source.kind === 'sample') return folderSite(sample(source.name), note)
  return folderSite(source.path, note, source)
}

/** The plugins of the samples; the template of the demo host lists them. */
const samplePlugins: Readonly<Record<Extract<PanelSource, { kind: 'sample' }>['name'], string>> = {
  practice: 'app.demo.practice',
  'rule-breaker': 'app.demo.rule-breaker',
}

/** The plugin that a panel is taken for where nobody chose one: the sample's own, or the first that the host's template lists. */
export function defaultPluginOf(source: PanelSource | null, offered: readonly string[]): string | null {
  const own = source?.kind === 'sample' ? samplePlugins[source.name] : null
  return own !== null && offered.includes(own) ? own : (offered[0] ?? null)
}

/** What a source is called before its page says so. */
export function nameOf(source: PanelSource): string {
  if (source.kind === 'sample') return source.name
  return source.kind === 'folder' ? path.basename(source.path) || source.path : new URL(source.url).host
}

export interface RunOptions {
  /** The folder of what ships with the program, with a slash at the end. */
  readonly resources: URL
  readonly rules: HostRules
  readonly overrides: Overrides
  readonly calls: PanelCalls
  readonly asks: PanelAsks
  readonly relay: Relay
  readonly operations: Pick<Operations, 'prepare' | 'send'>
  /** Where a body that is a file waits. */
  readonly uploads: Pick<Uploads, 'begin' | 'add' | 'drop'>
  readonly recorder: ExchangeRecorder
  /** The connected host; null if there is none. */
  readonly here: () => Here | null
  /** Whether the connected profile may write. */
  readonly mayWrite: () => boolean
  readonly choices: () => PanelChoices
  readonly writes: () => PanelWrites
  /** The panel's name now. */
  readonly label: () => string
  /** The files of the page have changed. */
  readonly changed: () => void
  readonly note: (note: NewNote) => void
  /** The page could not report so many notes. */
  readonly lost: (count: number) => void
  readonly titled: (title: string) => void
  /** The page has begun another load, whoever caused it. Numbers rise, and some are left out: those of frames in the page. */
  readonly pageLoaded: (load: PageLoad) => void
  /** The page reaches the sockets of its development server at their own address, because its origin takes none. */
  readonly directSockets: boolean
  /** Who may frame the page. */
  readonly ancestors: () => string
}

/** One opening of a panel. */
export interface PanelRun {
  /** The key to its origin. */
  readonly id: string
  /** Names this opening in what is recorded; it opens nothing. */
  readonly caller: string
  readonly door: PanelDoor
  readonly start: string
  readonly sockets: SocketTarget | null
  /** The development server behind it. */
  readonly server: URL | null
  /** The page is loaded again: whatever the one before had under way ends. */
  begin(): void
  end(): void
}

/** Opens a source. Throws what `openSite` throws. */
export async function createPanelRun(source: PanelSource, options: RunOptions): Promise<PanelRun> {
  const { rules, overrides, choices, calls, asks, note, operations, uploads } = options
  const site = await openSite(source, options.resources, note)
  const plugin = (): string | null => choices().pluginId ?? defaultPluginOf(source, rules.plugins())
  const caller = randomUUID()
  /** The last number given to a document, and that of the page's newest load. */
  let given = 0
  let newest = 0
  let page = new AbortController()
  const gate = createGate({
    allow: () => ({ mode: choices().mode, mine: [...choices().mine], ...rules.allow() }),
    writes: options.writes,
    // A call that the helper script could not mark belongs to the newest load.
    originOf(said) {
      const isKnown = said !== null && said >= 1 && said <= given
      return { kind: 'panel', label: options.label(), caller, load: isKnown ? said : Math.max(1, newest) }
    },
    here: options.here,
    overrides,
    read: (passing) => passRead(options.relay, passing),
    write: (passing, how) => passWrite({ operations, uploads, asks, pluginId: plugin }, passing, how),
    recorder: options.recorder,
    calls,
  })
  const { sockets } = site
  // A bundler may announce its socket by another name of this machine than the user wrote.
  const names = ['localhost', '127.0.0.1', '[::1]']
  const connect = options.directSockets && sockets ? names.map((name) => `ws://${name}:${sockets.port}`).join(' ') : ''
  const sourceMaps = createSourceMaps((request) => site.serve(request))
  const door = createPanelDoor({
    site,
    sourceMaps,
    around: () => ({ ancestors: options.ancestors(), connect }),
    helper: ['load.js', 'console.js', 'refusals.js', 'host.js', 'scheme.js'].map((name) =>
      resourceFile(options.resources, `panel/${name}`),
    ),
    api: (request) => gate(request, page.signal),
    note,
    lost: options.lost,
    titled: options.titled,
    beginLoad: () => (given += 1),
    loaded(begun) {
      if (begun.load <= newest || begun.load > given) return
      newest = begun.load
      options.recorder.left?.(caller, begun.load - 1)
      sourceMaps.clear()
      options.pageLoaded(begun)
    },
  })
  const stopWatching = site.watch(options.changed)
  return {
    id: randomBytes(16).toString('hex'),
    caller,
    door,
    start: site.start,
    sockets,
    server: source.kind === 'server' ? new URL(source.url) : null,
    begin() {
      sourceMaps.clear()
      options.recorder.left?.(caller, given)
      page.abort()
      page = new AbortController()
    },
    end() {
      options.recorder.left?.(caller, given)
      page.abort()
      stopWatching()
    },
  }
}
