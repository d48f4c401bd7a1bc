import { until } from '@vueuse/core'
import { defineStore } from './define-store.ts'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { judgeChangeImpact, type DataChange } from '../../shared/bridge/data-change.ts'
import type { NoteItem } from '../../shared/bridge/resources/notes.ts'
import type { AppError } from '../../shared/errors.ts'
import {
  computeMarkBits,
  parseCardMarks,
  toMarkBits,
  type CardMarks,
  type MarkFilter,
} from '../model/cards/card-marks.ts'
import { growArray } from '../model/tree/array-growth.ts'
import { useCards, useCardStore } from './cards.ts'
import { useConnection } from './connection.ts'
import { useDataChanges } from './data-changes.ts'
import { useHostCapabilities } from './host-capabilities.ts'
import { isHostUnavailableError } from './resource.ts'
import { useTree } from './tree.ts'

/** The marks of the cards that were read last stay in memory; of the others, only the bits do. */
const MAX_CARDS_WITH_MARKS = 10_000
/** Bit of a card that was read, between those of `toMarkBits` and its color level plus 1. */
const READ_BIT = 1 << 7
const LEVEL_SHIFT = 8
/** The contract has levels up to 15. Cards of higher levels count as cards without a color here. */
const MAX_LEVEL = 62
/** Rows that stay in sight for this long are read. While the tree loads, its pages go first. */
const REST_MS = 150
const REST_WHILE_LOADING_MS = 1_000
/** No card has this id, so a change that may affect it may affect any card. */
const UNNAMED_ID = '-'
/** One chunk of cards per request that may be pending at the same time. */
const READ_ALL_LANES = 2

/**
 * Details of the cards of the open tree beyond their listing. Rows in sight are read, and all
 * others only on command. A reload of the tree, another connection and writes make it forget.
 */
