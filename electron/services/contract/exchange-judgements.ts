import { readResponse } from '../../../shared/bridge/response-reading.ts'
import {
  judgeExchange,
  toHostFacts,
  UNKNOWN_HOST,
  type ExchangeJudgement,
  type HostFacts,
} from '../../core/contract/exchange-judge.ts'
import type { JudgedBody } from '../../core/contract/judged-exchange.ts'
import { BoundedMap } from '../../core/protocol/rule-state.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { isErrorResponse, readJudgedExchange } from './exchange-facts.ts'
import { readReportedVersion } from './host-versions.ts'
import type { ExchangeSource, RecordedExchange } from './recorded-exchange.ts'

/** Heartbeats read the same again and again, so judgements of equal exchanges are remembered. */
const MAX_REMEMBERED = 500
const MAX_HOSTS = 50

export interface RememberedJudgement extends ExchangeJudgement {
  readonly version: string | null
  readonly isJson: boolean
  readonly isError: boolean
}

export interface JudgedOnce {
  readonly judgement: RememberedJudgement
  /** Null if an equal exchange was judged before. */
  readonly body: JudgedBody | null
}

interface KnownHost {
  readonly facts: HostFacts
  /** Hash of the capabilities that told the facts; null if it is unknown, or none told them. */
  readonly hash: string | null
  /** Capabilities up to here were looked for. */
  readonly seq: number
}

/** Judges exchanges in the order of `seq`, each by what its host had said until then. */
export class ExchangeJudgements {
  readonly #source: ExchangeSource
  #remembered = new BoundedMap<RememberedJudgement>(MAX_REMEMBERED)
  readonly #knownHosts = new BoundedMap<KnownHost>(MAX_HOSTS)

  constructor(source: ExchangeSource) {
    this.#source = source
  }

  judge(exchange: RecordedExchange): JudgedOnce {
    const { row, requestHash, responseHash } = exchange
    const { method, path, status, host, mediaType } = row
    const facts = this.#findFacts(row)
    const key = `${host} ${method} ${path} ${status} ${mediaType} ${requestHash ?? row.requestBytes} ${responseHash}`
    const remembered = responseHash === null ? undefined : this.#remembered.get(key)
    if (remembered) return { judgement: remembered, body: null }
    const judged = readJudgedExchange(exchange)
    const value = judged.body.kind === 'json' ? judged.body.value : null
    const judgement = {
      ...judgeExchange(judged, facts),
      version: readReportedVersion(value),
      isJson: judged.body.kind === 'json',
      isError: isErrorResponse(judged.status, value),
    }
    if (responseHash !== null) this.#remembered.set(key, judgement)
    return { judgement, body: judged.body }
  }

  /** If a host had not sent its capabilities by then, the next ones are better than none. */
  #findFacts({ host, seq }: ExchangeRow): HostFacts {
    const knownHost = this.#knownHosts.get(host)
    const latest = this.#source.findCapabilities(host, knownHost?.seq ?? 0, seq)
    const isUnchanged = latest === null || (latest.responseHash !== null && latest.responseHash === knownHost?.hash)
    if (knownHost && isUnchanged) return this.#remember(host, { ...knownHost, seq })
    const exchange = latest ?? this.#source.findNextCapabilities(host, seq)
    const facts = exchange && readFacts(exchange)
    if (!facts) return this.#remember(host, { facts: UNKNOWN_HOST, hash: null, ...knownHost, seq })
    // The same response may deviate from other limits, or from another list of routes.
    this.#remembered = new BoundedMap(MAX_REMEMBERED)
    return this.#remember(host, { facts, hash: exchange.responseHash, seq })
  }

  #remember(host: string, knownHost: KnownHost): HostFacts {
    this.#knownHosts.set(host, knownHost)
    return knownHost.facts
  }
}

function readFacts(exchange: RecordedExchange): HostFacts | null {
  const { body } = readJudgedExchange(exchange)
  const capabilities = body.kind === 'json' ? readResponse('capabilities.get', body.value).value : undefined
  return capabilities ? toHostFacts(capabilities) : null
}
