import { defineStore } from './define-store.ts'
import { markRaw, shallowReactive, watch } from 'vue'
import { documentedLimits } from '../../shared/bridge/documented-limits.ts'
import { getLimit } from '../../shared/bridge/host-limits.ts'
import type { DataChange } from '../../shared/bridge/data-change.ts'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { IdKind } from '../../shared/bridge/id-kinds.ts'
import { createCancelledError, type AppError } from '../../shared/errors.ts'
import {
  collectNames,
  mayRename,
  toName,
  toNameableKind,
  type KnownName,
  type NameableKind,
} from '../model/lens/response-names.ts'
import { useConnection } from './connection.ts'
import { useDataChanges, useFreshness } from './data-changes.ts'
import { readDocumentTitle, useDocuments } from './documents.ts'
import { isCancellation, toAppError } from './errors.ts'
import { useHostCapabilities } from './host-capabilities.ts'
import { onHostResponse, readEndpoint } from './host-read.ts'
import { RequestBatcher, type LoadState } from './request-batcher.ts'
import { isHostUnavailableError, onHostBack, onReload } from './resource.ts'
import { retainInScope } from './retained-ids.ts'
import { useTree } from './tree.ts'

/**
 * Rows that the user scrolls past within this time are not asked for. Requests are at least this
 * far apart, so that new rows that come one by one do not cause a series of single reads.
 */
const BATCH_DELAY_MS = 280
const MAX_KNOWN_NAMES = 20_000
/** After this many failed requests in a row, the host is not asked again in this connection. */
const MAX_FAILURES = 3

/** Null if the host knows no name for the id. */
type Name = string | null

/**
 * Names of the connected host's objects by id. Names come from responses that the page has read
 * anyway; the host is asked only for ids that are retained, and once per connection and id.
 */
