import type { Decision } from '../asks.ts'
import { refused, toWire } from '../../../shared/errors.ts'
import type { PanelCall, PanelNote, PanelSource, PanelState, PanelWrites } from '../../../shared/panel/panel.ts'
import type { Input } from '../../../shared/ipc/index.ts'
import type { Bus } from '../bus.ts'
import { keepPanels, type PanelChoices } from './kept.ts'
import type { PageLoad } from './page/reports.ts'
import { createPanelNotes } from './notes.ts'
import { createPanelRun, type PanelRun, type RunOptions, defaultPluginOf, nameOf } from './run.ts'
import type { PanelListener, PanelPlace, PanelPort, PanelView } from './call/types.ts'

interface PanelOptions extends Omit<
  RunOptions,
  'directSockets' | 'choices' | 'writes' | 'label' | 'changed' | 'note' | 'lost' | 'titled' | 'pageLoaded' | 'ancestors'
> {
  readonly dataDir: string
  readonly bus: Bus
  readonly conceal: (text: string) => string
  /** Shows the page; null if a frame of our page does. */
  readonly view: PanelView | null
}

/** A plugin's panel, run here. Errors are those of `shared/ipc/panel.ts`. */
export interface PanelService extends PanelPort {
  state(): PanelState
  open(source: PanelSource): Promise<PanelState>
  stop(): PanelState
  reload(): Promise<PanelState>
  configure(change: Input<'panel.configure'>): PanelState
  decide(id: string, decision: Decision): void
  recent(): PanelSource[]
  forget(source: PanelSource): void
  notes(after: number): { notes: PanelNote[]; dropped: number }
  clearNotes(): void
  call(exchangeId: string): PanelCall | null
  place(place: PanelPlace): void
  devTools(): void
  close(): void
}

/** A page that says it began to load longer ago has another clock, or makes it up. */
const MAX_LOAD_MS = 3_600_000

export function createPanelService(options: PanelOptions): PanelService {
  const { bus, rules, view, overrides, calls, asks } = options
  const kept = keepPanels(options.dataDir, options.conceal)
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
  let writes: PanelWrites = 'ask'
  /** Grows with each opening and stopping: what was begun before no longer counts. */
  let turn = 0

  const label = (): string => (title || (source ? nameOf(source) : '')).slice(0, 200)

  function state(): PanelState {
    const offered = rules.plugins()
    const id = choices.pluginId ?? defaultPluginOf(source, offered)
    return {
      source,
      name: label(),
      caller,
      pageLoad,
      phase,
      error,
      url: run && listener && !view ? listener.originOf(run.id) + run.start : null,
      load,
      loadedBecause,
      loadedAt,
      plugin: { id, from: choices.pluginId !== null ? 'chosen' : id === null ? 'nowhere' : 'template', offered },
      allow: { mode: choices.mode, mine: [...choices.mine], ...rules.allow() },
      writes,
      asks: asks.all,
      overrides: overrides.counts(),
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

  /** The page itself says when it began to load: a frame may stand still for a while, and a page may load itself again. */
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
    choices = kept.choicesFor(asked)
    changed()
    try {
      const next = await createPanelRun(asked, {
        ...options,
        directSockets: view !== null,
        choices: () => choices,
        writes: () => writes,
        label,
        changed: () => own === turn && reloaded('changed'),
        note: notes.add,
        lost: notes.lose,
        titled: (text) => own === turn && text !== title && ((title = text), changed()),
        pageLoaded: (begun) => own === turn && onPageLoaded(begun),
        ancestors: () => listener?.ancestors ?? "'none'",
      })
      if (own !== turn) {
        next.end()
        return state()
      }
      kept.keep(asked, choices)
      run = next
      caller = next.caller
      overrides.open(asked)
      void rules.learn()
    } catch (thrown) {
      if (own === turn) {
        ;[phase, error] = ['failed', toWire(thrown)]
        changed()
      }
      throw thrown
    }
    phase = 'running'
    awaitLoad('opened')
    const { door, start, server } = run
    view?.open({
      ...{ door, start, server },
      note: (note) => notes.add({ ...noPlace, ...note }),
      responds: (next) => own === turn && ((isResponding = next), changed()),
    })
    return changed()
  }

  function reloaded(because: 'reloaded' | 'changed'): void {
    if (!run) return
    run.begin()
    awaitLoad(because)
    view?.reload()
    changed()
  }

  const stopWatching = bus.subscribe(({ topic }) => {
    if (topic !== 'connection.changed' && topic !== 'operations.writing') return
    if (run) void rules.learn()
    if (writes !== 'let-through' || options.mayWrite()) return
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
      if (how === 'let-through' && !options.mayWrite()) {
        throw refused(
          'READ_ONLY',
          'This profile may only read. Unlock writing before the panel’s writes are let through.',
        )
      }
      const next = { ...choices, ...(allowMode && { mode: allowMode }), ...(mine && { mine }) }
      const chosen = pluginId === undefined ? next : { ...next, pluginId }
      if (source) kept.keep(source, chosen)
      choices = chosen
      writes = how ?? writes
      return changed()
    },
    decide: (id, decision) => asks.decide(id, decision),
    recent: kept.recent,
    forget: kept.forget,
    notes: notes.after,
    clearNotes: notes.clear,
    call: (exchangeId) => calls.get(exchangeId),
    place: (place) => view?.place(place),
    devTools() {
      if (!view) throw refused('NOT_HERE', 'A browser has its own developer tools.')
      view.devTools()
    },
    servedBy(by) {
      listener = by
      changed()
    },
    doorOf: (id) => (run?.id === id ? run.door : null),
    socketsOf: (id) => (run?.id === id ? run.sockets : null),
    close() {
      stopWatching()
      end()
      notes.close()
      overrides.close()
    },
  }
}

const noPlace = { file: '', line: null, column: null }
