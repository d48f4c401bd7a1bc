import { z } from 'zod'
import type { IpcCallFunction } from '../../shared/ipc/agent-socket.ts'
import {
  AppError,
  createCancelledError,
  fromWireError,
  createRefusedError,
  toWireError,
  type WireError,
} from '../../shared/errors.ts'
import { isMethodName, ipcMethods, type IpcOutput } from '../../shared/ipc/index.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import { describeError, type Log } from '../services/files/log.ts'
import type { IpcDispatcher, CallContext, Handlers } from './ipc-dispatcher.ts'
import { truncateValue, type ValueBudget } from '../services/value-budget.ts'

/** Calls that one page may have under way at once. */
const MAX_PENDING_CALLS = 256

const requestSchema = z.strictObject({
  id: z.string().min(1).max(100),
  method: z.string().max(100),
  input: z.unknown(),
})

interface ClosableDispatcher extends Pick<IpcDispatcher, 'call' | 'cancel' | 'removeCaller'> {
  /** Cancels every call of every page; for the end of the program. */
  removeAllCallers(): void
}

/**
 * The only way in for a page's calls. Parses the request and its input as untrusted, runs the handler, and turns whatever is thrown into
 * data. `conceal` removes tokens from what goes back. `cancel` and `leave` abort the signal that the handler was given.
 */
export function createDispatcher(
  handlers: Handlers,
  log: Log,
  conceal = (text: string): string => text,
): ClosableDispatcher {
  const underWay = new Map<string, Map<string, AbortController>>()

  async function call(caller: string, request: unknown): Promise<CallReply> {
    try {
      const { id, method, input } = parseRequest(request)
      const calls = underWay.get(caller) ?? new Map<string, AbortController>()
      if (calls.has(id)) throw createRefusedError('CALL_DUPLICATE', 'A call with this id is already under way.')
      if (calls.size >= MAX_PENDING_CALLS)
        throw createRefusedError('CALLS_TOO_MANY', 'Too many calls are under way at once.')
      const abort = new AbortController()
      calls.set(id, abort)
      underWay.set(caller, calls)
      const running = run(method, input, { signal: abort.signal, caller }).finally(() => {
        // Only now, even after a cancel: a handler that is still running counts.
        calls.delete(id)
        if (calls.size === 0 && underWay.get(caller) === calls) underWay.delete(caller)
      })
      return { ok: true, value: concealTokens(await rejectOnAbort(running, abort.signal), conceal) }
    } catch (thrown) {
      if (!(thrown instanceof AppError)) log.error('a handler failed', { reason: describeError(thrown) })
      return { ok: false, error: concealTokens(toWireError(thrown), conceal) as WireError }
    }
  }

  async function run(method: string, input: unknown, context: CallContext): Promise<unknown> {
    if (!isMethodName(method)) throw createRefusedError('METHOD_UNKNOWN', 'There is no such method.')
    const parsed = ipcMethods[method].input.safeParse(input)
    if (!parsed.success) throw createInvalidInputError(parsed.error)
    // The map pairs each method with a handler for exactly its input; TypeScript cannot follow that through a union.
    const handler = handlers[method] as (input: unknown, context: CallContext) => unknown
    return await handler(parsed.data, context)
  }

  function leave(caller: string): void {
    for (const abort of underWay.get(caller)?.values() ?? []) abort.abort()
  }

  return {
    call,
    cancel(caller, id) {
      if (typeof id === 'string') underWay.get(caller)?.get(id)?.abort()
    },
    removeCaller: leave,
    removeAllCallers() {
      for (const caller of underWay.keys()) leave(caller)
    },
  }
}

/** Calls of a part of the service process itself, by the way that a page's calls take. They throw the error of a reply. */
export function createInternalCalls({ call }: Pick<IpcDispatcher, 'call'>, caller: string): IpcCallFunction {
  let count = 0
  return async (method, input) => {
    const reply = await call(caller, { id: String((count += 1)), method, input })
    if (!reply.ok) throw fromWireError(reply.error)
    // The handlers run in this very process: what they return has the type that they are declared with.
    return reply.value as IpcOutput<typeof method>
  }
}

/** What the handler returns, or `CANCELLED` as soon as the signal is aborted, whatever the handler is still doing. */
function rejectOnAbort(running: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      reject(createCancelledError())
    }
    signal.addEventListener('abort', cancel, { once: true })
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel))
  })
}

function parseRequest(request: unknown): { id: string; method: string; input?: unknown } {
  if (isInputTooLarge(request))
    throw createRefusedError('INPUT_TOO_LARGE', 'The input is nested too deeply or too large.')
  const parsed = requestSchema.safeParse(request)
  if (!parsed.success)
    throw createRefusedError('REQUEST_MALFORMED', 'The call is not of the form { id, method, input }.')
  return parsed.data
}

/** Names the places where the input is invalid, never their values: one could be a token. */
function createInvalidInputError(error: z.ZodError): AppError {
  const named = error.issues.slice(0, 5).map(({ path }) => path.map(String).join('.').slice(0, 100) || 'input')
  const places = [...new Set(named)].join(', ')
  return createRefusedError('INPUT_INVALID', `The input is invalid at: ${places}.`, { places })
}

/** More than any value of ours holds; what a host sent was cut long before. */
const budget: ValueBudget = { maxValues: 2_000_000, maxChars: 128 * 1024 * 1024, maxDepth: 1_200 }

/**
 * A value for the page with every known token removed from its texts: hosts echo what they were sent, in unexpected places and even in
 * later requests that carry no token. Bytes stay as the host sent them.
 */
export function concealTokens(value: unknown, conceal: (text: string) => string): unknown {
  return truncateValue(value, budget, conceal)
}

const MAX_DEPTH = 32
const MAX_VALUES = 200_000
const MAX_TEXT = 16 * 1024 * 1024

/**
 * Whether foreign input is nested deeper, or holds more, than any valid input could. It is checked before any schema, without recursion and
 * without copying, so that a hostile value exhausts neither the stack nor the heap. Values that are not JSON (a Map, a bigint, bytes:
 * Electron's structured clone carries them) are rejected too: no valid input holds them, and where the contract accepts any value they
 * must not end up being serialised.
 */
export function isInputTooLarge(input: unknown): boolean {
  const stack: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }]
  let values = 1
  let text = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') text += value.length
    else if (typeof value === 'object' && value !== null) {
      // By `length`, not by elements present: one assignment makes an array of four billion holes.
      values += Array.isArray(value) ? value.length : 0
      if (depth >= MAX_DEPTH || values > MAX_VALUES || !isPlain(value)) return true
      for (const name in value) {
        if (!Array.isArray(value)) {
          values += 1
          text += name.length
        }
        if (values > MAX_VALUES) return true
        stack.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 })
      }
    } else if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return true
    if (text > MAX_TEXT) return true
  }
  return false
}

/** By tag, because a value may come from another realm. */
function isPlain(value: object): boolean {
  const tag = Object.prototype.toString.call(value)
  return tag === '[object Object]' || tag === '[object Array]'
}
