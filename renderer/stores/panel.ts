import { defineStore } from './define-store.ts'
import { computed, ref, shallowRef } from 'vue'
import type { CallInitiator } from '../../shared/traffic/call-initiator.ts'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import type { PanelCallSummary, PanelCall, PanelNote, PanelSource, PanelState } from '../../shared/panel/panel.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** The service process counts entries that it drops itself. */
export const MAX_CONSOLE_NOTES = 1_000

/** Reads JSON text, by the exchange's id. @throws what `panel.resolvedValue` throws */
export async function readResolvedValue(
  exchangeId: string,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly isFailure: boolean }> {
  const { meta, bytes } = await call('panel.resolvedValue', { exchangeId }, signal ? { signal } : {})
  return { text: new TextDecoder().decode(bytes), ...meta }
}

/** The returned function removes the listener. */
export function onInitiatorChange(listener: (exchangeIds: readonly string[]) => void): () => void {
  return subscribe('panel.initiatorsChanged', ({ exchangeIds }) => listener(exchangeIds))
}

/** @throws what `panel.source` throws */
export function readPanelSource(
  input: IpcInput<'panel.source'>,
  signal?: AbortSignal,
): Promise<IpcOutput<'panel.source'>> {
  return call('panel.source', input, signal ? { signal } : {})
}

/** Asks the panel lab to open a panel. */
interface OpeningRequest {
  readonly source: PanelSource
  /** True if the first failed call is opened as soon as it is recorded. */
  readonly shouldShowFailure: boolean
}

/** The state of the running panel, the entries of its console, and its commands. */
export const usePanel = defineStore('panel', () => {
  const { state, error, accept, apply, tryApply } = useServiceState<PanelState | null>(null)
  const recent = shallowRef<readonly PanelSource[]>([])
  const notes = shallowRef<readonly PanelNote[]>([])
  /** Number of dropped console entries, which were older than the stored ones. */
  const droppedCount = ref(0)
  const areNotesRead = ref(false)
  const pendingWrites = computed(() => state.value?.asks ?? [])
  /** A request to the panel lab by another place; null once the lab has begun. */
  const openingRequest = shallowRef<OpeningRequest | null>(null)
  /** True until the list of calls has opened the first failed call. */
  const isFailureAwaited = ref(false)
  let trimmedCount = 0

  const load = (): Promise<void> => tryApply(call('panel.get', {}))

  let isReadingNotes = false
  let isReadPending = false
  /** Reads never overlap. Entries that arrive during a read are read afterwards. */
  async function readNotes(): Promise<void> {
    if (isReadingNotes) {
      isReadPending = true
      return
    }
    isReadingNotes = true
    try {
      const after = notes.value.at(-1)?.seq ?? 0
      const result = await call('panel.notes', { after })
      // If the numbers start again, the service process was restarted.
      const keptNotes = (notes.value.at(-1)?.seq ?? 0) === after ? notes.value : []
      const allNotes = [...keptNotes, ...result.notes]
      trimmedCount += Math.max(0, allNotes.length - MAX_CONSOLE_NOTES)
      droppedCount.value = Math.max(trimmedCount, result.dropped)
      notes.value = allNotes.slice(-MAX_CONSOLE_NOTES)
      areNotesRead.value = true
      isReadPending ||= result.notes.length > 0 && result.notes.length >= MAX_CONSOLE_NOTES
    } catch {
      // The next read includes these entries.
    }
    isReadingNotes = false
    if (isReadPending) {
      isReadPending = false
      await readNotes()
    }
  }
  function forgetNotes(): void {
    notes.value = []
    droppedCount.value = 0
    trimmedCount = 0
  }

  async function readRecent(): Promise<void> {
    recent.value = (await call('panel.recent', {})).sources
  }

  subscribe('panel.changed', accept)
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
    droppedCount,
    areNotesRead,
    pendingWrites,
    openingRequest,
    isFailureAwaited,
    requestOpening: (request: OpeningRequest): void => void (openingRequest.value = request),
    load,
    readRecent,
    open: (source: PanelSource) => apply(call('panel.open', { source })),
    stop: () => apply(call('panel.stop', {})),
    reload: () => apply(call('panel.reload', {})),
    configure: (change: IpcInput<'panel.configure'>) => apply(call('panel.configure', change)),
    decide: (id: string, shouldSend: boolean) => call('panel.decide', { id, send: shouldSend }),
    async forget(source: PanelSource): Promise<void> {
      await call('panel.forget', { source })
      await readRecent()
    },
    async clearNotes(): Promise<void> {
      await call('panel.clearNotes', {})
      forgetNotes()
    },
    readMemory: async (): Promise<number | null> => (await call('panel.memory', {})).bytes,
    /** The system's dialog, only in the desktop app. Null if no folder was chosen. */
    chooseFolder: async (): Promise<string | null> => (await call('panel.chooseFolder', {})).path,
    devTools: () => call('panel.devTools', {}),
    summaries: async (exchangeIds: readonly string[]): Promise<readonly PanelCallSummary[]> =>
      (await call('panel.calls', { exchangeIds: [...exchangeIds] })).calls,
    getCall: async (exchangeId: string): Promise<PanelCall | null> => (await call('panel.call', { exchangeId })).call,
    /** Returns null if nothing is known. Calls of earlier runs are only in the recorded traffic. */
    getInitiator: async (exchangeId: string): Promise<CallInitiator | null> =>
      (await call('panel.call', { exchangeId })).call ??
      (await call('traffic.exchange', { id: exchangeId })).initiator ??
      null,
  }
})
