// Holds recorded exchanges against the contract, in the thread that stores them, and groups what
// deviates. What a single exchange is held against is in electron/core/contract; where exchanges
// and results are stored is in services/traffic. Read this file first, then judged-state.ts.
import { getContractFingerprint } from '../../core/contract/contract-fingerprint.ts'
import { isBindingDeviation } from '../../../shared/contract/deviation.ts'
import type { RouteSchema } from '../../../shared/contract/route-schema.ts'
import type { LearnedFilter } from '../../../shared/ipc/contract-schemas.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { toDeviation } from './deviation-groups.ts'
import { JudgedState } from './judged-state.ts'
import { listLearnedRoutes, readLearnedRoutes } from './learned-query.ts'
import { LearnedRoutes, type LearnedArchive, type LearnedRouteKey } from './learned-routes.ts'
import { askExchanges } from './past-question.ts'
import type { ContractArchive, ContractMark, ExchangeSource, DeviationMute } from './recorded-exchange.ts'

/** A query waits at most this long for exchanges that were not judged yet. */
const CATCH_UP_MS = 250
/** Longest time of one part of a long question, and of judging newState. */
const PART_MS = 100
/** Shortest interval between two searches for examples of removed exchanges. */
const CHECK_EXAMPLES_MS = 60_000
/** Progress without a deviation is saved after this number of exchanges, or when idle. */
const SAVE_AFTER_EXCHANGES = 500
/** While exchanges are judged, what is stored is updated no more often than this. */
const SAVE_INTERVAL_MS = 5_000

export type ContractSummary = { readonly total: number; readonly newCount: number }

interface Options {
  readonly source: ExchangeSource
  readonly archive: ContractArchive
  readonly learned: LearnedArchive
  readonly onChange?: ((summary: ContractSummary) => void) | undefined
}

/** Judges each exchange once, the oldest first, or all on request; never throws for a host. */
export class ContractJudge {
  readonly #options: Options
  readonly #mutes: Map<string, DeviationMute>
  #mark: ContractMark | null
  #state: JudgedState
  /** The run of `judgeAgain` that is under way; once it is whole, it replaces `#state`. */
  #newState: JudgedState | null = null
  #savedSeq: number
  #savedAt = -Infinity
  /** The stored groups are of another run of the judge. */
  #mustReplace = false
  #publishedChanges = 0
  #examplesCheckedAt = -Infinity

