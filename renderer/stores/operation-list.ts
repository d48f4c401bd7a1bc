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

/** Records per answer: few enough to process within a frame or two. */
const PAGE_ROWS = 250

interface OperationList extends Pick<Resource<unknown>, 'error' | 'reload'> {
  /** All that match the filter, newest first; while they load, as many as have arrived. */
  readonly items: readonly OperationSummary[]
  readonly total: number
  /** Study sets that any record names. */
  readonly topicids: readonly string[]
  /** There is something to show: records or why there are none. */
  readonly loaded: boolean
}

/** The list of records, read in parts and kept up to date by pushes from the service process: nothing is read twice for one change. */
export function useOperationList(filter: () => OperationFilter): OperationList {
  const operations = useOperations()
  const items = shallowRef<readonly OperationSummary[]>([])
  const coming = ref(0)
  const topicids = shallowRef<readonly string[]>([])
  const hasPart = ref(false)
  let known = new Map<string, OperationSummary>()
  /** What was pushed since the list was last requested; null = removed. */
  let since = new Map<string, OperationSummary | null>()
  /** A record was removed while the list was being read: those after it moved forward, and one may be in no part. */
  let moved = false

  const read = useResource(async (signal) => {
    do {
      const wanted = filter()
      const found = new Map<string, OperationSummary>()
      since = new Map()
      moved = false
      for (let offset = 0, total = 1; offset < total; offset += PAGE_ROWS) {
        const part = await operations.list({ ...wanted, offset, limit: PAGE_ROWS }, signal)
        // Records that arrived meanwhile push the others back, so each is kept once.
        for (const item of part.items) found.set(item.id, item)
        total = part.total
        coming.value = total
        topicids.value = part.topicids
        known = found
        apply(since)
        hasPart.value = true
      }
    } while (moved)
  })

  function apply(changes: ReadonlyMap<string, OperationSummary | null>): void {
    const fits = createOperationFilter(filter())
    for (const [id, one] of changes) {
      if (one && fits(one)) known.set(id, one)
      else if (known.delete(id)) moved = true
      const topicid = one?.topicid ?? null
      if (topicid !== null && !topicids.value.includes(topicid)) topicids.value = [...topicids.value, topicid]
    }
    items.value = [...known.values()].sort((a, b) => b.createdAt - a.createdAt)
  }

  function take({ items: changed, removed, complete }: IpcPayload<'operations.changed'>): void {
    if (!complete) return void read.reload()
    const changes = new Map<string, OperationSummary | null>([
      ...changed.map((one) => [one.id, one] as const),
      ...removed.map((id) => [id, null] as const),
    ])
    for (const [id, one] of changes) since.set(id, one)
    apply(changes)
  }

  useOperationPushes(take, () => void read.reload())
  watch(
    () => JSON.stringify(filter()),
    () => void read.reload(),
    { immediate: true },
  )
  return proxyRefs({
    items,
    total: computed(() => Math.max(read.status === 'loading' ? coming.value : 0, items.value.length)),
    topicids,
    loaded: computed(() => hasPart.value || read.status === 'failed'),
    error: computed(() => read.error),
    reload: () => read.reload(),
  })
}

/** Receives every push, and learns when some may have been missed because the service process was gone. */
function useOperationPushes(take: (push: IpcPayload<'operations.changed'>) => void, missed: () => void): void {
  onScopeDispose(subscribe('operations.changed', take))
  onScopeDispose(onServiceBack(missed))
}

/** One record with everything observed, reloaded whenever something is added to it. */
export function useOperation(id: () => string): Resource<Operation> {
  const operations = useOperations()
  const resource = useResource(async () => {
    const record = await operations.get(id())
    if (record.summary.unseen) void operations.markSeen(id()).catch(() => undefined)
    return record
  })
  const reload = (): void => void resource.reload()
  useOperationPushes(({ items, removed, complete }) => {
    if (!complete || removed.includes(id()) || items.some((one) => one.id === id())) reload()
  }, reload)
  watch(id, reload, { immediate: true })
  return resource
}

/** The host's answer to a write, and when it came. */
export interface CardWriteResponse {
  readonly timestamp: number
  readonly body: unknown
}

/** Answers that are read of one card; of more writes only the latest count. */
const MAX_ANSWERS = 20

/**
 * What the connected host answered to the writes of one kind to a card that were recorded here, latest first. Some of it a host never says
 * again when the card is read.
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
  const answers = useResource(async () => {
    const own = list.items.filter((one) => one.noteid === noteid()).slice(0, MAX_ANSWERS)
    const records = await Promise.all(own.map(({ id }) => operations.get(id).catch(() => null)))
    return records.flatMap((record) => {
      const answer = record?.events.find((event) => event.kind === 'answer')
      const isGood = answer && answer.status >= 200 && answer.status < 300 && errorCodeOf(answer.body) === null
      return isGood ? [{ timestamp: answer.at, body: answer.body }] : []
    })
  })
  watch(
    () => list.items,
    () => void answers.reload(),
    { immediate: true },
  )
  return computed(() => answers.data ?? [])
}