export const useTreeDetails = defineStore('tree-details', () => {
  const tree = useTree()
  const cards = useCardStore()
  const connection = useConnection()
  const capabilities = useHostCapabilities()
  /** Keyed by node; the card that was read longest ago is the first. */
  const marks = shallowReactive(new Map<number, CardMarks>())
  let bits = new Uint16Array(0)
  const readCount = ref(0)
  /** Changes whenever a card was read or is forgotten. */
  const readRevision = ref(0)
  const nodesInSight = shallowRef<ReadonlySet<number>>(new Set())
  /** Why the host gives no details at all; null while it does. */
  const refusal = shallowRef<AppError | null>(null)
  const isAvailable = computed(() => capabilities.isListed('notes.batchGet') !== false && refusal.value === null)

  /** An `item` of null means that the host does not have the card. */
  function put(node: number, item: NoteItem | null): void {
    if (node >= bits.length) bits = growArray(bits, tree.forest.count)
    if (((bits[node] ?? 0) & READ_BIT) === 0) readCount.value += 1
    marks.delete(node)
    const cardMarks = item && parseCardMarks(item)
    bits[node] = READ_BIT | (cardMarks ? computeMarkBits(cardMarks) | toLevelBits(cardMarks) : 0)
    readRevision.value += 1
    if (cardMarks) marks.set(node, cardMarks)
    for (const oldest of marks.keys()) {
      if (marks.size <= MAX_CARDS_WITH_MARKS) break
      if (!nodesInSight.value.has(oldest)) marks.delete(oldest)
    }
  }

  function forgetNode(node: number): void {
    if (((bits[node] ?? 0) & READ_BIT) === 0) return
    bits[node] = 0
    marks.delete(node)
    readCount.value -= 1
    readRevision.value += 1
  }

  /** Rows in sight are read again anyway, and show what they have until then. */
  function forgetCardsOutOfSight(): void {
    const retained = [...nodesInSight.value]
      .filter((node) => isRead(node))
      .map((node) => [node, bits[node] ?? 0] as const)
    bits.fill(0)
    for (const [node, nodeBits] of retained) bits[node] = nodeBits
    for (const node of [...marks.keys()]) if (!nodesInSight.value.has(node)) marks.delete(node)
    readCount.value = retained.length
    readRevision.value += 1
  }

  function forgetAll(): void {
    readAll.cancel()
    marks.clear()
    bits = new Uint16Array(0)
    readCount.value = 0
    readRevision.value += 1
    refusal.value = null
  }

  async function onChange(change: DataChange): Promise<void> {
    const judge = (body: unknown) => judgeChangeImpact(change, { endpoint: 'notes.batchGet', body })
    if (readCount.value === 0 || judge({}) === 'no') return
    const isLimitedToNamedCards = judge({ noteIds: [UNNAMED_ID] }) === 'no'
    if (!isLimitedToNamedCards) return forgetCardsOutOfSight()
    const { forest } = tree
    for (const id of change.ids.cards) {
      const node = await tree.indexOf(id)
      if (tree.forest === forest && node >= 0 && !nodesInSight.value.has(node)) forgetNode(node)
    }
  }

  useDataChanges().onChange((change) => void onChange(change))
  watch(() => tree.forest, forgetAll, { flush: 'sync' })
  watch(() => connection.state.profile?.id, forgetAll, { flush: 'sync' })
  watch(
    () => connection.epoch,
    () => {
      refusal.value = null
      forgetCardsOutOfSight()
    },
  )

  const isRead = (node: number): boolean => ((bits[node] ?? 0) & READ_BIT) !== 0

  /**
   * Narrows the matches of a text to the cards that were read and pass all filters. Cards whose
   * hashtags or text contain the text are added.
   * @param titleMatches null if there is no text
   * @param foldedText the folded text of the filter
   * @returns null if neither text nor filters are given
   */
  function refineMatches(
    titleMatches: Uint32Array | null,
    foldedText: string,
    filters: ReadonlySet<MarkFilter>,
  ): Uint32Array | null {
    if (titleMatches === null && filters.size === 0) return null
    const requiredBits = filters.size === 0 ? 0 : READ_BIT | toMarkBits(filters)
    const isPassing = (node: number): boolean => ((bits[node] ?? 0) & requiredBits) === requiredBits
    if (titleMatches === null) {
      const matches: number[] = []
      for (let node = 0; node < bits.length; node += 1) if (isPassing(node)) matches.push(node)
      return Uint32Array.from(matches)
    }
    const matches = new Set(titleMatches)
    for (const [node, { foldedText: searched }] of marks) if (searched.includes(foldedText)) matches.add(node)
    return Uint32Array.from(matches).filter(isPassing)
  }

  /** The color level plus 1 of each card; 0 if it has none or was not read. */
  function copyLevels(): Uint8Array<ArrayBuffer> {
    const levels = new Uint8Array(bits.length)
    for (let node = 0; node < bits.length; node += 1) levels[node] = (bits[node] ?? 0) >> LEVEL_SHIFT
    return levels
  }

  const readAll = createReadAll()

  /** Reads the cards that were not read yet, until `cancel`. */
  function createReadAll() {
    const isRunning = ref(false)
    const error = shallowRef<AppError | null>(null)

    async function readNodes(nodes: readonly number[]): Promise<void> {
      const ids = nodes.map((node) => tree.forest.getNoteid(node))
      const releases = ids.map((id) => cards.retain(id))
      try {
        const isDone = (): boolean => !isRunning.value || ids.every((id) => isSettled(cards.getLoadState(id).status))
        await until(isDone).toBe(true, { flush: 'pre' })
        if (!isRunning.value) return
        const loadStates = ids.map((id) => cards.getLoadState(id))
        nodes.forEach((node, index) => {
          const loadState = loadStates[index]
          if (loadState?.status === 'ready') put(node, loadState.value?.item ?? null)
        })
        // A single card may be unreadable, but a whole chunk means that the next ones are as well.
        if (!loadStates.some(({ status }) => status === 'ready')) error.value = loadStates[0]?.error ?? null
      } finally {
        for (const release of releases) release()
      }
    }

    async function run(): Promise<void> {
      if (isRunning.value) return
      isRunning.value = true
      error.value = null
      const { forest } = tree
      const chunkSize = await cards.readBatchLimit()
      let nextNode = 0
      const takeChunk = (): readonly number[] => {
        const chunk: number[] = []
        for (; nextNode < forest.count && chunk.length < chunkSize; nextNode += 1)
          if (!isRead(nextNode) && forest.getNoteid(nextNode) !== '') chunk.push(nextNode)
        return chunk
      }
      const runLane = async (): Promise<void> => {
        while (isRunning.value && error.value === null && tree.forest === forest) {
          const chunk = takeChunk()
          if (chunk.length === 0) return
          await readNodes(chunk)
        }
      }
      await Promise.all(Array.from({ length: READ_ALL_LANES }, runLane))
      isRunning.value = false
    }

    return { isRunning, error, run, cancel: () => void (isRunning.value = false) }
  }

  /** Reads the rows in sight again, and drops all other cards. */
  function reload(): void {
    refusal.value = null
    const nodes = new Set([...marks.keys(), ...nodesInSight.value])
    cards.invalidate([...nodes].filter((node) => node < tree.forest.count).map((node) => tree.forest.getNoteid(node)))
  }

  return {
    /** Read only: `put` adds to them. */
    marks: marks as ReadonlyMap<number, CardMarks>,
    readCount,
    readRevision,
    copyLevels,
    reload,
    refusal,
    isAvailable,
    nodesInSight,
    isReadingAll: readAll.isRunning,
    readAllError: readAll.error,
    put,
    refineMatches,
    readAll: readAll.run,
    cancelReadAll: readAll.cancel,
  }
})