export const useNameStore = defineStore('names', () => {
  const connection = useConnection()
  const capabilities = useHostCapabilities()
  const documents = useDocuments()
  const tree = useTree()
  const kinds = new Map<string, NameableKind>()
  const listReads = new Map<string, Promise<readonly KnownName[] | null>>()
  let failureCount = 0
  /** Responses to requests that were sent before this time (epoch milliseconds) may be outdated. */
  let newestChangeAt = 0

  const batcher = markRaw(
    new RequestBatcher<Name>(
      {
        fetch: readNames,
        readLimit: () =>
          Promise.resolve(
            getLimit(capabilities.limits, 'notes.batchGet', 'noteIds').max ?? documentedLimits.batchNoteIds,
          ),
        schedule: (run) => void setTimeout(run, BATCH_DELAY_MS),
      },
      MAX_KNOWN_NAMES,
      shallowReactive(new Map<string, LoadState<Name>>()),
    ),
  )

  async function readNames(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Name | AppError>> {
    const names = new Map<string, Name | AppError>()
    const ofKind = (kind: NameableKind): string[] => ids.filter((id) => kinds.get(id) === kind)
    const add = (requested: readonly string[], knownNames: readonly { id: string; name: Name }[]): void => {
      const nameById = new Map(knownNames.map(({ id, name }) => [id.toUpperCase(), name]))
      for (const id of requested) names.set(id, nameById.get(id.toUpperCase()) ?? null)
    }
    const cards = ofKind('card')
    add(cards, await findInTree(cards))
    const noteIds = cards.filter((id) => names.get(id) === null)
    const readCards = async (): Promise<readonly KnownName[]> =>
      collectNames('notes.batchGet', (await readEndpoint('notes.batchGet', { body: { noteIds } }, { signal })).value)
    if (noteIds.length > 0) add(noteIds, (await ask('notes.batchGet', readCards)) ?? [])
    const sets = [...ofKind('studySet'), ...ofKind('deck')]
    if (sets.length > 0) add(sets, [...(await readList('studySets.list')), ...(await readList('decks.list'))])
    for (const bookmd5 of ofKind('document')) {
      const isRetained = batcher.retainedIds.includes(bookmd5)
      names.set(bookmd5, isRetained ? await readDocumentName(bookmd5, signal) : createCancelledError())
    }
    return names
  }

  /**
   * Returns null if the host does not have the route or the request failed, because a name is not
   * worth an error.
   * @throws AppError if the request was cancelled or the host cannot be reached
   */
  async function ask<T>(endpoint: EndpointId, read: () => Promise<T>): Promise<T | null> {
    if (failureCount >= MAX_FAILURES || capabilities.isListed(endpoint) === false) return null
    try {
      const result = await read()
      failureCount = 0
      return result
    } catch (thrown) {
      if (isCancellation(thrown) || isHostUnavailableError(toAppError(thrown))) throw thrown
      failureCount += 1
      return null
    }
  }

  /** The whole list is read at most once until it changes, whatever ids it lacks. */
  async function readList(endpoint: 'studySets.list' | 'decks.list'): Promise<readonly KnownName[]> {
    const readNow = (): Promise<readonly KnownName[] | null> =>
      ask(endpoint, async () => collectNames(endpoint, (await readEndpoint(endpoint)).value))
    const read = listReads.get(endpoint) ?? readNow()
    listReads.set(endpoint, read)
    read.catch(() => listReads.delete(endpoint))
    return (await read) ?? []
  }

  async function readDocumentName(bookmd5: string, signal: AbortSignal): Promise<Name> {
    const knownTitle = documents.titleOf(bookmd5)
    return toName(knownTitle ?? (await ask('documents.excerpts', () => readDocumentTitle(bookmd5, signal))))
  }

  /** Finds titles in the open tree, unless it was read before the newest change. */
  async function findInTree(ids: readonly string[]): Promise<{ id: string; name: Name }[]> {
    if (tree.key === null || (tree.pages[0]?.meta.receivedAt ?? 0) < newestChangeAt) return []
    const isTitled = (node: number): boolean => node >= 0 && node < tree.forest.count && tree.forest.hasTitle(node)
    return Promise.all(
      ids.map(async (id) => {
        const node = await tree.indexOf(id)
        return { id, name: isTitled(node) ? toName(tree.forest.getTitle(node)) : null }
      }),
    )
  }

  onHostResponse(({ endpoint, receivedAt, durationMs, epoch }, value) => {
    if (epoch < connection.epoch || receivedAt - durationMs < newestChangeAt) return
    const knownNames = collectNames(endpoint, value)
    for (const { id, kind } of knownNames) kinds.set(id, kind)
    batcher.provide(knownNames.map(({ id, name }) => [id, name]))
  })

  function forgetFailures(): void {
    failureCount = 0
    listReads.clear()
  }
  watch(
    () => connection.online && connection.serviceReachable,
    (isReachable) => batcher.setPaused(!isReachable),
    { immediate: true },
  )
  onHostBack(() => batcher.retryFailed(isHostUnavailableError))
  watch(
    () => connection.epoch,
    () => {
      forgetFailures()
      batcher.startGeneration()
    },
  )
  // A different host has different objects, even under the same ids.
  watch(
    () => connection.state.profile?.id,
    () => {
      forgetFailures()
      batcher.reset()
    },
  )
  onReload(() => {
    forgetFailures()
    batcher.reload([...batcher.loadStates.keys()])
  })

  const isRenamed = (id: string, change: DataChange): boolean => mayRename(change, id, kinds.get(id) ?? 'card')
  /** Visible names are read again only after a known request, not after every difference found. */
  const freshness = useFreshness({
    getShownRead: () => (batcher.retainedIds.length === 0 ? null : { endpoint: 'notes.batchGet' }),
    isAutomatic: () => true,
    judge: (change) =>
      change.cause !== null && batcher.retainedIds.some((id) => isRenamed(id, change)) ? 'yes' : 'no',
    reload(changes) {
      const endRead = freshness.beginRead()
      batcher.reload(batcher.retainedIds.filter((id) => changes.some((change) => isRenamed(id, change))))
      endRead(true)
    },
  })
  useDataChanges().onChange((change) => {
    newestChangeAt = Date.now()
    listReads.clear()
    const retained = new Set(batcher.retainedIds)
    batcher.reload([...batcher.loadStates.keys()].filter((id) => !retained.has(id) && isRenamed(id, change)))
  })

  return {
    /** Null while the name is unknown. Reactive per id. */
    getName: (id: string): string | null => batcher.loadStates.get(id)?.value ?? null,
    retain(id: string, kind: NameableKind): () => void {
      kinds.set(id, kind)
      return batcher.retain(id)
    },
  }
})

export interface IdReference {
  readonly id: string
  readonly kind: IdKind | null
}

/**
 * Asks for the names of these ids while the calling scope lives. The returned function returns the
 * name of an id, or null while it is unknown; pass only ids of the connected host.
 */
export function useNames(references: () => readonly IdReference[]): (id: string) => string | null {
  const store = useNameStore()
  const kindById = (): Map<string, NameableKind> =>
    new Map(
      references().flatMap(({ id, kind }) => {
        const nameable = toNameableKind(kind)
        return nameable === null || id === '' ? [] : [[id, nameable] as const]
      }),
    )
  retainInScope(
    () => [...kindById().keys()],
    (id) => store.retain(id, kindById().get(id) ?? 'card'),
  )
  return store.getName
}
