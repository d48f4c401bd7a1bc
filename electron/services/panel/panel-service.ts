// Runs a plugin's panel: serves its page, forwards its calls, and applies overrides.
// A frame of our page shows it; services/operations sends the writes.
// Read this file first, then panel-run.ts and origin-server.ts.
import type { AskDecision } from '../ask-queue.ts'
import { createRefusedError, toWireError } from '../../../shared/errors.ts'
import {
  getSourceName,
  SAMPLE_PANELS,
  type PanelCall,
  type PanelNote,
  type PanelSource,
  type PanelState,
  type PanelWriteMode,
} from '../../../shared/panel/panel.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import type { Bus } from '../bus.ts'
import { openPanelStore, type PanelChoices } from './panel-store.ts'
import type { PageLoad } from './page/reports.ts'
import { createPanelNotes } from './panel-notes.ts'
import { createPanelRun, type PanelRun, type RunOptions, chooseDefaultPlugin } from './panel-run.ts'
import type { PanelListener, PanelDirectory, PanelProcess } from './call/types.ts'

interface PanelOptions extends Omit<
  RunOptions,
  | 'getChoices'
  | 'getWrites'
  | 'getLabel'
  | 'onFilesChanged'
  | 'addNote'
  | 'onNotesLost'
  | 'onInitiator'
  | 'onTitle'
  | 'onPageLoad'
  | 'getFrameAncestors'
> {
  readonly dataDir: string
  readonly bus: Bus
  readonly conceal: (text: string) => string
  /** Null if a browser owns the process of the panel's page. */
  readonly process: PanelProcess | null
}

/** The errors are those of `shared/ipc/panel.ts`. */
export interface PanelService extends PanelDirectory {
  state(): PanelState
  open(source: PanelSource): Promise<PanelState>
  stop(): PanelState
  reload(): Promise<PanelState>
  configure(change: IpcInput<'panel.configure'>): PanelState
  decide(id: string, decision: AskDecision): void
  recent(): PanelSource[]
  forget(source: PanelSource): void
  listNotes(after: number): { notes: PanelNote[]; dropped: number }
  clearNotes(): void
  getCall(exchangeId: string): PanelCall | null
  readSource(input: IpcInput<'panel.source'>): Promise<IpcOutput<'panel.source'>>
  getMemory(): number | null
  openDevTools(): void
  close(): void
}

/** A page that reports an earlier start has a wrong clock or an invented time. */
const MAX_LOAD_MS = 3_600_000
/** Minimum time between two messages to the pages about the code of calls. */
const INITIATOR_INTERVAL_MS = 100

