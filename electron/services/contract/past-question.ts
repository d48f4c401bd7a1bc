import { evaluateAssertions } from '../../../shared/collections/assertion-result.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { getDeviationId, getRouteTemplate, type ExchangeDeviation } from '../../../shared/contract/deviation.ts'
import type { OutcomeCounts, OutcomeTransition, ContractQuestion } from '../../../shared/ipc/contract.ts'
import { MAX_QUESTIONED_HOSTS, MAX_TRANSITIONS_PER_PART } from '../../../shared/ipc/contract.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { parsePointer } from '../../../shared/json/pointer.ts'
import { ExchangeJudgements } from './exchange-judgements.ts'
import type { HostVersions } from './host-versions.ts'
import { formatLocalDay } from './local-day.ts'
import { isHostResponse } from './judged-state.ts'
import type { ExchangeSource, RecordedExchange } from './recorded-exchange.ts'

type PartResult = IpcOutput<'contract.ask'>
type Outcome = keyof Pick<OutcomeCounts, 'held' | 'broken' | 'undecided'>

interface Verdict {
  readonly outcome: Outcome
  readonly actual: string
}
const UNDECIDED: Verdict = { outcome: 'undecided', actual: '' }

/** Asks the exchanges of a route after `after`, as many as take some milliseconds. */
export function askExchanges(
  { method, template, question, after, lastOutcomes }: IpcInput<'contract.ask'>,
  source: ExchangeSource,
  versions: HostVersions,
  budgetMs: number,
): PartResult {
  const route = {
    method,
    endpoint: endpoints.find((row) => row.method === method && row.path === template)?.id ?? null,
  }
  const part = new QuestionPart(lastOutcomes)
  const judgements = new ExchangeJudgements(source)
  const endsAt = performance.now() + budgetMs
  let [lastSeq, askedCount] = [after, 0]
  let exchange: RecordedExchange | null
  while ((exchange = source.readNext(lastSeq, route)) !== null) {
    const { row } = exchange
    lastSeq = row.seq
    if (getRouteTemplate(route.endpoint, row.path) === template) {
      askedCount += 1
      part.add(row, versions.find(row.host, row.seq), decide(exchange, question, judgements))
    }
    if (performance.now() >= endsAt) break
  }
  const isWhole = exchange === null
  const left = isWhole ? 0 : source.countAfter(lastSeq)
  return { ...part.toResult(), asked: askedCount, lastSeq: isWhole ? source.newest() : lastSeq, left, isWhole }
}

class QuestionPart {
  readonly #counts = new Map<string, OutcomeCounts>()
  readonly #transitions: OutcomeTransition[] = []
  readonly #lastOutcomes: Map<string, PartResult['lastOutcomes'][number]>
  readonly #examples: PartResult['examples'] = { held: null, broken: null }
  #moreTransitions = 0

  constructor(lastOutcomes: PartResult['lastOutcomes']) {
    this.#lastOutcomes = new Map(lastOutcomes.map((last) => [last.host, last]))
  }

  add({ seq, startedAt, host }: RecordedExchange['row'], version: string | null, { outcome, actual }: Verdict): void {
    const day = formatLocalDay(startedAt)
    const key = JSON.stringify([host, version, day])
    const counts = this.#counts.get(key) ?? { host, version, day, held: 0, broken: 0, undecided: 0 }
    counts[outcome] += 1
    this.#counts.set(key, counts)
    if (outcome === 'undecided') return
    this.#examples[outcome] ??= { seq, startedAt, actual }
    const last = this.#lastOutcomes.get(host)
    if (last && last.outcome !== outcome) {
      if (this.#transitions.length >= MAX_TRANSITIONS_PER_PART) this.#moreTransitions += 1
      else
        this.#transitions.push({
          host,
          becomes: outcome,
          at: startedAt,
          lastSeq: last.seq,
          lastVersion: last.version,
          firstSeq: seq,
          firstVersion: version,
        })
    }
    this.#lastOutcomes.delete(host)
    this.#lastOutcomes.set(host, { host, outcome, seq, version })
  }

  toResult(): Pick<PartResult, 'counts' | 'transitions' | 'moreTransitions' | 'examples' | 'lastOutcomes'> {
    return {
      counts: [...this.#counts.values()],
      transitions: this.#transitions,
      moreTransitions: this.#moreTransitions,
      examples: this.#examples,
      lastOutcomes: [...this.#lastOutcomes.values()].slice(-MAX_QUESTIONED_HOSTS),
    }
  }
}

function decide(exchange: RecordedExchange, question: ContractQuestion, judgements: ExchangeJudgements): Verdict {
  const { row } = exchange
  if (!isHostResponse(row) || row.status === null) return UNDECIDED
  if (question.kind === 'deviation') {
    const { deviations, isBodyJudged, isError } = judgements.judge(exchange).judgement
    const deviation = deviations.find((candidate) => getDeviationId(candidate) === question.id)
    if (deviation) return { outcome: 'broken', actual: deviation.actual }
    return isBodyJudged && couldShow(question.id, exchange, isError) ? { outcome: 'held', actual: '' } : UNDECIDED
  }
  const { bytes, isWhole } = exchange.readResponse()
  const [result] = evaluateAssertions(
    [question.assertion],
    {},
    {
      status: row.status,
      durationMs: row.durationMs,
      endpointId: row.endpoint,
      body: isWhole ? (bytes ?? new Uint8Array()) : null,
    },
  )
  if (result?.outcome !== 'passed' && result?.outcome !== 'failed') return UNDECIDED
  return { outcome: result.outcome === 'passed' ? 'held' : 'broken', actual: result.actual ?? '' }
}

/** An error does not tell about a success's members, nor an empty list about its entries'. */
function couldShow(id: string, { readResponse }: RecordedExchange, isError: boolean): boolean {
  const [kind = '', , , ...pointerParts] = id.split(' ') as [ExchangeDeviation['kind'], ...string[]]
  if (kind === 'unknown-status' || kind === 'unknown-route') return true
  if (kind === 'unknown-code') return isError
  const steps = parsePointer(pointerParts.join(' '))
  if (isError !== (steps[0] === 'error')) return false
  const { bytes } = readResponse()
  if (steps.length < 2 || bytes === null) return true
  try {
    return hasParent(JSON.parse(new TextDecoder().decode(bytes)), steps.slice(0, -1))
  } catch {
    return false
  }
}

function hasParent(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (step === undefined) return true
  if (step === '*') return Array.isArray(value) && value.some((entry: unknown) => hasParent(entry, rest))
  return Object.hasOwn(value, step) && hasParent(Reflect.get(value, step), rest)
}