function toLevelBits({ colorIndex }: CardMarks): number {
  const isKnown = Number.isInteger(colorIndex) && colorIndex !== null && colorIndex >= 0 && colorIndex <= MAX_LEVEL
  return isKnown ? (colorIndex + 1) << LEVEL_SHIFT : 0
}

const isSettled = (status: string): boolean => status === 'ready' || status === 'failed'

/** Rows in sight are read once they rest; passed rows are released, their request aborted. */
export function useRowDetails(getNodes: () => readonly number[]): void {
  const tree = useTree()
  const details = useTreeDetails()
  const restingNodes = shallowRef<ReadonlySet<number>>(new Set())
  watch(
    [getNodes, () => tree.status === 'loading', () => tree.forest] as const,
    ([inSight, isLoading], _before, onCleanup) => {
      details.nodesInSight = new Set(inSight)
      const timer = setTimeout(
        () => (restingNodes.value = new Set(inSight)),
        isLoading ? REST_WHILE_LOADING_MS : REST_MS,
      )
      onCleanup(() => clearTimeout(timer))
    },
    { immediate: true },
  )
  const readNodes = computed(() =>
    details.isAvailable ? getNodes().filter((node) => restingNodes.value.has(node) && node < tree.forest.count) : [],
  )
  const cards = useCards(() => readNodes.value.map((node) => tree.forest.getNoteid(node)))
  const seenItems = new Map<number, NoteItem | null>()

  watch(
    () => readNodes.value.map((node) => ({ node, card: cards.get(tree.forest.getNoteid(node)) })),
    (rows) => {
      for (const node of seenItems.keys()) if (!details.nodesInSight.has(node)) seenItems.delete(node)
      for (const { node, card } of rows) {
        if (card.status !== 'ready' && card.status !== 'missing') continue
        if (seenItems.get(node) === card.item && details.marks.has(node)) continue
        seenItems.set(node, card.item)
        details.put(node, card.item)
      }
      const [first] = rows
      if (first?.card.error && rows.every(({ card }) => card.status === 'failed') && isRefusal(first.card.error))
        details.refusal = first.card.error
    },
  )
}

/** The host will respond to the next read in the same way. */
const isRefusal = (error: AppError): boolean => !error.wire.retryable && !isHostUnavailableError(error)
