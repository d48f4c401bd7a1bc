import { z } from 'zod'
import { getContractFingerprint } from '../../core/contract/contract-fingerprint.ts'
import type { JudgedBody } from '../../core/contract/judged-exchange.ts'
import { getResponder } from '../../../shared/panel/panel.ts'
import { BoundedMap } from '../../core/protocol/rule-state.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { DeviationGroups, type DeviationGroup } from './deviation-groups.ts'
import { parseBody } from './exchange-facts.ts'
import { ExchangeJudgements } from './exchange-judgements.ts'
import { HostVersions } from './host-versions.ts'
import type { LearnedRoutes } from './learned-routes.ts'
import type { ExchangeSource, RecordedExchange } from './recorded-exchange.ts'

const progressSchema = z.object({
  fingerprint: z.string(),
  lastSeq: z.number().int().nonnegative(),
  judgedCount: z.number().int().nonnegative(),
  skippedCount: z.number().int().nonnegative(),
  ungroupedCount: z.number().int().nonnegative(),
  versions: z.unknown(),
})

/** The host itself gave the response, and a person at most held it. */
export function isHostResponse({ state, status, rule }: ExchangeRow): boolean {
  return state === 'answered' && status !== null && (rule === null || getResponder(rule) === 'held')
}

/** A longer body that was learned before is not parsed only to count it again. */
const MAX_REPEATED_BYTES = 65_536
/** Clients that poll get the same few bodies again and again. */
const MAX_REPEATED_BODIES = 8

/** Judges exchanges one after the other, and holds what was found up to `lastSeq`. */
export class JudgedState {
  readonly groups: DeviationGroups
  readonly versions: HostVersions
  readonly learned: LearnedRoutes
  readonly fingerprint: string
  readonly #source: ExchangeSource
  readonly #judgements: ExchangeJudgements
  /** Keyed by the hash of the body. */
  readonly #repeatedBodies = new BoundedMap<JudgedBody>(MAX_REPEATED_BODIES)
  lastSeq = 0
  judgedCount = 0
  skippedCount = 0

  /** @param progress as `toProgress` returned it; anything else begins with the first exchange */
  constructor(
    source: ExchangeSource,
    learned: LearnedRoutes,
    groups: readonly DeviationGroup[] = [],
    progress: unknown = null,
  ) {
    this.#source = source
    this.#judgements = new ExchangeJudgements(source)
    this.learned = learned
    const stored = progressSchema.safeParse(progress).data
    this.groups = new DeviationGroups(stored ? groups : [])
    this.versions = new HostVersions(stored?.versions)
    this.fingerprint = stored?.fingerprint ?? getContractFingerprint()
    if (!stored) return
    this.lastSeq = stored.lastSeq
    this.judgedCount = stored.judgedCount
    this.skippedCount = stored.skippedCount
    this.groups.ungroupedCount = stored.ungroupedCount
  }

  toProgress(): z.infer<typeof progressSchema> {
    const { fingerprint, lastSeq, judgedCount, skippedCount } = this
    const { ungroupedCount } = this.groups
    return { fingerprint, lastSeq, judgedCount, skippedCount, ungroupedCount, versions: this.versions.toStored() }
  }

  judgeNext(): boolean {
    const exchange = this.#source.readNext(this.lastSeq)
    if (exchange === null) return false
    this.lastSeq = exchange.row.seq
    const isJudged = isHostResponse(exchange.row) && this.#tryJudge(exchange)
    if (isJudged) this.judgedCount += 1
    else this.skippedCount += 1
    return true
  }

  /** If the judge fails on unexpected data, only this exchange is left out. */
  #tryJudge(exchange: RecordedExchange): boolean {
    try {
      return this.#judgeAndLearn(exchange)
    } catch {
      return false
    }
  }

  /** Returns false if the exchange tells nothing. */
  #judgeAndLearn(exchange: RecordedExchange): boolean {
    const { seq, id, host, startedAt } = exchange.row
    const { judgement, body } = this.#judgements.judge(exchange)
    if (judgement.version !== null) this.versions.observe(host, seq, judgement.version)
    const version = this.versions.find(host, seq)
    this.groups.ungroupedCount += judgement.ungroupedCount
    this.groups.add(judgement.deviations, { seq, id, startedAt, version })
    const learnedBody = body ?? this.#readRepeatedBody(exchange, judgement.isJson)
    if (learnedBody.kind === 'json') this.learned.observe(exchange.row, learnedBody.value, version)
    return judgement.isBodyJudged || judgement.deviations.length > 0
  }

  #readRepeatedBody({ responseHash, responseSize, readResponse }: RecordedExchange, isJson: boolean): JudgedBody {
    if (!isJson || responseSize > MAX_REPEATED_BYTES) return { kind: 'unknown' }
    const body = this.#repeatedBodies.get(responseHash ?? '') ?? parseBody(readResponse())
    if (responseHash !== null) this.#repeatedBodies.set(responseHash, body)
    return body
  }
}
