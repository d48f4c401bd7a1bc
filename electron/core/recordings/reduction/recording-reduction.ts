/**
 * Finds the smallest part of a recording that still shows what is wrong: the fewest exchanges, then
 * the smallest tree. What a candidate shows is decided by a test that serves it. Read
 * `reduceRecording` first, then `delta-debugging.ts`.
 */
import { assertNotCancelled } from '../../../../shared/errors.ts'
import type { SmallestCase } from '../../../../shared/ipc/recordings.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { contextEndpoints, type RecordedExchange } from '../../../../shared/recordings/recording.ts'
import { createCandidateBuilder, type Candidate, type ReducibleRecording } from './candidate.ts'
import { reduceItems, type ReductionOptions } from './delta-debugging.ts'
import { addDescendants, groupByDepth } from './listed-cards.ts'

/** A recorded request that was sent again, with the response that it got now. */
export interface RepeatedExchange {
  readonly row: ExchangeRow
  readonly request: Uint8Array | null
  readonly response: Uint8Array | null
}

export interface ReductionProgress {
  readonly tries: number
  /** Number of exchanges in the smallest candidate so far. */
  readonly exchanges: number
}

interface RecordingReductionOptions extends Pick<ReductionOptions, 'signal' | 'isOver'> {
  /** Names a body that is written anew. */
  readonly nameBody: (bytes: Uint8Array) => string
  readonly onProgress?: ((progress: ReductionProgress) => void) | undefined
}

export interface Reduction extends Omit<SmallestCase, 'entry'> {
  readonly candidate: Candidate
}

/** Reduces to what `isShown` still accepts; null if it refuses the whole recording. */
export async function reduceRecording(
  recording: ReducibleRecording,
  isShown: (candidate: Candidate) => Promise<boolean>,
  { signal, isOver, nameBody, onProgress }: RecordingReductionOptions,
): Promise<Reduction | null> {
  const builder = await createCandidateBuilder(recording, nameBody)
  let candidate = builder.build(recording.exchanges)
  let tries = 0
  let isMinimal = true

  async function passes(tried: Candidate): Promise<boolean> {
    assertNotCancelled(signal)
    const hasPassed = await isShown(tried)
    assertNotCancelled(signal)
    tries += 1
    if (hasPassed) candidate = tried
    onProgress?.({ tries, exchanges: candidate.exchanges.length })
    return hasPassed
  }

  async function reduce<Item>(
    items: readonly Item[],
    build: (selection: readonly Item[]) => Candidate,
  ): Promise<readonly Item[]> {
    const options = { signal, isOver: () => isOver?.(tries) === true }
    const reduced = await reduceItems(items, (selection) => passes(build(selection)), options)
    isMinimal &&= reduced.isMinimal
    return reduced.items
  }

  if (!(await passes(candidate))) return null
  const connectionReads = findConnectionReads(recording.exchanges)
  const listExchanges = (selection: readonly RecordedExchange[]): RecordedExchange[] => {
    const chosen = new Set([...connectionReads, ...selection])
    return recording.exchanges.filter((exchange) => chosen.has(exchange))
  }
  const removable = recording.exchanges.filter((exchange) => !connectionReads.has(exchange))
  const exchanges = listExchanges(await reduce(removable, (selection) => builder.build(listExchanges(selection))))

  const cards = builder.collectCards(exchanges)
  let removedCards: ReadonlySet<string> = new Set()
  for (const level of groupByDepth(cards)) {
    const branches = level.filter((noteid) => !removedCards.has(noteid))
    const removeOthers = (selection: readonly string[]): ReadonlySet<string> => {
      const chosen = new Set(selection)
      return addDescendants([...removedCards, ...branches.filter((noteid) => !chosen.has(noteid))], cards)
    }
    const rest = await reduce(branches, (selection) => builder.build(exchanges, removeOthers(selection)))
    removedCards = removeOthers(rest)
  }
  const isSteady = (await passes(candidate)) && (await passes(candidate))
  return {
    before: { exchanges: recording.exchanges.length, cards: builder.collectCards(recording.exchanges).size },
    after: { exchanges: exchanges.length, cards: cards.size - removedCards.size },
    candidate,
    tries,
    isMinimal,
    isSteady,
  }
}

/** Without the reads of a connection nobody could connect to the candidate. */
function findConnectionReads(exchanges: readonly RecordedExchange[]): ReadonlySet<RecordedExchange> {
  const context = exchanges.filter((exchange) => exchange.context === true)
  const readsByName = new Map<string, RecordedExchange>()
  for (const exchange of [...context, ...exchanges]) {
    const { endpoint, status, host, rule } = exchange.row
    const name = `${endpoint} ${host}`
    const isRead = contextEndpoints.some((id) => id === endpoint) && status === 200 && rule === null
    if (isRead && !readsByName.has(name)) readsByName.set(name, exchange)
  }
  return new Set([...context, ...readsByName.values()])
}
