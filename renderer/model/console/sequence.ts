import { isJson } from '../../../shared/json/inspect.ts'
import { textsAt } from '../../../shared/json/texts-at.ts'
import type { SavedRequest } from '../../../shared/ipc/console.ts'
import { filledJson, filledPath, type Variables } from './variables.ts'

/** A request as it is sent, its variables filled in. */
export interface FilledRequest {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

/** Why a step did not succeed (`console.run.problem.<code>`). */
export type Problem =
  | { readonly code: 'missing'; readonly names: string }
  | { readonly code: 'status'; readonly status: number }
  | { readonly code: 'not-sent' }
  | { readonly code: 'take'; readonly names: string }
  | { readonly code: 'not-json' }
  | { readonly code: 'error'; readonly message: string }

/** One request of a run. */
export interface Step {
  readonly request: SavedRequest
  readonly state: 'waiting' | 'running' | 'asking' | 'done' | 'failed' | 'skipped'
  /** Its exchange; null if there is none, or for a write, which has a record. */
  readonly seq: number | null
  /** The record of a write. */
  readonly operation: string | null
  readonly status: number | null
  readonly problem: Problem | null
  /** What later requests get from its answer. */
  readonly took: Variables
}

/** What came of one request. `body`: null if it cannot be read as text. */
export interface Sent {
  readonly seq: number | null
  readonly operation: string | null
  readonly status: number
  readonly body: () => Promise<string | null>
}

/** What a run needs of the outside. Both throw what keeps them from an answer. */
export interface Outside {
  /** Whether it only reads: anything else goes through the write gate. */
  reads(request: FilledRequest): boolean
  send(request: FilledRequest, signal: AbortSignal): Promise<Sent>
  /** Opens the review, and waits until it is closed; null if it was not sent. */
  review(request: FilledRequest, signal: AbortSignal): Promise<Sent | null>
  /** The text of whatever was thrown. */
  said(thrown: unknown): string
}

/** Longest value that is taken from an answer. */
const MOST_TAKEN = 100_000

/** A saved request with its variables filled in, or what is missing. */
export function filledRequest(
  { method, path, body }: Pick<SavedRequest, 'method' | 'path' | 'body'>,
  variables: Variables,
): FilledRequest | { readonly missing: readonly string[] } {
  const address = filledPath(path, variables)
  const content = body === null ? null : filledJson(body, variables)
  const missing = [address, content].flatMap((one) => (one && 'missing' in one ? one.missing : []))
  if (missing.length > 0 || 'missing' in address || (content && 'missing' in content)) return { missing }
  return { method, path: address.text, body: content?.text ?? null }
}

/** All steps of a run that has not begun. */
export const stepsOf = (requests: readonly SavedRequest[]): readonly Step[] =>
  requests.map((request) => ({
    request,
    state: 'waiting',
    seq: null,
    operation: null,
    status: null,
    problem: null,
    took: {},
  }))

/**
 * Runs saved requests one after the other; what one takes from its answer is a variable of the next ones. Stops at the first that fails:
 * no answer, a status other than 2xx, a variable without a value, or nothing at a pointer. A write waits for its review, and ends the run
 * if it is not sent. `told` gets all steps whenever one changes. Never rejects.
 */
export async function runSequence(
  requests: readonly SavedRequest[],
  given: Variables,
  outside: Outside,
  told: (steps: readonly Step[]) => void,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  let steps = stepsOf(requests)
  let variables = given
  const change = (at: number, part: Partial<Step>): void => {
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
    variables = { ...variables, ...outcome.took }
  }
  return steps
}

type Ended = Partial<Step> & Pick<Step, 'state' | 'took'>
const failed = (problem: Problem, more: Partial<Step> = {}): Ended => ({ state: 'failed', took: {}, ...more, problem })

async function runStep(
  request: SavedRequest,
  variables: Variables,
  outside: Outside,
  change: (part: Partial<Step>) => void,
  signal: AbortSignal,
): Promise<Ended> {
  const filled = filledRequest(request, variables)
  if ('missing' in filled) return failed({ code: 'missing', names: filled.missing.join(', ') })
  try {
    const reads = outside.reads(filled)
    change({ state: reads ? 'running' : 'asking' })
    const sent = reads ? await outside.send(filled, signal) : await outside.review(filled, signal)
    if (!sent) return failed({ code: 'not-sent' })
    const { seq, operation, status } = sent
    if (status < 200 || status > 299) return failed({ code: 'status', status }, { seq, operation, status })
    const taken = takenFrom(request.takes?.length ? await sent.body() : '', request.takes ?? [])
    if ('problem' in taken) return failed(taken.problem, { seq, operation, status })
    return { state: 'done', seq, operation, status, ...taken }
  } catch (thrown) {
    return failed({ code: 'error', message: outside.said(thrown) })
  }
}

/** The values at these pointers: strings as text, anything else as the exact JSON that the host sent. */
export function takenFrom(
  text: string | null,
  takes: NonNullable<SavedRequest['takes']>,
): { readonly took: Variables } | { readonly problem: Problem } {
  if (takes.length === 0) return { took: {} }
  if (text === null || !isJson(text)) return { problem: { code: 'not-json' } }
  const pointers = takes.map(({ pointer }) => pointer)
  const texts = textsAt(text, pointers, MOST_TAKEN)
  const nothing = pointers.filter((pointer) => !isPointer(pointer) || (texts.get(pointer)?.cut ?? true))
  if (nothing.length > 0) return { problem: { code: 'take', names: nothing.map((one) => one || '""').join(', ') } }
  const took = takes.map(({ variable, pointer }) => [variable, valueOf(texts.get(pointer)?.text ?? '')] as const)
  return { took: Object.fromEntries(took) }
}

/** RFC 6901: empty for the whole, otherwise each step behind a slash. */
export const isPointer = (pointer: string): boolean => pointer === '' || /^(\/([^~]|~[01])*)+$/.test(pointer)

function valueOf(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : null
  return typeof value === 'string' ? value : json.trim()
}
