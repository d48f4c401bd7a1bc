import type { AskDecision } from '../ask-queue.ts'
import { createRefusedError, toWireError } from '../../../shared/errors.ts'
import type { PanelCall, PanelNote, PanelSource, PanelState, PanelWriteMode } from '../../../shared/panel/panel.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { Bus } from '../bus.ts'
import { openPanelStore, type PanelChoices } from './panel-store.ts'
import type { PageLoad } from './page/reports.ts'
import { createPanelNotes } from './panel-notes.ts'
import { createPanelRun, type PanelRun, type RunOptions, chooseDefaultPlugin, getSourceName } from './panel-run.ts'
import type { PanelListener, PanelBounds, PanelDirectory, PanelView } from './call/types.ts'

interface PanelOptions extends Omit<
  RunOptions,
  | 'hasDirectSockets'
  | 'getChoices'
  | 'getWrites'
  | 'getLabel'
  | 'onFilesChanged'
  | 'addNote'
  | 'onNotesLost'
  | 'onTitle'
  | 'onPageLoad'
  | 'getFrameAncestors'
> {
  readonly dataDir: string
  readonly bus: Bus
  readonly conceal: (text: string) => string
  /** Shows the page; null if a frame of our page does. */
  readonly view: PanelView | null
}

/** A plugin's panel, run here. Errors are those of `shared/ipc/panel.ts`. */
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
  setBounds(place: PanelBounds): void
  openDevTools(): void
  close(): void
}

/** A page that says it began to load longer ago has another clock, or makes it up. */
const MAX_LOAD_MS = 3_600_000

export function createPanelService(options: PanelOptions): PanelService {
  const { bus, rules, view, overrides, calls, asks } = options
  const kept = openPanelStore(options.dataDir, options.conceal)
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
  let isResponding = true
  let loadedBecause: PanelState['loadedBecause'] = 'opened'
  let loadedAt: number | null = null
  /** The page is expected to load because of what was done here. */
  let isAwaited = false
  let choices: PanelChoices = { mode: 'host', mine: [], pluginId: null }
  let writes: PanelWriteMode = 'ask'
  /** Grows with each opening and stopping: what was begun before no longer counts. */
  let turn = 0

  const label = (): string => (title || (source ? getSourceName(source) : '')).slice(0, 200)

  function state(): PanelState {
    const offered = rules.plugins()
    const id = choices.pluginId ?? chooseDefaultPlugin(source, offered)
    return {
      source,
      name: label(),
      caller,
      pageLoad,
      phase,
      error,
      url: run && listener && !view ? listener.getOrigin(run.id) + run.start : null,
      load,
      loadedBecause,
      loadedAt,
      plugin: { id, from: choices.pluginId !== null ? 'chosen' : id === null ? 'nowhere' : 'template', offered },
      allow: { mode: choices.mode, mine: [...choices.mine], ...rules.allow() },
      writes,
      asks: asks.all,
      overrides: overrides.countRules(),
      isResponding,
      devTools: view !== null,
    }
  }

  function changed(): PanelState {
    const now = state()
    bus.publish('panel.changed', now)
    return now
  }

  function awaitLoad(because: PanelState['loadedBecause']): void {
    load += 1
    isResponding = true
    loadedBecause = because
    isAwaited = true
  }

  /**
   * The page itself says when it began to load: a frame may stand still for a while, and a page may
   * load itself again.
   */
  function onPageLoaded({ load: number, at, isReload }: PageLoad): void {
    pageLoad = number
    if (!isAwaited) loadedBecause = isReload ? 'itself' : 'opened'
    isAwaited = false
    const now = Date.now()
    loadedAt = at <= now && at > now - MAX_LOAD_MS ? at : now
    notes.add({ ...noPlace, kind: 'load', level: 'info', what: null, text: loadedBecause })
    changed()
  }

  function end(): void {
    turn += 1
    view?.close()
    run?.end()
    run = null
  }

  async function open(asked: PanelSource): Promise<PanelState> {
    end()
    const own = turn
    ;[source, title, phase, error] = [asked, '', 'starting', null]
    ;[caller, pageLoad, loadedAt] = [null, 0, null]
    choices = kept.getChoices(asked)
    changed()
    try {
      const next = await createPanelRun(asked, {
        ...options,
        hasDirectSockets: view !== null,
        getChoices: () => choices,
        getWrites: () => writes,
        getLabel: label,
        onFilesChanged: () => own === turn && reloaded('changed'),
        addNote: notes.add,
        onNotesLost: notes.addLost,
        onTitle: (text) => own === turn && text !== title && ((title = text), changed()),
        onPageLoad: (begun) => own === turn && onPageLoaded(begun),
        getFrameAncestors: () => listener?.frameAncestors ?? "'none'",
      })
      if (own !== turn) {
        next.end()
        return state()
      }
      kept.save(asked, choices)
      run = next
      caller = next.caller
      overrides.open(asked)
      void rules.refresh()
    } catch (thrown) {
      if (own === turn) {
        ;[phase, error] = ['failed', toWireError(thrown)]
        changed()
      }
      throw thrown
    }
    phase = 'running'
    awaitLoad('opened')
    const { originServer: door, start, devServer: server } = run
    view?.open({
      ...{ originServer: door, start, devServer: server },
      addNote: (note) => notes.add({ ...noPlace, ...note }),
      onResponsive: (next) => own === turn && ((isResponding = next), changed()),
    })
    return changed()
  }

  function reloaded(because: 'reloaded' | 'changed'): void {
    if (!run) return
    run.beginLoad()
    awaitLoad(because)
    view?.reload()
    changed()
  }

  const stopWatching = bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed' && topic !== 'operations.writing') return
    if (run) void rules.refresh()
    if (writes !== 'let-through' || options.canWrite()) return
    writes = 'ask'
    changed()
  })

  return {
    state,
    open,
    stop() {
      if (!source) return state()
      end()
      phase = 'stopped'
      return changed()
    },
    async reload() {
      if (!run && source) return open(source)
      reloaded('reloaded')
      return state()
    },
    configure({ writes: how, allowMode, mine, pluginId }) {
      if (how === 'let-through' && !options.canWrite()) {
        throw createRefusedError(
          'READ_ONLY',
          'This profile may only read. Unlock writing before the panel’s writes are let through.',
        )
      }
      const next = { ...choices, ...(allowMode && { mode: allowMode }), ...(mine && { mine }) }
      const chosen = pluginId === undefined ? next : { ...next, pluginId }
      if (source) kept.save(source, chosen)
      choices = chosen
      writes = how ?? writes
      return changed()
    },
    decide: (id, decision) => asks.decide(id, decision),
    recent: kept.recent,
    forget: kept.forget,
    listNotes: notes.listAfter,
    clearNotes: notes.clear,
    getCall: (exchangeId) => calls.get(exchangeId),
    setBounds: (place) => view?.setBounds(place),
    openDevTools() {
      if (!view) throw createRefusedError('NOT_HERE', 'A browser has its own developer tools.')
      view.openDevTools()
    },
    setListener(by) {
      listener = by
      changed()
    },
    findOriginServer: (id) => (run?.id === id ? run.originServer : null),
    findSocketTarget: (id) => (run?.id === id ? run.socketTarget : null),
    close() {
      stopWatching()
      end()
      notes.close()
      overrides.close()
    },
  }
}

const noPlace = { file: '', line: null, column: null }
