// Two runs side by side: which requests stand for each other (run-alignment.ts), and how they,
// their responses (body-difference.ts) and their effects differ. Read this file first.

import type { z } from 'zod'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import type { CheckDifference, CheckDifferences } from '../../../../shared/recordings/check/check-difference.ts'
import { compareHeads, haveEqualBytes } from '../check/response-check.ts'
import type { RecordedExchange, RecordedOperation, RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { getBodyRule, UNKNOWN_VALUE } from '../../redaction/value-rules.ts'
import { parseRequestMeaning } from '../replay/request-meaning.ts'
import { compareBodies } from './body-difference.ts'
import { IdPairs } from './id-pairs.ts'
import { alignRuns, findFirstWrite, type AlignedPair } from './run-alignment.ts'
import {
  runDifferenceKinds,
  type ComparedPair,
  type comparisonFactsSchema,
  type NotComparedReason,
  type RunDifferenceKind,
} from '../../../../shared/recordings/comparison/run-difference.ts'
import { createRunRequest, type RunRequest } from './run-request.ts'

export interface RunExchange {
  readonly row: ExchangeRow
  readonly request: RunRequest
  readonly response: Pick<RecordedExchange['response'], 'missing' | 'kept'>
  readonly responseBody: string | null
}

export type RunOperation = Pick<RecordedOperation, 'events' | 'changes'> & {
  readonly summary: Pick<RecordedOperation['summary'], 'outcome' | 'verdict'>
}

export interface ComparedRun {
  readonly exchanges: readonly RunExchange[]
  readonly operations: readonly RunOperation[]
  readonly redaction: RedactionPolicy | null
  /** The stored bytes of a body; null if they are no longer stored. */
  loadBody(exchange: RunExchange): Promise<Uint8Array | null>
}

export type RunComparison = z.infer<typeof comparisonFactsSchema> & {
  readonly pairs: readonly ComparedPair[]
  /** Ids that are spelled differently and count as the same. */
  readonly ids: { readonly before: string; readonly after: string }[]
}

/** Durations vary: one is slower only if it is so many times as long, and so much longer. */
const SLOWER_FACTOR = 2
const SLOWER_MIN_MS = 100
/** Comparing larger bodies would block the process. */
export const MAX_COMPARED_BYTES = 2_097_152
const MAX_LISTED_DIFFERENCES = 5
const MAX_LISTED_CHARS = 160
const NO_DIFFERENCES: CheckDifferences = { differences: [], total: 0 }

/** Each redaction has its own placeholders. */
export function haveComparableTexts(...redactions: readonly (RedactionPolicy | null)[]): boolean {
  return redactions.every((redaction) => redaction === null || redaction.texts === 'keep')
}

/** @param bodyText null without a body; any text that stands for one that is too large */
export function createRunExchange(
  { row, response, responseBody }: RecordedExchange,
  bodyText: string | null,
  areTextsComparable: boolean,
): RunExchange {
  const { method, path, endpoint: endpointId, startedAt, durationMs } = row
  const meaning = parseRequestMeaning({ method, path, bodyText, endpointId })
  const request = createRunRequest({ meaning, startedAt, durationMs, areTextsComparable })
  return { row, request, response: { missing: response.missing, kept: response.kept }, responseBody }
}

interface CompareOptions {
  /** Called after each pair, so that others get their turn. @throws if cancelled */
  readonly pause: () => Promise<void>
  readonly onProgress?: (done: number, total: number) => void
}

export async function compareRuns(
  before: ComparedRun,
  after: ComparedRun,
  { pause, onProgress }: CompareOptions,
): Promise<RunComparison> {
  const ids = new IdPairs()
  const requests = { before: before.exchanges.map(toRequest), after: after.exchanges.map(toRequest) }
  const aligned = await alignRuns(requests.before, requests.after, ids, pause)
  const comparer = new PairComparer(before, after, ids)
  const pairs: ComparedPair[] = []
  for (const pair of aligned) {
    pairs.push(await comparer.compare(pair))
    onProgress?.(pairs.length, aligned.length)
    await pause()
  }
  const count = (kind: RunDifferenceKind): number => pairs.filter(({ kinds }) => kinds.includes(kind)).length
  const notCompared: Partial<Record<NotComparedReason, number>> = {}
  for (const { notCompared: reason } of pairs) if (reason !== null) notCompared[reason] = (notCompared[reason] ?? 0) + 1
  return {
    pairs,
    notCompared,
    counts: Object.fromEntries(runDifferenceKinds.map((kind) => [kind, count(kind)])) as RunComparison['counts'],
    sameCount: pairs.filter(({ kinds }) => kinds.length === 0).length,
    areTextsComparable: comparer.areTextsComparable,
    haveForeignIds: ids.areForeign === true,
    ids: ids.list(),
  }
}

const toRequest = ({ request }: RunExchange): RunRequest => request

class PairComparer {
  readonly areTextsComparable: boolean
  readonly #before: ComparedRun
  readonly #after: ComparedRun
  readonly #ids: IdPairs
  readonly #isRedacted: boolean
  readonly #firstWrites: readonly [number, number]
  readonly #operations: readonly [Map<string, RunOperation>, Map<string, RunOperation>]

  constructor(before: ComparedRun, after: ComparedRun, ids: IdPairs) {
    this.#before = before
    this.#after = after
    this.#ids = ids
    this.#isRedacted = before.redaction !== null || after.redaction !== null
    this.areTextsComparable = haveComparableTexts(before.redaction, after.redaction)
    this.#firstWrites = [
      findFirstWrite(before.exchanges.map(toRequest)),
      findFirstWrite(after.exchanges.map(toRequest)),
    ]
    this.#operations = [indexOperations(before.operations), indexOperations(after.operations)]
  }

  async compare({ before, after, asksOtherwise, isReordered }: AlignedPair): Promise<ComparedPair> {
    const first = before === null ? undefined : this.#before.exchanges[before]
    const second = after === null ? undefined : this.#after.exchanges[after]
    const unpaired = { responses: NO_DIFFERENCES, effects: NO_DIFFERENCES, notCompared: null }
    if (!first || before === null) return { before, after, kinds: ['extra'], ...unpaired }
    if (!second || after === null) return { before, after, kinds: ['missing'], ...unpaired }
    const [firstWriteBefore, firstWriteAfter] = this.#firstWrites
    const areIdsNew = before >= firstWriteBefore && after >= firstWriteAfter
    // A different request gets another response for this reason alone.
    const { notCompared, ...responses } = asksOtherwise
      ? { ...this.#compareOutcomes(first.row, second.row), notCompared: null }
      : await this.#compareResponses(first, second, areIdsNew)
    const effects = this.#compareEffects(first, second)
    const kinds: RunDifferenceKind[] = []
    if (asksOtherwise) kinds.push('request')
    if (responses.total > 0) kinds.push('response')
    if (effects.total > 0) kinds.push('effect')
    if (isReordered) kinds.push('order')
    if (isSlower(first.row, second.row)) kinds.push('slower')
    return { before, after, kinds, responses: shorten(responses), effects: shorten(effects), notCompared }
  }

  #compareOutcomes(before: ExchangeRow, after: ExchangeRow): CheckDifferences {
    const differences = compareHeads(toHead(before), toHead(after), { isRedacted: this.#isRedacted })
    return { differences, total: differences.length }
  }

  async #compareResponses(
    first: RunExchange,
    second: RunExchange,
    areIdsNew: boolean,
  ): Promise<CheckDifferences & { readonly notCompared: NotComparedReason | null }> {
    const outcomes = this.#compareOutcomes(first.row, second.row)
    const notCompared = getNotComparedReason(first) ?? getNotComparedReason(second)
    if (notCompared !== null) return { ...outcomes, notCompared }
    const [before, after] = [await load(this.#before, first), await load(this.#after, second)]
    if (before === null || after === null) return { ...outcomes, notCompared: 'removed' }
    if (haveEqualBytes(before, after)) return { ...outcomes, notCompared }
    const [beforeJson, afterJson] = [inspectJson(before), inspectJson(after)]
    if (!beforeJson.isValid || !afterJson.isValid) {
      // A redaction replaces texts and pictures, so that their bytes say nothing.
      if (this.#isRedacted) return { ...outcomes, notCompared: 'redacted' }
      return { ...append(outcomes, [describeBytes(before, after)]), notCompared }
    }
    const { areTextsComparable } = this
    const rule = getBodyRule(second.row.endpoint, 'response')
    const context = { rule, ids: this.#ids, areIdsNew, areTextsComparable }
    const bodies = compareBodies(beforeJson.value, afterJson.value, context)
    return { ...append(outcomes, bodies.differences, bodies.total), notCompared }
  }

  /** Only effects that both runs know can be compared. */
  #compareEffects(first: RunExchange, second: RunExchange): CheckDifferences {
    const [before, after] = [this.#operations[0].get(first.row.id), this.#operations[1].get(second.row.id)]
    if (!before || !after) return NO_DIFFERENCES
    const { areTextsComparable } = this
    const context = { rule: UNKNOWN_VALUE, ids: this.#ids, areIdsNew: true, areTextsComparable }
    return compareBodies(describeEffect(before), describeEffect(after), context)
  }
}

const load = async (run: ComparedRun, exchange: RunExchange): Promise<Uint8Array | null> =>
  exchange.responseBody === null ? new Uint8Array() : run.loadBody(exchange)

function indexOperations(operations: readonly RunOperation[]): Map<string, RunOperation> {
  return new Map(
    operations.flatMap((operation) =>
      operation.events.flatMap((event) => (event.kind === 'answer' ? [[event.exchangeId, operation] as const] : [])),
    ),
  )
}

const describeEffect = ({ summary, changes }: RunOperation): unknown => ({
  outcome: summary.outcome,
  state: summary.verdict.code,
  before: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
  after: Object.fromEntries(changes.map(({ field, after }) => [field, after])),
})

function getNotComparedReason({ row, response, responseBody }: RunExchange): NotComparedReason | null {
  if (response.missing !== null) return response.missing
  if (responseBody === null && row.bytes > 0) return 'removed'
  return response.kept > MAX_COMPARED_BYTES ? 'large' : null
}

const toHead = ({ status, state, errorCode, mediaType }: ExchangeRow) => ({
  status: status ?? errorCode ?? state,
  mediaType,
})

const describeBytes = (before: Uint8Array, after: Uint8Array): CheckDifference => ({
  kind: 'bytes',
  pointer: '',
  expected: String(before.byteLength),
  actual: String(after.byteLength),
})

const append = (
  { differences, total }: CheckDifferences,
  others: readonly CheckDifference[],
  otherTotal = others.length,
): CheckDifferences => ({ differences: [...differences, ...others], total: total + otherTotal })

/** A comparison of many pairs holds only so much of each. */
function shorten({ differences, total }: CheckDifferences): CheckDifferences {
  const cut = (text: string | null): string | null =>
    text !== null && text.length > MAX_LISTED_CHARS ? `${text.slice(0, MAX_LISTED_CHARS)}…` : text
  return {
    differences: differences
      .slice(0, MAX_LISTED_DIFFERENCES)
      .map((difference) => ({ ...difference, expected: cut(difference.expected), actual: cut(difference.actual) })),
    total,
  }
}

function isSlower(before: ExchangeRow, after: ExchangeRow): boolean {
  if (before.durationMs === null || after.durationMs === null) return false
  const more = after.durationMs - before.durationMs
  return more >= SLOWER_MIN_MS && after.durationMs >= before.durationMs * SLOWER_FACTOR
}
