import { defineStore } from './define-store.ts'
import { computed, markRaw, proxyRefs, ref, shallowReactive, watch } from 'vue'
import { getLimit } from '../../shared/bridge/host-limits.ts'
import { documentedLimits } from '../../shared/bridge/documented-limits.ts'
import { type NoteItem, noteItemSchema, type BatchGetResponse } from '../../shared/bridge/resources/notes.ts'
import type { AppError } from '../../shared/errors.ts'
import type { ResponseMeta } from '../../shared/ipc/bridge.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import { call } from '../ipc/call.ts'
import { judgeChangeImpact, type DataChange } from '../../shared/bridge/data-change.ts'
import { isHostUnavailableError, onHostBack, onReload, useIsSlow, type Resource } from './resource.ts'
import { retainInScope } from './retained-ids.ts'
import { RequestBatcher, idleLoadState, type LoadState } from './request-batcher.ts'
import { useConnection } from './connection.ts'
import { useDataChanges, useFreshness } from './data-changes.ts'
import { readEndpoint, createUnusableResponseError, type HostResponse } from './host-read.ts'
import { inspectResponsePart } from '../model/responses/schema-violations.ts'
import { getMember } from '../../shared/json/object.ts'
import { locateSentEntry } from '../../shared/bridge/response-reading.ts'
import { toPointer } from '../../shared/json/pointer.ts'
import { getElementText, parseListPath } from '../../shared/json/list-elements.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'

/** The part of a batch response that belongs to one requested id. */
interface CardLookup {
  /** The card as sent; only id and title were checked. Null if it is not there. */
  readonly item: NoteItem | null
  /** Index of the card in the valid items; -1 if the card is not one of them. */
  readonly index: number
  readonly response: HostResponse<BatchGetResponse>
}

/** Computed when the card is shown, and not for every row of a list. */
interface CardDetails {
  /** The card's exact JSON; null if it cannot be located reliably in the response. */
  readonly source: string | null
  readonly findings: readonly JsonFinding[]
  readonly findingTotal: number
  readonly conforms: boolean
}

/**
 * Looks up each requested id in a response to `POST /notes/batch-get`. Ids are compared exactly,
 * then ignoring case. If the response has an invalid entry, a missing card may be that entry, so
 * the id maps to an error instead of "no such card".
 */
function mapCardsById(
  response: HostResponse<BatchGetResponse>,
  ids: readonly string[],
): Map<string, CardLookup | AppError> {
  const { items } = response.value
  const exact = new Map<string, number>()
  const caseInsensitive = new Map<string, number>()
  items.forEach(({ noteid }, index) => {
    if (!exact.has(noteid)) exact.set(noteid, index)
    if (!caseInsensitive.has(noteid.toUpperCase())) caseInsensitive.set(noteid.toUpperCase(), index)
  })
  return new Map(
    ids.map((id) => {
      const index = exact.get(id) ?? caseInsensitive.get(id.toUpperCase()) ?? -1
      const isUnknown = index < 0 && response.omittedCount > 0
      return [
        id,
        isUnknown
          ? createUnusableResponseError(response.meta, response.findings, response.raw)
          : { item: items[index] ?? null, index, response },
      ]
    }),
  )
}

const cachedDetails = new WeakMap<CardLookup, CardDetails>()

function getCardDetails(lookup: CardLookup): CardDetails {
  const cached = cachedDetails.get(lookup)
  if (cached) return cached
  const details = examineCard(lookup)
  cachedDetails.set(lookup, details)
  return details
}

function examineCard({ item, index, response }: CardLookup): CardDetails {
  const batchFindings = getBatchFindings(response)
  const batchTotal = batchFindings.filter(({ kind }) => kind !== 'observed').length
  if (item === null)
    return { source: null, findings: batchFindings, findingTotal: batchTotal, conforms: response.conforms }
  const position = locateSentEntry(response.lists, 'items', index)
  const text = getElementText(decodeUtf8(new Uint8Array(response.raw)).text, position.member, position.index)
  const inspection = text === null ? null : inspectResponsePart(noteItemSchema, text)
  // If `items` occurs twice in a response, the text may belong to a different card.
  const isOwnText = inspection !== null && getMember(inspection.value, 'noteid') === item.noteid
  const { findings, findingTotal, conforms } = isOwnText
    ? inspection
    : inspectResponsePart(noteItemSchema, JSON.stringify(item))
  return {
    source: isOwnText ? text : null,
    findings: [...batchFindings, ...findings],
    findingTotal: batchTotal + findingTotal,
    conforms,
  }
}

