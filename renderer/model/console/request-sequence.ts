import { isJson } from '../../../shared/json/inspection.ts'
import { extractRawTexts } from '../../../shared/json/raw-texts.ts'
import type { SavedRequest } from '../../../shared/ipc/console.ts'
import { fillJson, fillPath, type Variables } from './variables.ts'

/** A request as it is sent, its variables filled in. */
export interface FilledRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

/** Why a step did not succeed (`console.run.problem.<code>`). */
export type StepProblem =
  | { readonly code: 'missing'; readonly names: string }
  | { readonly code: 'status'; readonly status: number }
  | { readonly code: 'not-sent' }
  | { readonly code: 'take'; readonly names: string }
  | { readonly code: 'not-json' }
  | { readonly code: 'error'; readonly message: string }

/** One request of a run. */
export interface SequenceStep {
  readonly request: SavedRequest
  readonly state: 'waiting' | 'running' | 'asking' | 'done' | 'failed' | 'skipped'
  /** Its exchange; null if there is none, or for a write, which has a record. */
  readonly seq: number | null
  /** The record of a write. */
  readonly operationId: string | null
  readonly status: number | null
  readonly problem: StepProblem | null
  /** What later requests get from its answer. */
  readonly captured: Variables
}

/** What came of one request. `body`: null if it cannot be read as text. */
export interface StepResponse {
  readonly seq: number | null
  readonly operationId: string | null
  readonly status: number
  readonly readBody: () => Promise<string | null>
}

/** What a run needs of the outside. Both throw what keeps them from an answer. */
export interface SequencePorts {
  /** Whether it only reads: anything else goes through the write gate. */
  isRead(request: FilledRequest): boolean
  send(request: FilledRequest, signal: AbortSignal): Promise<StepResponse>
  /** Opens the review, and waits until it is closed; null if it was not sent. */
  review(request: FilledRequest, signal: AbortSignal): Promise<StepResponse | null>
  /** The text of whatever was thrown. */
  describeError(thrown: unknown): string
}

/** Longest value that is taken from an answer. */
const MAX_CAPTURED_CHARS = 100_000

/** A saved request with its variables filled in, or what is missing. */
export function fillRequest(
  { method, path, body }: Pick<SavedRequest, 'method' | 'path' | 'body'>,
  variables: Variables,
): FilledRequest | { readonly missing: readonly string[] } {
  const address = fillPath(path, variables)
  const content = body === null ? null : fillJson(body, variables)
  const missing = [address, content].flatMap((one) => (one && 'missing' in one ? one.missing : []))
  if (missing.length > 0 || 'missing' in address || (content && 'missing' in content)) return { missing }
  return { method, path: address.text, body: content?.text ?? null }
}

/** All steps of a run that has not begun. */
export const createSteps = (requests: readonly SavedRequest[]): readonly SequenceStep[] =>
  requests.map((request) => ({
    request,
    state: 'waiting',
    seq: null,
    operationId: null,
    status: null,
    problem: null,
    captured: {},
  }))

/**
 * Runs saved requests one after the other; what one takes from its answer is a variable of the next ones. Stops at the first that fails:
 * no answer, a status other than 2xx, a variable without a value, or nothing at a pointer. A write waits for its review, and ends the run
 * if it is not sent. `told` gets all steps whenever one changes. Never rejects.
 */
export async function runSequence(
  requests: readonly SavedRequest[],
  given: Variables,
  outside: SequencePorts,
  told: (steps: readonly SequenceStep[]) => void,
  signal: AbortSignal,
): Promise<readonly SequenceStep[]> {
  let steps = createSteps(requests)
  let variables = given
  const change = (at: number, part: Partial<SequenceStep>): void => {
    steps = steps.map((step, index) => (index === at ? { ...step, ...part } : step))
    told(steps)
  }
  told(steps)
  for (const [at, request] of requests.entries()) {
    const outcome = await runStep(request, variables, outside, (part) => change(at, part), signal)
    change(at, outcome)
    if (outcome.state !== 'done') {
      for (let rest = at + 1; rest < requests.length; rest += 1) change(rest, { state: 'skipped' })
      break
    }
    variables = { ...variables, ...outcome.captured }
  }
  return steps
}

type StepEnd = Partial<SequenceStep> & Pick<SequenceStep, 'state' | 'captured'>
const failed = (problem: StepProblem, more: Partial<SequenceStep> = {}): StepEnd => ({
  state: 'failed',
  captured: {},
  ...more,
  problem,
})

async function runStep(
  request: SavedRequest,
  variables: Variables,
  outside: SequencePorts,
  change: (part: Partial<SequenceStep>) => void,
  signal: AbortSignal,
): Promise<StepEnd> {
  const filled = fillRequest(request, variables)
  if ('missing' in filled) return failed({ code: 'missing', names: filled.missing.join(', ') })
  try {
    const reads = outside.isRead(filled)
    change({ state: reads ? 'running' : 'asking' })
    const sent = reads ? await outside.send(filled, signal) : await outside.review(filled, signal)
    if (!sent) return failed({ code: 'not-sent' })
    const { seq, operationId, status } = sent
    if (status < 200 || status > 299) return failed({ code: 'status', status }, { seq, operationId, status })
    const taken = captureVariables(request.takes?.length ? await sent.readBody() : '', request.takes ?? [])
    if ('problem' in taken) return failed(taken.problem, { seq, operationId, status })
    return { state: 'done', seq, operationId, status, ...taken }
  } catch (thrown) {
    return failed({ code: 'error', message: outside.describeError(thrown) })
  }
}

/** The values at these pointers: strings as text, anything else as the exact JSON that the host sent. */
export function captureVariables(
  text: string | null,
  takes: NonNullable<SavedRequest['takes']>,
): { readonly captured: Variables } | { readonly problem: StepProblem } {
  if (takes.length === 0) return { captured: {} }
  if (text === null || !isJson(text)) return { problem: { code: 'not-json' } }
  const pointers = takes.map(({ pointer }) => pointer)
  const texts = extractRawTexts(text, pointers, MAX_CAPTURED_CHARS)
  const nothing = pointers.filter((pointer) => !isJsonPointer(pointer) || (texts.get(pointer)?.isTruncated ?? true))
  if (nothing.length > 0) return { problem: { code: 'take', names: nothing.map((one) => one || '""').join(', ') } }
  const took = takes.map(({ variable, pointer }) => [variable, valueOf(texts.get(pointer)?.text ?? '')] as const)
  return { captured: Object.fromEntries(took) }
}

/** RFC 6901: empty for the whole, otherwise each step behind a slash. */
export const isJsonPointer = (pointer: string): boolean => pointer === '' || /^(\/([^~]|~[01])*)+$/.test(pointer)

function valueOf(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : null
  return typeof value === 'string' ? value : json.trim()
}