  constructor(options: Options) {
    this.#options = options
    const { groups, mutes, progress, mark } = options.archive.load()
    this.#mutes = new Map(mutes)
    this.#mark = mark
    this.#state = new JudgedState(options.source, new LearnedRoutes(options.learned), groups, progress)
    this.#savedSeq = this.#state.lastSeq
    if (this.#state.groups.size > 0) this.#publish()
  }

  /** Judges for some milliseconds. Returns false if nothing is left to judge. */
  judgeNew(budgetMs: number): boolean {
    const hasMore = judgeFor(this.#state, budgetMs)
    const { groups, lastSeq } = this.#state
    const isLong = performance.now() - this.#savedAt >= SAVE_INTERVAL_MS
    const isMuch = groups.hasChanged || lastSeq - this.#savedSeq >= SAVE_AFTER_EXCHANGES
    if (isLong && isMuch) this.save()
    if (groups.changeCount !== this.#publishedChanges) this.#publish()
    return hasMore
  }

  list(): IpcOutput<'contract.deviations'> {
    this.judgeNew(CATCH_UP_MS)
    const { groups, judgedCount, skippedCount, lastSeq, fingerprint } = this.#state
    const { source } = this.#options
    const deviations = groups
      .list()
      .map((group) => {
        const muted = this.#mutes.get(group.id) ?? null
        return toDeviation(group, muted, this.#mark?.seq ?? null, (seq) => source.isStored(seq))
      })
      .sort((first, second) => second.firstSeq - first.firstSeq || (first.id < second.id ? -1 : 1))
    return {
      deviations,
      ungroupedCount: groups.ungroupedCount,
      markedAt: this.#mark?.at ?? null,
      judgedExchanges: judgedCount,
      unjudgedExchanges: source.countAfter(lastSeq),
      skippedExchanges: skippedCount,
      isCurrent: fingerprint === getContractFingerprint(),
    }
  }

  /** Judges the next part of everything recorded; 0 begins anew. */
  judgeAgain(after: number): IpcOutput<'contract.judgeAgain'> {
    const { source } = this.#options
    if (after === 0) this.#newState = this.#createState()
    const newState = this.#newState
    // Another page has finished the run that this page continues.
    if (newState === null) return { judged: 0, lastSeq: this.#state.lastSeq, left: 0, isWhole: true }
    const previousCount = newState.judgedCount + newState.skippedCount
    const hasMore = judgeFor(newState, PART_MS)
    const judged = newState.judgedCount + newState.skippedCount - previousCount
    if (!hasMore) {
      this.#state.learned.save()
      newState.groups.inheritHistory(this.#state.groups.list(), (seq) => source.isStored(seq))
      this.#newState = null
      this.#replaceState(newState)
    }
    return {
      judged,
      lastSeq: newState.lastSeq,
      left: hasMore ? source.countAfter(newState.lastSeq) : 0,
      isWhole: !hasMore,
    }
  }

  mute(id: string, mute: DeviationMute | null): void {
    if (mute) this.#mutes.set(id, mute)
    else this.#mutes.delete(id)
    this.#options.archive.saveMute(id, mute)
    this.#publish()
  }

  mark(timestamp: number): ContractMark {
    this.#mark = { seq: this.#options.source.newest(), at: timestamp }
    this.#options.archive.saveMark(this.#mark)
    this.#publish()
    return this.#mark
  }

  ask(input: IpcInput<'contract.ask'>): IpcOutput<'contract.ask'> {
    this.judgeNew(CATCH_UP_MS)
    return askExchanges(input, this.#options.source, this.#state.versions, PART_MS)
  }

  /** The methods of a traffic store that are answered here. */
  toStoreMethods() {
    return {
      listDeviations: () => this.list(),
      judgeContract: (after: number) => this.judgeAgain(after),
      muteDeviation: (id: string, reason: string | null, mutedAt: number) =>
        this.mute(id, reason === null ? null : { reason, at: mutedAt }),
      markDeviations: (markedAt: number) => void this.mark(markedAt),
      askExchanges: (question: IpcInput<'contract.ask'>) => this.ask(question),
      listLearned: (filter: LearnedFilter) => this.listLearned(filter),
      readLearned: (filter: LearnedFilter, route: LearnedRouteKey | null) => this.readLearned(filter, route),
    }
  }

  /** Must be called after exchanges were removed, because no example outlives its exchange. */
  onExchangesRemoved(): void {
    const now = performance.now()
    if (now - this.#examplesCheckedAt < CHECK_EXAMPLES_MS) return
    this.#examplesCheckedAt = now
    this.#state.groups.dropExamples((seq) => this.#options.source.isStored(seq))
    this.save()
  }

  /** Judges what is left from the beginning, because everything recorded was removed. */
  forget(): void {
    this.#newState = null
    this.#options.learned.clear()
    this.#replaceState(this.#createState())
  }

  listLearned(filter: LearnedFilter): IpcOutput<'contract.learned'> {
    this.#saveLearned()
    return listLearnedRoutes(this.#options.learned, filter)
  }

  /** @param route only this route; null for all */
  readLearned(filter: LearnedFilter, route: LearnedRouteKey | null): RouteSchema[] {
    this.#saveLearned()
    return readLearnedRoutes(this.#options.learned, filter, route)
  }

  /** Includes what was recorded last. */
  #saveLearned(): void {
    this.judgeNew(CATCH_UP_MS)
    this.#state.learned.save()
  }

  #createState(): JudgedState {
    return new JudgedState(this.#options.source, new LearnedRoutes(this.#options.learned))
  }

  #replaceState(state: JudgedState): void {
    this.#state = state
    this.#mustReplace = true
    this.save()
    this.#publish()
  }

  /**
   * Saves what was judged and learned since the last time; must be called when idle, and at the
   * end. The stored progress never passes what is stored, so that nothing is lost if the disk
   * rejects it.
   */
  save(): void {
    const { groups, learned, lastSeq } = this.#state
    if (!this.#mustReplace && !groups.hasChanged && lastSeq === this.#savedSeq) return
    this.#savedAt = performance.now()
    if (!learned.save()) return
    const { archive } = this.#options
    const progress = this.#state.toProgress()
    const isSaved = this.#mustReplace
      ? archive.replace(groups.list(), progress)
      : archive.save(groups.listChanged(), progress)
    if (!isSaved) return
    groups.markSaved()
    this.#mustReplace = false
    this.#savedSeq = lastSeq
  }

  #publish(): void {
    this.#publishedChanges = this.#state.groups.changeCount
    const groups = this.#state.groups.list().filter((group) => isBindingDeviation(group) && !this.#mutes.has(group.id))
    const markedSeq = this.#mark?.seq ?? Infinity
    const newCount = groups.filter(({ firstSeq }) => firstSeq > markedSeq).length
    this.#options.onChange?.({ total: groups.length, newCount })
  }
}

/** Judges at least one exchange. Returns false if none is left. */
function judgeFor(state: JudgedState, budgetMs: number): boolean {
  const endsAt = performance.now() + budgetMs
  do {
    if (!state.judgeNext()) return false
  } while (performance.now() < endsAt)
  return true
}