function getBatchFindings({ findings, lists }: HostResponse<BatchGetResponse>): JsonFinding[] {
  const { member = 'items', parts = [] } = lists['items'] ?? {}
  const cardPointers = [member, ...parts.map((part) => part.member)].map((list) => `${toPointer(parseListPath(list))}/`)
  return findings.filter(
    (finding) => !('path' in finding && cardPointers.some((list) => finding.path.startsWith(list))),
  )
}

/** The delay is long enough for a list to request all its rows, and too short to be noticed. */
const BATCH_DELAY_MS = 12
/** Cards that stay in memory after they were shown: a few screens of every list. */
const MAX_CACHED_CARDS = 2000

/** Reads cards in batches (`POST /notes/batch-get`), valid for one epoch of the connection. */
export const useCardStore = defineStore('cards', () => {
  const connection = useConnection()
  let limit: Promise<number> | null = null

  const batcher = markRaw(
    new RequestBatcher<CardLookup>(
      {
        fetch: async (ids, signal) =>
          mapCardsById(await readEndpoint('notes.batchGet', { body: { noteIds: [...ids] } }, { signal }), ids),
        readLimit: readBatchLimit,
        schedule: (run) => void setTimeout(run, BATCH_DELAY_MS),
      },
      MAX_CACHED_CARDS,
      shallowReactive(new Map<string, LoadState<CardLookup>>()),
    ),
  )

  /** Returns the maximum number of cards per request. Never rejects. */
  function readBatchLimit(): Promise<number> {
    return (limit ??= readLimit())
  }

  /** Without a limit in the capabilities, that of the contract applies. */
  async function readLimit(): Promise<number> {
    try {
      return getLimit(await call('bridge.limits', {}), 'notes.batchGet', 'noteIds').max ?? documentedLimits.batchNoteIds
    } catch {
      limit = null
      return documentedLimits.batchNoteIds
    }
  }

  watch(
    () => connection.online && connection.serviceReachable,
    (reachable) => batcher.setPaused(!reachable),
    { immediate: true },
  )
  onHostBack(() => batcher.retryFailed(isHostUnavailableError))
  watch(
    () => connection.epoch,
    () => {
      limit = null
      batcher.startGeneration()
    },
  )
  // A different host has different cards, even under the same ids.
  watch(
    () => connection.state.profile?.id,
    () => batcher.reset(),
  )

  onReload(() => batcher.reload([...batcher.loadStates.keys()]))

  const isTouched = (id: string, change: DataChange): boolean => judgeChangeImpact(change, readOf([id])) !== 'no'
  /** The visible cards count as one read. Changed hidden cards leave the cache at once. */
  const freshness = useFreshness({
    getShownRead: () => (batcher.retainedIds.length === 0 ? null : readOf(batcher.retainedIds)),
    isAutomatic: () => true,
    reload(changes) {
      const touched = batcher.retainedIds.filter((id) => changes.some((change) => isTouched(id, change)))
      // The failure of a single card is shown on that card.
      const endRead = freshness.beginRead()
      batcher.reload(touched)
      endRead(true)
    },
  })
  useDataChanges().onChange((change) => {
    const retained = new Set(batcher.retainedIds)
    const cached = [...batcher.loadStates.keys()].filter((id) => !retained.has(id))
    batcher.reload(cached.filter((id) => isTouched(id, change)))
  })

  return {
    getLoadState: (id: string): LoadState<CardLookup> => batcher.loadStates.get(id) ?? idleLoadState,
    retain: (id: string) => batcher.retain(id),
    readBatchLimit,
    /** Finds the newest change that may have affected this card after it was read. */
    getChange(id: string): DataChange | null {
      const { value } = freshness.newestChange
      return value && isTouched(id, value) ? value : null
    },
    /** Returns true if the card was read after every known change that may have affected it. */
    isCurrent: (id: string): boolean =>
      batcher.isFresh(id) && !freshness.pending.value.some((change) => isTouched(id, change)),
    /** Reloads the visible ones of these cards and drops the rest from the cache. */
    invalidate: (ids: Iterable<string>) => batcher.reload(ids),
  }
})

