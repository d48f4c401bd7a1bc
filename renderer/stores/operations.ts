import { defineStore } from './define-store.ts'
import { computed, hasInjectionContext, inject, shallowRef, watch } from 'vue'
import { routeLocationKey } from 'vue-router'
import type { CommandId } from '../../shared/bridge/listed-row.ts'
import type { CommandDraft, PreparedWrite, PreviewResponse } from '../../shared/operations/prepared-write.ts'
import type { Operation, WritePermission } from '../../shared/ipc/operations.ts'
import type { IpcInput } from '../../shared/ipc/index.ts'
import type { LabProbe } from '../../shared/ipc/lab.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useConnection } from './connection.ts'
import { useServiceState } from './service-state.ts'

/** The write with which the sheet opens; with `review`, at the review with the focus on Send. */
interface ComposedWrite {
  readonly endpoint: CommandId
  readonly values: Readonly<Record<string, string>>
  readonly review: boolean
  /** JSON text. If present, it is used instead of the form's body. */
  readonly body?: string
  /** Called with the operation after the write was sent. */
  readonly onSent?: (operation: Operation) => void
}

/** Operation records, the profile's write permission, and the write being prepared. */
export const useOperations = defineStore('operations', () => {
  const route = hasInjectionContext() ? inject(routeLocationKey, null) : null
  const getPlaceName = (): string | undefined => (typeof route?.name === 'string' ? route.name : undefined)
  const connection = useConnection()
  const counts = useServiceState({ unfinished: 0, unseen: 0 })
  const writeAccess = useServiceState<WritePermission | null>(null)
  /** Null while the sheet is closed. */
  const composedWrite = shallowRef<ComposedWrite | null>(null)
  const profileId = computed(() => connection.state.profile?.id ?? null)

  async function readWriteAccess(): Promise<WritePermission | null> {
    if (profileId.value === null) return null
    return call('operations.writing', { profileId: profileId.value }).catch(() => null)
  }

  function start(): void {
    subscribe('operations.changed', counts.accept)
    subscribe('operations.writing', (permission) => {
      if (permission.profileId === profileId.value) writeAccess.accept(permission)
    })
    onServiceReachable(() => void counts.tryApply(call('operations.list', { offset: 0, limit: 1 })))
    // Separate sources: an array getter returns a new array after every heartbeat.
    watch([profileId, () => connection.state.profile?.readOnly], () => void writeAccess.apply(readWriteAccess()), {
      immediate: true,
    })
  }

  async function unlock(scope: 'session' | 'profile' | 'lock'): Promise<void> {
    if (profileId.value !== null)
      await writeAccess.apply(call('operations.unlock', { profileId: profileId.value, scope }))
  }

  return {
    unfinished: computed(() => counts.state.value.unfinished),
    unseen: computed(() => counts.state.value.unseen),
    writeAccess: writeAccess.state,
    composedWrite,
    start,
    unlock,
    compose: (
      endpoint: CommandId,
      values: ComposedWrite['values'] = {},
      { review = false, ...more }: Partial<Pick<ComposedWrite, 'review' | 'body' | 'onSent'>> = {},
    ) => void (composedWrite.value = { endpoint, values, review, ...more }),
    /** Returns a write's review. The record will name the page of the start. */
    prepare: (draft: CommandDraft): Promise<PreparedWrite> =>
      call('operations.prepare', JSON.parse(JSON.stringify({ ...draft, caller: getPlaceName() })) as CommandDraft),
    preview: (ticket: string): Promise<PreviewResponse> => call('operations.preview', { ticket }),
    send: (ticket: string): Promise<Operation> => call('operations.send', { ticket }),
    list: (filter: IpcInput<'operations.list'>, signal: AbortSignal) => call('operations.list', filter, { signal }),
    get: (id: string): Promise<Operation> => call('operations.get', { id }),
    markAllSeen: () => call('operations.seenAll', {}),
    markSeen: (id: string) => call('operations.seen', { id }),
    watchRequest: (requestId: string): Promise<Operation> => call('operations.watch', { requestId }),
    runAction: (method: 'look' | 'stop' | 'resume' | 'readBack', id: string): Promise<Operation> =>
      call(`operations.${method}`, { id }),
    readBackAll: () => call('operations.readBackAll', {}),
    planProbe: (probe: LabProbe, target: IpcInput<'lab.plan'>['target']) =>
      call('lab.plan', { probe, target: { ...target } }),
    runProbe: (probe: LabProbe, target: IpcInput<'lab.run'>['target'], plan: string | null) =>
      call('lab.run', { probe, target: { ...target }, plan }),
    readJournalInfo: () => call('journal.info', {}),
    clearJournal: (before: number) => call('journal.clear', { before }),
  }
})
