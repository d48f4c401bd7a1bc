import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { IpcInput } from '../../shared/ipc/index.ts'
import type { PanelCallSummary, PanelCall, PanelNote, PanelSource, PanelState } from '../../shared/panel/panel.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

/** Notes kept in the page; the service process counts what it drops itself. */
export const MAX_NOTES = 1_000

/** What `host.api` resolved to for the exchange with this id, or would resolve to, as JSON text. Throws what `panel.resolvedValue` throws. */
export async function readResolvedValue(
  exchangeId: string,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly isFailure: boolean }> {
  const { meta, bytes } = await call('panel.resolvedValue', { exchangeId }, signal ? { signal } : {})
  return { text: new TextDecoder().decode(bytes), ...meta }
}

/** The panel that runs: its state, what it said in its console, and what is done with it. */
export const usePanel = defineStore('panel', () => {
  const state = shallowRef<PanelState | null>(null)
  /** Why the state could not be read. */
  const error = shallowRef<AppError | null>(null)
  const recent = shallowRef<readonly PanelSource[]>([])
  const notes = shallowRef<readonly PanelNote[]>([])
  /** Notes that came before those that are kept. */
  const droppedCount = ref(0)
  const pendingWrites = computed(() => state.value?.asks ?? [])
  let trimmed = 0

  async function load(): Promise<void> {
    try {
      state.value = await call('panel.get', {})
      error.value = null
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }

  let reading = false
  let again = false
  /** One read at a time: what arrives meanwhile is read after it. */
  async function readNotes(): Promise<void> {
    if (reading) {
      again = true
      return
    }
    reading = true
    try {
      const after = notes.value.at(-1)?.seq ?? 0
      const found = await call('panel.notes', { after })
      // Numbers that begin anew belong to a service process that has just started.
      const known = (notes.value.at(-1)?.seq ?? 0) === after ? notes.value : []
      const all = [...known, ...found.notes]
      trimmed += Math.max(0, all.length - MAX_NOTES)
      droppedCount.value = Math.max(trimmed, found.dropped)
      notes.value = all.slice(-MAX_NOTES)
      again ||= found.notes.length > 0 && found.notes.length >= MAX_NOTES
    } catch {
      // They are read with the next ones.
    }
    reading = false
    if (again) {
      again = false
      await readNotes()
    }
  }
  function forgetNotes(): void {
    notes.value = []
    droppedCount.value = 0
    trimmed = 0
  }

  async function readRecent(): Promise<void> {
    recent.value = (await call('panel.recent', {})).sources
  }

  // A service process that comes back is asked again.
  subscribe('panel.changed', (next) => (state.value = next))
  subscribe('panel.noted', ({ newest }) => {
    if (newest < (notes.value.at(-1)?.seq ?? 0)) forgetNotes()
    void readNotes()
  })
  onServiceReachable(() => {
    forgetNotes()
    void load()
    void readNotes()
  })

  return {
    state,
    error,
    recent,
    notes,
    dropped: droppedCount,
    asks: pendingWrites,
    load,
    readRecent,
    async open(source: PanelSource): Promise<void> {
      state.value = await call('panel.open', { source })
    },
    async stop(): Promise<void> {
      state.value = await call('panel.stop', {})
    },
    async reload(): Promise<void> {
      state.value = await call('panel.reload', {})
    },
    async configure(change: IpcInput<'panel.configure'>): Promise<void> {
      state.value = await call('panel.configure', change)
    },
    decide: (id: string, send: boolean) => call('panel.decide', { id, send }),
    async forget(source: PanelSource): Promise<void> {
      await call('panel.forget', { source })
      await readRecent()
    },
    async clearNotes(): Promise<void> {
      await call('panel.clearNotes', {})
      forgetNotes()
    },
    place: (where: IpcInput<'panel.place'>) => call('panel.place', where),
    /** Asks with the system's own dialog; null if none was chosen. The desktop app has one. */
    chooseFolder: async (): Promise<string | null> => (await call('panel.chooseFolder', {})).path,
    devTools: () => call('panel.devTools', {}),
    summaries: async (exchangeIds: readonly string[]): Promise<readonly PanelCallSummary[]> =>
      (await call('panel.calls', { exchangeIds: [...exchangeIds] })).calls,
    callOf: async (exchangeId: string): Promise<PanelCall | null> => (await call('panel.call', { exchangeId })).call,
  }
})