const readOf = (noteIds: readonly string[]) => ({ endpoint: 'notes.batchGet', body: { noteIds } })

type CardStatus = 'idle' | 'loading' | 'ready' | 'missing' | 'failed'

export interface Card extends Pick<Resource<unknown>, 'error' | 'isSlow' | 'isStale' | 'staleReason' | 'newestChange'> {
  /** `missing`: the host lacks the card. `idle`: there is no id or no connection. */
  readonly status: CardStatus
  /** Only id and title were checked. Stays during a reload and after a failed one. */
  readonly item: NoteItem | null
  readonly missing: boolean
  /** True if it was read after every known change that may have affected it. */
  readonly isCurrent: boolean
  /** Describes the response that contained the card, together with other cards. */
  readonly meta: ResponseMeta | null
  /** The exact JSON text of the card, cut out of the response. */
  readonly source: string | null
  /** The bytes of the whole response. */
  readonly raw: ArrayBuffer | null
  readonly findings: readonly JsonFinding[]
  readonly findingTotal: number
  readonly conforms: boolean
  /** True if `cancel` was called before the card was loaded. */
  readonly isStopped: boolean
  /** Stops waiting. The request is aborted if nobody waits for the other cards in it. */
  cancel(): void
  reload(): void
}

/** Loads all cards needed at one time in one batch. Call it in a component's scope. */
export function useCard(noteid: () => string | null): Card {
  const store = useCardStore()
  const connection = useConnection()
  const isStopped = ref(false)
  watch(noteid, () => (isStopped.value = false))
  retainInScope(() => (noteid() && !isStopped.value ? [noteid() ?? ''] : []), store.retain)
  const loadState = computed(() => store.getLoadState(noteid() ?? ''))
  const lookup = computed(() => loadState.value.value)
  const meta = computed(() => lookup.value?.response.meta ?? null)
  const details = computed(() => (lookup.value ? getCardDetails(lookup.value) : null))
  const status = computed(() => statusOf(loadState.value, connection.online && Boolean(noteid()) && !isStopped.value))
  const isStale = computed(() => meta.value !== null && connection.isStale(meta.value.epoch))

  return proxyRefs({
    status,
    item: computed(() => lookup.value?.item ?? null),
    missing: computed(() => lookup.value !== null && lookup.value.item === null),
    isCurrent: computed(() => store.isCurrent(noteid() ?? '')),
    error: computed(() => loadState.value.error),
    isSlow: useIsSlow(() => status.value === 'loading'),
    meta,
    source: computed(() => details.value?.source ?? null),
    raw: computed(() => lookup.value?.response.raw ?? null),
    findings: computed(() => details.value?.findings ?? []),
    findingTotal: computed(() => details.value?.findingTotal ?? 0),
    conforms: computed(() => details.value?.conforms ?? true),
    isStale,
    staleReason: computed(() =>
      isStale.value && meta.value ? connection.getGapReasonSince(meta.value.receivedAt) : null,
    ),
    newestChange: computed(() => (meta.value === null ? null : store.getChange(noteid() ?? ''))),
    isStopped,
    cancel: () => void (isStopped.value = true),
    reload() {
      isStopped.value = false
      store.invalidate([noteid() ?? ''])
    },
  })
}

interface CardRow {
  readonly status: CardStatus
  readonly item: NoteItem | null
  readonly error: AppError | null
}

/** `get` is reactive: a row renders again only when its own card changes. */
export function useCards(noteids: () => readonly string[]): { get(noteid: string): CardRow } {
  const store = useCardStore()
  const connection = useConnection()
  retainInScope(noteids, store.retain)
  return {
    get(noteid) {
      const loadState = store.getLoadState(noteid)
      return {
        status: statusOf(loadState, connection.online),
        item: loadState.value?.item ?? null,
        error: loadState.error,
      }
    },
  }
}

function statusOf({ status, value }: LoadState<CardLookup>, canLoad: boolean): CardStatus {
  if (status === 'ready') return value?.item === null ? 'missing' : 'ready'
  // A card that waits for its batch counts as loading.
  return status === 'idle' && canLoad ? 'loading' : status
}
