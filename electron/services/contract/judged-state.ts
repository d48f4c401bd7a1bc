import { z } from 'zod'
import { capabilitiesSchema } from '../../../shared/bridge/resources/state.ts'
import { getContractFingerprint } from '../../../shared/contract/contract-fingerprint.ts'
import {
  judgeExchange,
  toHostFacts,
  UNKNOWN_HOST,
  type ExchangeJudgement,
  type HostFacts,
} from '../../../shared/contract/exchange-judge.ts'
import type { JudgedBody, JudgedExchange } from '../../../shared/contract/judged-exchange.ts'
import { getResponder } from '../../../shared/panel/panel.ts'
import { BoundedMap } from '../../../shared/protocol/rule-state.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { DeviationGroups, type DeviationGroup } from './deviation-groups.ts'
import { parseBody, toJudgedExchange, type KeptBytes } from './exchange-facts.ts'
import { HostVersions, readReportedVersion } from './host-versions.ts'
import type { LearnedRoutes } from './learned-routes.ts'
import type { ExchangeSource, RecordedExchange } from './recorded-exchange.ts'

/** Heartbeats read the same again and again, so judgements of equal exchanges are remembered. */
const MAX_REMEMBERED = 500
const MAX_HOSTS = 50

const progressSchema = z.object({
  fingerprint: z.string(),
  lastSeq: z.number().int().nonnegative(),
  judgedCount: z.number().int().nonnegative(),
  skippedCount: z.number().int().nonnegative(),
  ungroupedCount: z.number().int().nonnegative(),
  versions: z.unknown(),
})

export interface RememberedJudgement extends ExchangeJudgement {
  readonly version: string | null
}

interface JudgedOnce {
  readonly judgement: RememberedJudgement
  /** Null if an equal exchange was judged before. */
  readonly judged: JudgedExchange | null
}

/** The host itself gave the response, and a person at most held it. */
export const isHostResponse = ({ state, status, rule }: ExchangeRow): boolean =>
  state === 'answered' && status !== null && (rule === null || getResponder(rule) === 'held')

/** A longer body that was learned before is not parsed only to count it again. */
const MAX_REPEATED_BYTES = 65_536

const parseRepeatedBody = (body: KeptBytes): JudgedBody =>
  (body.bytes?.byteLength ?? 0) > MAX_REPEATED_BYTES ? { kind: 'unknown' } : parseBody(body)

/** Judges exchanges one after the other, and holds what was found up to `lastSeq`. */
export class JudgedState {
  readonly groups: DeviationGroups
  readonly versions: HostVersions
  readonly learned: LearnedRoutes
  readonly fingerprint: string
  readonly #source: ExchangeSource
  #remembered = new BoundedMap<RememberedJudgement>(MAX_REMEMBERED)
  readonly #factsByHost = new BoundedMap<HostFacts>(MAX_HOSTS)
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

  /** Judges the next exchange. Returns false if there is none. */
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
    const { judgement, judged } = this.#judgeOnce(exchange)
    if (judgement.version !== null) this.versions.observe(host, seq, judgement.version)
    const version = this.versions.find(host, seq)
    this.groups.ungroupedCount += judgement.ungroupedCount
    this.groups.add(judgement.deviations, { seq, id, startedAt, version })
    const body = judged?.body ?? parseRepeatedBody(exchange.readResponse())
    if (body.kind === 'json') this.learned.observe(exchange.row, body.value, version)
    return judgement.isBodyJudged || judgement.deviations.length > 0
  }

  /** Judges an exchange without adding it to the result. */
  judge(exchange: RecordedExchange): RememberedJudgement {
    return this.#judgeOnce(exchange).judgement
  }

  #judgeOnce(exchange: RecordedExchange): JudgedOnce {
    const { row, requestHash, responseHash } = exchange
    const { method, path, status, host, mediaType, endpoint } = row
    const key = `${host} ${method} ${path} ${status} ${mediaType} ${requestHash ?? row.requestBytes} ${responseHash}`
    const remembered = responseHash === null ? undefined : this.#remembered.get(key)
    if (remembered) return { judgement: remembered, judged: null }
    const judged = toJudgedExchange({ ...row, status: status ?? 0 }, exchange.readRequest(), exchange.readResponse())
    if (endpoint === 'capabilities.get') this.#learnFacts(host, judged)
    const value = judged.body.kind === 'json' ? judged.body.value : null
    const judgement = { ...judgeExchange(judged, this.#findFacts(row)), version: readReportedVersion(value) }
    if (responseHash !== null) this.#remembered.set(key, judgement)
    return { judgement, judged }
  }

  #learnFacts(host: string, { status, body }: JudgedExchange): HostFacts | null {
    const capabilities =
      status === 200 && body.kind === 'json' ? capabilitiesSchema.safeParse(body.value).data : undefined
    if (!capabilities) return null
    const facts = toHostFacts(capabilities)
    this.#factsByHost.set(host, facts)
    // The same response may deviate from other limits, or from another list of routes.
    this.#remembered = new BoundedMap(MAX_REMEMBERED)
    return facts
  }

  /**
   * Capabilities may have been read before this run of the program; later ones are better than
   * none.
   */
  #findFacts({ host, seq }: ExchangeRow): HostFacts {
    const knownFacts = this.#factsByHost.get(host)
    if (knownFacts) return knownFacts
    const exchange = this.#source.findCapabilities(host, seq) ?? this.#source.findCapabilities(host, Infinity)
    const facts =
      exchange &&
      this.#learnFacts(
        host,
        toJudgedExchange({ ...exchange.row, status: 200 }, exchange.readRequest(), exchange.readResponse()),
      )
    if (!facts) this.#factsByHost.set(host, UNKNOWN_HOST)
    return facts ?? UNKNOWN_HOST
  }
}
