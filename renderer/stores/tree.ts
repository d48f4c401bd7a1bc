import { defineStore } from './define-store.ts'
import { computed, markRaw, ref, shallowRef, triggerRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import { MAX_JSON_FINDINGS, type JsonFinding } from '../../shared/json/findings.ts'
import { Forest } from '../model/tree/forest.ts'
import {
  createTreeFilter,
  sortMatchesByRow,
  emptyTreeRows,
  computeVisibleRows,
  type TreeFilter,
  type TreeRows,
} from '../model/tree/tree-rows.ts'
import type { TreeFinding, TreePageHeader } from '../workers/tree-protocol.ts'
import { TreeWorker } from '../workers/tree-client.ts'
import { onReload } from './resource.ts'
import { useConnection } from './connection.ts'
import { toAppError, isCancellation } from './errors.ts'
import { useSettings } from './settings.ts'
import { auditPages, ExpandedRowsCache } from './tree-idle.ts'
import { useTreeFreshness } from './tree-freshness.ts'
import { loadTreePages, initialTreeFlags, type PageOrigin, type TreePauseReason } from './tree-load.ts'
import type { TreeFlags, TreeKey } from './tree-load.ts'

/** `paused` means that the budget from the settings is used up and there are more cards. */
export type TreeStatus = 'idle' | 'loading' | 'cancelled' | 'failed' | 'paused' | 'complete'

/** While pages arrive, drawing more often would slow down the reading. */
const REFRESH_MS = 200
/** The open tree. There is only one, which stays in memory while the user views other pages. */
export const useTree = defineStore('tree', () => {
  const connection = useConnection()
  const settings = useSettings()
  const key = shallowRef<TreeKey | null>(null)
  const status = ref<TreeStatus>('idle')
  const error = shallowRef<AppError | null>(null)
  const pauseReason = ref<TreePauseReason | null>(null)
  const forest = shallowRef(markRaw(new Forest()))
  const rows = shallowRef<TreeRows>(emptyTreeRows)
  const filter = shallowRef<TreeFilter | null>(null)
  const loadedCount = ref(0)
  const total = ref<number | null>(null)
  const pages = shallowRef<readonly PageOrigin[]>([])
  const flags = shallowRef<TreeFlags>(initialTreeFlags)
  const findings = shallowRef<readonly TreeFinding[]>([])
  const findingTotal = ref(0)
  let worker: TreeWorker | null = null
  let running: AbortController | null = null
  let resumeCursor: string | null = null
  /** Pages loaded so far. The view gets them with the next update. */
  let loadedPages: PageOrigin[] = []
  /** Number of pages that were checked for errors that parsing hides. */
  let auditedCount = 0
  let openedIdentity = ''
  let lastSearchId = 0
  let refreshTimer: ReturnType<typeof setTimeout> | undefined
  const expandedRows = new ExpandedRowsCache()
  const indexOfIfComplete = (noteid: string) => (status.value === 'complete' ? worker?.indexOf(noteid) : undefined)
  const { newestChange, isStale, forget } = useTreeFreshness({
    key,
    pages,
    indexOf: indexOfIfComplete,
    setTitle: retitle,
  })
  const isPartial = computed(() => ['cancelled', 'failed', 'paused'].includes(status.value))

  function refresh(): void {
    clearTimeout(refreshTimer)
    refreshTimer = undefined
    loadedCount.value = forest.value.count
    pages.value = [...loadedPages]
    const cachedRows = filter.value ? null : expandedRows.get(forest.value)
    rows.value = cachedRows ?? computeVisibleRows(forest.value, filter.value)
  }

  function refreshSoon(): void {
    refreshTimer ??= setTimeout(refresh, REFRESH_MS)
  }

  const getIdentity = (listing: TreeKey | null): string => JSON.stringify([listing, connection.state.profile?.id])

  /** Does nothing if the listing is open already. */
  function open(next: TreeKey): void {
    const identity = getIdentity(next)
    if (identity === openedIdentity && status.value !== 'idle') return
    openedIdentity = identity
    key.value = next
    restart()
  }

  /** Reloads the tree from the first page. */
  function restart(): void {
    stop()
    forget()
    worker?.close()
    if (!key.value) return
    worker = new TreeWorker(key.value.root, key.value.topicid)
    forest.value = markRaw(new Forest())
    rows.value = emptyTreeRows
    filter.value = null
    loadedCount.value = 0
    total.value = null
    loadedPages = []
    auditedCount = 0
    pages.value = []
    flags.value = initialTreeFlags
    findings.value = []
    findingTotal.value = 0
    void loadFrom(null)
  }

  /** Continues after a cancel, a failure or the end of the budget. */
  function resume(): void {
    if (isPartial.value) void loadFrom(resumeCursor)
  }

  function stop(): void {
    running?.abort()
    running = null
  }

  async function loadFrom(from: string | null): Promise<void> {
    if (!worker || !key.value) return
    expandedRows.clear()
    const controller = new AbortController()
    running = controller
    status.value = 'loading'
    error.value = null
    pauseReason.value = null
    try {
      const number = loadedPages.length
      const { treeMaxCards: cards, treeEmptyPages: emptyPages } = settings.values
      const budget = { cards, emptyPages }
      const result = await loadTreePages(
        worker,
        key.value,
        from,
        number,
        budget,
        { onHead, onChunk },
        controller.signal,
      )
      if (running !== controller) return
      if (result.kind === 'failed') {
        resumeCursor = result.cursor
        return fail(result.error)
      }
      if (result.kind === 'looped') flags.value = { ...flags.value, hasCursorLoop: true }
      if (result.kind === 'paused') {
        resumeCursor = result.cursor
        pauseReason.value = result.reason
      }
      finish(result.kind === 'paused' ? 'paused' : 'complete')
      await audit()
    } catch (thrown) {
      if (running === controller) fail(toAppError(thrown))
    }
  }

  function fail(reason: AppError): void {
    error.value = isCancellation(reason) ? null : reason
    finish(isCancellation(reason) ? 'cancelled' : 'failed')
  }

  function onHead(head: TreePageHeader, { masked }: PageOrigin['meta']): void {
    // The host counts the whole tree (spec §2), which says nothing about one sub-map.
    if (head.nodeTotal !== null && key.value?.root === '') {
      total.value = head.nodeTotal
      forest.value.reserve(head.nodeTotal)
    }
    const isTruncated = head.nextCursor === null && (head.isTruncated === true || head.truncation === true)
    const walkLimitReached = flags.value.walkLimitReached || head.walkLimitReached === true
    const isSortConfirmed = flags.value.isSortConfirmed || head.sort === 'document'
    // Only if they differ, because views that depend on them are rendered again.
    const nextFlags: TreeFlags = { ...flags.value, walkLimitReached, isTruncated, isSortConfirmed }
    if (JSON.stringify(nextFlags) !== JSON.stringify(flags.value)) flags.value = nextFlags
    const maskedFindings: JsonFinding[] = masked === undefined ? [] : [{ kind: 'token-masked', count: masked }]
    const page = loadedPages.length
    const items = [...head.findings, ...maskedFindings].map((finding) => ({ page, index: -1, finding }))
    if (items.length > 0) addFindings(items, items.length)
  }

  function onChunk(chunk: Parameters<Forest['appendChunk']>[0], origin: PageOrigin): void {
    const trees = forest.value
    trees.appendChunk(chunk)
    // Top-level nodes start expanded, so that more than a list of chapters is visible at first.
    for (let n = 0; n < chunk.count; n += 1) {
      if (chunk.parents[n] === -1) trees.expanded[chunk.start + n] = 1
    }
    const first = loadedPages[0]
    if (first && first.meta.epoch !== origin.meta.epoch) flags.value = { ...flags.value, hasMixedEpochs: true }
    loadedPages.push(origin)
    if (loadedPages.length === 1) refresh()
    else refreshSoon()
  }

  function finish(next: TreeStatus): void {
    forest.value.finishLoading(next === 'complete')
    running = null
    refresh()
    status.value = next
    void expandedRows.prepare(forest.value)
  }

  async function audit(): Promise<void> {
    const auditedWorker = worker
    const [from, to] = [auditedCount, loadedPages.length]
    auditedCount = to
    if (auditedWorker)
      await auditPages(auditedWorker, { from, to, isOpen: () => auditedWorker === worker, note: addFindings })
  }

  /** Stores a limited number of findings and counts the rest. */
  function addFindings(newFindings: readonly TreeFinding[], count: number): void {
    for (const { index } of newFindings) if (index >= 0) forest.value.markProblem(index)
    findings.value = [...findings.value, ...newFindings].slice(0, MAX_JSON_FINDINGS)
    findingTotal.value += count
    refreshSoon()
  }

  /** Returns null if the worker has failed. */
  const findTitles = (searchWorker: TreeWorker, text: string, limit: number): Promise<Uint32Array | null> =>
    searchWorker.call('search', { text, limit }).catch(() => null)

  /**
   * Shows only cards whose title contains the text, or whose id begins with it. An empty text shows
   * all cards. Returns the matches in tree order.
   * @param refine gets the matches, or null for an empty text, and returns those to show, or null
   *   for all cards
   */
  async function search(
    text: string,
    refine: (matches: Uint32Array | null) => Uint32Array | null = (matches) => matches,
  ): Promise<Uint32Array | null> {
    const searchWorker = worker
    lastSearchId += 1
    const searchId = lastSearchId
    const isTextEmpty = text.trim() === '' || !searchWorker
    const textMatches = isTextEmpty ? null : await findTitles(searchWorker, text, Number.MAX_SAFE_INTEGER)
    // The user changed the text or opened a different tree in the meantime.
    if (searchWorker !== worker || searchId !== lastSearchId || (textMatches === null && !isTextEmpty)) return null
    const matches = refine(textMatches)
    if (matches === null) {
      filter.value = null
      refresh()
      return null
    }
    filter.value = createTreeFilter(forest.value, matches)
    refresh()
    return sortMatchesByRow(rows.value, filter.value)
  }

  /** Like `search`, without changing the rows. Null without a tree of the connected host. */
  async function findCards(text: string, limit: number): Promise<Uint32Array | null> {
    const searchWorker = worker
    if (!searchWorker || getIdentity(key.value) !== openedIdentity) return null
    const matches = await findTitles(searchWorker, text, limit)
    return searchWorker === worker ? matches : null
  }

  /** Called when a read of the host shows a new title for a card of the open listing. */
  async function retitle(noteid: string, title: string): Promise<void> {
    const usedWorker = worker
    const index = (await usedWorker?.call('setTitle', { noteid, title }).catch(() => -1)) ?? -1
    if (index < 0 || usedWorker !== worker) return
    forest.value.setTitle(index, title)
    // Not only the rows show titles.
    triggerRef(forest)
    refresh()
  }

  onReload(() => (status.value === 'idle' ? undefined : restart()))

  return {
    key,
    status,
    error,
    pauseReason,
    forest,
    rows,
    filter,
    loadedCount,
    total,
    pages,
    flags,
    findings,
    findingTotal,
    isStale,
    newestChange,
    isPartial,
    open,
    restart,
    resume,
    refresh,
    search,
    findCards,
    cancel: () => running?.abort(),
    indexOf: (noteid: string) => worker?.indexOf(noteid).catch(() => -1) ?? Promise.resolve(-1),
    indexesOf: (noteids: readonly string[]) => {
      const createNone = (): Int32Array => new Int32Array(noteids.length).fill(-1)
      return worker?.call('findIndexes', noteids).catch(createNone) ?? Promise.resolve(createNone())
    },
    source: (index: number) => worker?.call('getNodeSource', index) ?? Promise.resolve(null),
  }
})