export function createPanelService(options: PanelOptions): PanelService {
  const { bus, rules, overrides, calls, asks } = options
  const panelStore = openPanelStore(options.dataDir, options.conceal)
  const notes = createPanelNotes(bus, options.conceal)
  let listener: PanelListener | null = null
  let source: PanelSource | null = null
  let title = ''
  let phase: PanelState['phase'] = 'none'
  let error: PanelState['error'] = null
  let run: PanelRun | null = null
  let caller: string | null = null
  let pageLoad = 0
  let load = 0
  let loadedBecause: PanelState['loadedBecause'] = 'opened'
  let loadedAt: number | null = null
  /** True while a load of the page is expected because the app has opened or reloaded the page. */
  let isAwaited = false
  let choices: PanelChoices = { mode: 'host', mine: [], pluginId: null }
  let writes: PanelWriteMode = 'ask'
  const changedInitiators = new Set<string>()
  let initiatorTimer: NodeJS.Timeout | null = null
  /** Increases with each opening or stop, so that results for a previous panel are ignored. */
  let turn = 0

  const getLabel = (): string => (title || (source ? getSourceName(source) : '')).slice(0, 200)

  function state(): PanelState {
    const offered = rules.plugins()
    const id = choices.pluginId ?? chooseDefaultPlugin(source, offered)
    return {
      source,
      name: getLabel(),
      caller,
      pageLoad,
      phase,
      error,
      url: run && listener ? listener.getOrigin(run.id) + run.start : null,
      load,
      loadedBecause,
      loadedAt,
      plugin: { id, from: choices.pluginId !== null ? 'chosen' : id === null ? 'nowhere' : 'template', offered },
      allow: { mode: choices.mode, mine: [...choices.mine], ...rules.getAllowList() },
      writes,
      asks: asks.all,
      overrides: overrides.countRules(),
      ownProcess: options.process !== null,
      devTools: options.process?.openDevTools !== undefined,
    }
  }

  function publishChange(): PanelState {
    const now = state()
    bus.publish('panel.changed', now)
    return now
  }

  function awaitLoad(because: PanelState['loadedBecause']): void {
    load += 1
    loadedBecause = because
    isAwaited = true
  }

  /** The page gives the time: a frame may be delayed, and a page may reload itself. */
  function onPageLoaded({ load: number, at, isReload }: PageLoad): void {
    pageLoad = number
    if (!isAwaited) loadedBecause = isReload ? 'itself' : 'opened'
    isAwaited = false
    const now = Date.now()
    loadedAt = at <= now && at > now - MAX_LOAD_MS ? at : now
    notes.add({ ...noPlace, kind: 'load', level: 'info', what: null, text: loadedBecause })
    publishChange()
  }

  function onInitiator(exchangeId: string): void {
    changedInitiators.add(exchangeId)
    initiatorTimer ??= setTimeout(() => {
      bus.publish('panel.initiatorsChanged', { exchangeIds: [...changedInitiators] })
      changedInitiators.clear()
      initiatorTimer = null
    }, INITIATOR_INTERVAL_MS).unref()
  }

  function end(): void {
    turn += 1
    options.process?.end()
    run?.end()
    run = null
  }

  async function open(requestedSource: PanelSource): Promise<PanelState> {
    end()
    const ownTurn = turn
    title = requestedSource.kind === 'sample' ? SAMPLE_PANELS[requestedSource.name].title : ''
    ;[source, phase, error] = [requestedSource, 'starting', null]
    ;[caller, pageLoad, loadedAt] = [null, 0, null]
    choices = panelStore.getChoices(requestedSource)
    publishChange()
    try {
      const next = await createPanelRun(requestedSource, {
        ...options,
        getChoices: () => choices,
        getWrites: () => writes,
        getLabel,
        onFilesChanged: () => ownTurn === turn && reloadPage('changed'),
        addNote: notes.add,
        onNotesLost: notes.addLost,
        onInitiator,
        onTitle: (text) => ownTurn === turn && text !== title && ((title = text), publishChange()),
        onPageLoad: (begun) => ownTurn === turn && onPageLoaded(begun),
        getFrameAncestors: () => listener?.frameAncestors ?? "'none'",
      })
      if (ownTurn !== turn) {
        next.end()
        return state()
      }
      panelStore.save(requestedSource, choices)
      run = next
      caller = next.caller
      overrides.open(requestedSource)
      void rules.refresh()
    } catch (thrown) {
      if (ownTurn === turn) {
        ;[phase, error] = ['failed', toWireError(thrown)]
        publishChange()
      }
      throw thrown
    }
    phase = 'running'
    awaitLoad('opened')
    return publishChange()
  }

  function reloadPage(because: 'reloaded' | 'changed'): void {
    if (!run) return
    run.beginLoad()
    awaitLoad(because)
    publishChange()
  }

  const stopWatching = bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed' && topic !== 'operations.writing') return
    if (run) void rules.refresh()
    if (writes !== 'let-through' || options.canWrite()) return
    writes = 'ask'
    publishChange()
  })

  return {
    state,
    open,
    stop() {
      if (!source) return state()
      end()
      phase = 'stopped'
      return publishChange()
    },
    async reload() {
      if (!run && source) return open(source)
      reloadPage('reloaded')
      return state()
    },
    configure({ writes: writeMode, allowMode, mine, pluginId }) {
      if (writeMode === 'let-through' && !options.canWrite()) {
        throw createRefusedError(
          'READ_ONLY',
          'This profile may only read. Unlock writing before the panel’s writes are let through.',
        )
      }
      const next = { ...choices, ...(allowMode && { mode: allowMode }), ...(mine && { mine }) }
      const chosen = pluginId === undefined ? next : { ...next, pluginId }
      if (source) panelStore.save(source, chosen)
      choices = chosen
      writes = writeMode ?? writes
      return publishChange()
    },
    decide: (id, decision) => asks.decide(id, decision),
    recent: panelStore.recent,
    forget: panelStore.forget,
    listNotes: notes.listAfter,
    clearNotes: notes.clear,
    getCall: (exchangeId) => calls.get(exchangeId),
    settleInitiators: async () => run?.settleInitiators(),
    async readSource({ caller: opening, position, isOriginal }) {
      if (run?.caller !== opening) throw createRefusedError('PANEL_CLOSED', 'The panel with this file is not open.')
      const source = await run.readSource(position, isOriginal)
      if (source === null) throw createRefusedError('SOURCE_UNKNOWN', 'The panel has no such text file.')
      const { text, ...meta } = source
      return { meta, bytes: new TextEncoder().encode(options.conceal(text)).buffer }
    },
    getMemory: () => (run && options.process ? options.process.getMemory() : null),
    openDevTools() {
      if (!options.process?.openDevTools)
        throw createRefusedError(
          'NOT_HERE',
          'A browser has its own developer tools; the desktop app has them if it is started with --dev-tools.',
        )
      options.process.openDevTools()
    },
    setListener(by) {
      listener = by
      publishChange()
    },
    findOriginServer: (id) => (run?.id === id ? run.originServer : null),
    findSocketTarget: (id) => (run?.id === id ? run.socketTarget : null),
    getRunningId: () => run?.id ?? null,
    waitForRules: rules.refresh,
    close() {
      stopWatching()
      end()
      notes.close()
      overrides.close()
    },
  }
}

const noPlace = { file: '', line: null, column: null }
