import { computed, onScopeDispose, proxyRefs, ref, shallowRef, watch, type ComputedRef } from 'vue'
import type { IpcPayload } from '../../shared/ipc/index.ts'
import {
  createOperationFilter,
  type Operation,
  type OperationFilter,
  type OperationSummary,
} from '../../shared/ipc/operations.ts'
import { onServiceBack, subscribe } from '../ipc/subscriptions.ts'
import { useOperations } from './operations.ts'
import { useResource, type Resource } from './resource.ts'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../shared/bridge/errors.ts'
import { useConnection } from './connection.ts'

/** A reply of this many records can be processed within a frame or two. */
const PAGE_ROWS = 250

interface OperationList extends Pick<Resource<unknown>, 'error' | 'reload'> {
  /** Matches of the filter, newest first; while they load, those that have arrived. */
  readonly items: readonly OperationSummary[]
  readonly total: number
  /** Ids of the study sets to which any record refers. */
  readonly topicids: readonly string[]
  /** True if there are records or an error to show. */
  readonly loaded: boolean
}

/** Loads the records page by page; pushes keep the list up to date. */
export function useOperationList(filter: () => OperationFilter): OperationList {
  const operations = useOperations()
  const items = shallowRef<readonly OperationSummary[]>([])
  const expectedTotal = ref(0)
  const topicids = shallowRef<readonly string[]>([])
  const hasPage = ref(false)
  let recordsById = new Map<string, OperationSummary>()
  /** Changes pushed since the last read of the list began; null for a removed record. */
  let pushedChanges = new Map<string, OperationSummary | null>()
  /** A record was removed during the read: later ones moved, and one may be missing. */
  let hasMoved = false

  const read = useResource(async (signal) => {
    do {
      const readFilter = filter()
      const loadedById = new Map<string, OperationSummary>()
      pushedChanges = new Map()
      hasMoved = false
      for (let offset = 0, total = 1; offset < total; offset += PAGE_ROWS) {
        const page = await operations.list({ ...readFilter, offset, limit: PAGE_ROWS }, signal)
        // Records that arrive meanwhile move others to the next page: an id may come twice.
        for (const item of page.items) loadedById.set(item.id, item)
        total = page.total
        expectedTotal.value = total
        topicids.value = page.topicids
        recordsById = loadedById
        applyChanges(pushedChanges)
        hasPage.value = true
      }
    } while (hasMoved)
  })

  function applyChanges(changes: ReadonlyMap<string, OperationSummary | null>): void {
    const matches = createOperationFilter(filter())
    for (const [id, record] of changes) {
      if (record && matches(record)) recordsById.set(id, record)
      else if (recordsById.delete(id)) hasMoved = true
      const topicid = record?.topicid ?? null
      if (topicid !== null && !topicids.value.includes(topicid)) topicids.value = [...topicids.value, topicid]
    }
    items.value = [...recordsById.values()].sort((a, b) => b.createdAt - a.createdAt)
  }

  function onPush({ items: changedItems, removed, complete }: IpcPayload<'operations.changed'>): void {
    if (!complete) return void read.reload()
    const changes = new Map<string, OperationSummary | null>([
      ...changedItems.map((record) => [record.id, record] as const),
      ...removed.map((id) => [id, null] as const),
    ])
    for (const [id, record] of changes) pushedChanges.set(id, record)
    applyChanges(changes)
  }

  useOperationPushes(onPush, () => void read.reload())
  watch(
    () => JSON.stringify(filter()),
    () => void read.reload(),
    { immediate: true },
  )
  return proxyRefs({
    items,
    total: computed(() => Math.max(read.status === 'loading' ? expectedTotal.value : 0, items.value.length)),
    topicids,
    loaded: computed(() => hasPage.value || read.status === 'failed'),
    error: computed(() => read.error),
    reload: () => read.reload(),
  })
}

/** `onMissed`: pushes may have been missed while the service process was away. */
function useOperationPushes(onPush: (push: IpcPayload<'operations.changed'>) => void, onMissed: () => void): void {
  onScopeDispose(subscribe('operations.changed', onPush))
  onScopeDispose(onServiceBack(onMissed))
}

/** Loads a record with all its observations, and loads again whenever an observation is added. */
export function useOperation(id: () => string): Resource<Operation> {
  const operations = useOperations()
  const resource = useResource(async () => {
    const record = await operations.get(id())
    if (record.summary.unseen) void operations.markSeen(id()).catch(() => undefined)
    return record
  })
  const reload = (): void => void resource.reload()
  useOperationPushes(({ items, removed, complete }) => {
    if (!complete || removed.includes(id()) || items.some((item) => item.id === id())) reload()
  }, reload)
  watch(id, reload, { immediate: true })
  return resource
}

/** `timestamp` is the arrival of the response in epoch milliseconds. */
export interface CardWriteResponse {
  readonly timestamp: number
  readonly body: unknown
}

/** Only the responses to the latest writes of a card are read. */
const MAX_RESPONSES = 20

/**
 * The connected host's responses to the recorded writes of one kind to a card, latest first. Some
 * of this data is in no other response, because the host does not include it in the card.
 */
export function useCardWriteResponses(
  endpoint: EndpointId,
  noteid: () => string,
): ComputedRef<readonly CardWriteResponse[]> {
  const operations = useOperations()
  const connection = useConnection()
  const list = useOperationList(() => {
    const host = connection.state.profile?.baseUrl
    return { endpoint, text: noteid(), ...(host === undefined ? {} : { host }) }
  })
  const responses = useResource(async () => {
    const cardRecords = list.items.filter((item) => item.noteid === noteid()).slice(0, MAX_RESPONSES)
    const records = await Promise.all(cardRecords.map(({ id }) => operations.get(id).catch(() => null)))
    return records.flatMap((record) => {
      const responseEvent = record?.events.find((event) => event.kind === 'answer')
      const isSuccess =
        responseEvent &&
        responseEvent.status >= 200 &&
        responseEvent.status < 300 &&
        errorCodeOf(responseEvent.body) === null
      return isSuccess ? [{ timestamp: responseEvent.at, body: responseEvent.body }] : []
    })
  })
  watch(
    () => list.items,
    () => void responses.reload(),
    { immediate: true },
  )
  return computed(() => responses.data ?? [])
}
