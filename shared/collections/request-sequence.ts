// Collections of saved requests: their variables, assertions and runs. The console of the page and
// the command line both use this folder; neither files nor a host are touched here. Read this file
// first, then assertion.ts.

import { isValidJsonText } from '../json/inspection.ts'
import { isJsonPointer } from '../json/pointer.ts'
import { extractRawTexts } from '../json/raw-texts.ts'
import type { SavedRequest } from './saved-request.ts'
import { expectsStatus, type AssertionResult } from './assertion-result.ts'
import { fillJsonVariables, fillPathVariables, type Variables } from './variables.ts'

export interface FilledRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

/** Each code is a text key `console.run.problem.<code>`. */
export type StepProblem =
  | { readonly code: 'missing'; readonly names: string }
  | { readonly code: 'status'; readonly status: number }
  | { readonly code: 'not-sent' }
  | { readonly code: 'take'; readonly names: string }
  | { readonly code: 'not-json' }
  /** Number of the assertions that failed, are invalid or could not be evaluated. */
  | { readonly code: 'assertions'; readonly count: number }
  | { readonly code: 'error'; readonly message: string }

export interface SequenceStep {
  readonly request: SavedRequest
  /** The path with its variables filled in, as it was sent; null if it was not filled in. */
  readonly sentPath: string | null
  readonly state: 'waiting' | 'running' | 'asking' | 'done' | 'failed' | 'skipped'
  /** Number in the traffic store; null before sending, and for a write, which has a record. */
  readonly seq: number | null
  /** Id of the operation record of a write; null for a read. */
  readonly operationId: string | null
  readonly status: number | null
  /** Time of the exchange in milliseconds; null if it is not known. */
  readonly durationMs: number | null
  readonly problem: StepProblem | null
  /** Variables captured from the response for the requests that follow. */
  readonly captured: Variables
  /** One for each assertion of the request; empty until there is a response. */
  readonly assertions: readonly AssertionResult[]
}

/** `readBody` returns null if the body cannot be read as text. */
export interface StepResponse {
  readonly seq: number | null
  readonly operationId: string | null
  readonly status: number
  /** Milliseconds; null or left out if it is not known. */
  readonly durationMs?: number | null
  readonly readBody: () => Promise<string | null>
}

/** `send` and `review` throw if there is no response. */
export interface SequencePorts {
  /** False for writes, which go through the review. */
  isRead(request: FilledRequest): boolean
  send(request: FilledRequest, signal: AbortSignal): Promise<StepResponse>
  /** Opens the review and waits until it is closed; null if the write was not sent. */
  review(request: FilledRequest, signal: AbortSignal): Promise<StepResponse | null>
  /** Evaluates the assertions of a request, which has some (`evaluateAssertions`). */
  checkAssertions(
    request: SavedRequest,
    variables: Variables,
    response: StepResponse,
  ): Promise<readonly AssertionResult[]>
  describeError(thrown: unknown): string
}

/** A captured value may have at most this many characters. */
const MAX_CAPTURED_CHARS = 100_000

/** Returns the names of variables without a value if the request cannot be filled in. */
export function fillRequestVariables(
  { method, path, body }: Pick<SavedRequest, 'method' | 'path' | 'body'>,
  variables: Variables,
): FilledRequest | { readonly missing: readonly string[] } {
  const filledPath = fillPathVariables(path, variables)
  const filledBody = body === null ? null : fillJsonVariables(body, variables)
  const missing = [filledPath, filledBody].flatMap((filled) => (filled && 'missing' in filled ? filled.missing : []))
  if (missing.length > 0 || 'missing' in filledPath || (filledBody && 'missing' in filledBody)) return { missing }
  return { method, path: filledPath.text, body: filledBody?.text ?? null }
}

export function createSequenceSteps(
  requests: readonly SavedRequest[],
  state: 'waiting' | 'skipped' = 'waiting',
): readonly SequenceStep[] {
  return requests.map((request) => ({
    request,
    sentPath: null,
    state,
    seq: null,
    operationId: null,
    status: null,
    durationMs: null,
    problem: null,
    captured: {},
    assertions: [],
  }))
}

/**
 * Runs saved requests one after the other; values captured from a response are variables of the
 * requests that follow. These are failures: no response, an assertion that did not pass, a status
 * other than 2xx that no assertion expects, a variable without a value, or a pointer to a missing
 * value. A write waits for its review, and has failed if it is not sent. Never rejects.
 * @param onChange gets all steps whenever a step changes
 * @param goesOn false: the run stops at the first failure. True: the reads that follow are still
 *   sent. The variables that a failed request should have captured lose their values, and requests
 *   that need one are skipped, as are all writes, which may rest on what failed.
 */
export async function runSequence(
  requests: readonly SavedRequest[],
  initialVariables: Variables,
  ports: SequencePorts,
  onChange: (steps: readonly SequenceStep[]) => void,
  signal: AbortSignal,
  goesOn = false,
): Promise<readonly SequenceStep[]> {
  let steps = createSequenceSteps(requests)
  let variables = initialVariables
  const updateStep = (index: number, part: Partial<SequenceStep>): void => {
    steps = steps.map((step, stepIndex) => (stepIndex === index ? { ...step, ...part } : step))
    onChange(steps)
  }
  const lostVariables = new Set<string>()
  onChange(steps)
  for (const [index, request] of requests.entries()) {
    const mayWrite = steps.every(({ state }) => state !== 'failed')
    const outcome = await runStep(request, variables, ports, (part) => updateStep(index, part), signal, mayWrite)
    const needsLost = listMissing(request, variables).some((name) => lostVariables.has(name))
    updateStep(index, needsLost ? { ...outcome, state: 'skipped' } : outcome)
    if (outcome.state !== 'done') {
      if (!goesOn || signal.aborted) {
        for (let skipped = index + 1; skipped < requests.length; skipped += 1) updateStep(skipped, { state: 'skipped' })
        break
      }
      // An older value could lead a later request to something else than the collection means.
      for (const { variable } of request.takes ?? []) lostVariables.add(variable)
      variables = Object.fromEntries(Object.entries(variables).filter(([name]) => !lostVariables.has(name)))
      continue
    }
    for (const name of Object.keys(outcome.captured)) lostVariables.delete(name)
    variables = { ...variables, ...outcome.captured }
  }
  return steps
}

function listMissing(request: SavedRequest, variables: Variables): readonly string[] {
  const filledRequest = fillRequestVariables(request, variables)
  return 'missing' in filledRequest ? filledRequest.missing : []
}

type StepOutcome = Partial<SequenceStep> & Pick<SequenceStep, 'state' | 'captured'>
const toFailure = (problem: StepProblem, details: Partial<SequenceStep> = {}): StepOutcome => ({
  state: 'failed',
  captured: {},
  ...details,
  problem,
})

async function runStep(
  request: SavedRequest,
  variables: Variables,
  ports: SequencePorts,
  updateStep: (part: Partial<SequenceStep>) => void,
  signal: AbortSignal,
  mayWrite: boolean,
): Promise<StepOutcome> {
  const filledRequest = fillRequestVariables(request, variables)
  if ('missing' in filledRequest) return toFailure({ code: 'missing', names: filledRequest.missing.join(', ') })
  try {
    const isRead = ports.isRead(filledRequest)
    if (!isRead && !mayWrite) return { ...toFailure({ code: 'not-sent' }), state: 'skipped' }
    updateStep({ state: isRead ? 'running' : 'asking', sentPath: filledRequest.path })
    const response = isRead ? await ports.send(filledRequest, signal) : await ports.review(filledRequest, signal)
    if (!response) return toFailure({ code: 'not-sent' })
    const { seq, operationId, status, durationMs = null } = response
    const assertions = request.assertions === undefined ? [] : await ports.checkAssertions(request, variables, response)
    const details = { seq, operationId, status, durationMs, assertions }
    if (!expectsStatus(request.assertions) && (status < 200 || status > 299))
      return toFailure({ code: 'status', status }, details)
    const unmetCount = assertions.filter(({ outcome }) => outcome !== 'passed').length
    if (unmetCount > 0) return toFailure({ code: 'assertions', count: unmetCount }, details)
    const capture = captureVariables(request.takes?.length ? await response.readBody() : '', request.takes ?? [])
    if ('problem' in capture) return toFailure(capture.problem, details)
    return { state: 'done', ...details, ...capture }
  } catch (thrown) {
    return toFailure({ code: 'error', message: ports.describeError(thrown) })
  }
}

/** Strings become text, other values the JSON text that the host sent. */
export function captureVariables(
  text: string | null,
  takes: NonNullable<SavedRequest['takes']>,
): { readonly captured: Variables } | { readonly problem: StepProblem } {
  if (takes.length === 0) return { captured: {} }
  if (text === null || !isValidJsonText(text)) return { problem: { code: 'not-json' } }
  const pointers = takes.map(({ pointer }) => pointer)
  const texts = extractRawTexts(text, pointers, MAX_CAPTURED_CHARS)
  const unusable = pointers.filter((pointer) => !isJsonPointer(pointer) || (texts.get(pointer)?.isTruncated ?? true))
  if (unusable.length > 0)
    return { problem: { code: 'take', names: unusable.map((pointer) => pointer || '""').join(', ') } }
  const entries = takes.map(
    ({ variable, pointer }) => [variable, toVariableValue(texts.get(pointer)?.text ?? '')] as const,
  )
  return { captured: Object.fromEntries(entries) }
}

function toVariableValue(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : null
  return typeof value === 'string' ? value : json.trim()
}
