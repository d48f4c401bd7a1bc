import { z } from 'zod'
import type { IpcCallFunction } from '../core/agent-socket.ts'
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
import type { IpcDispatcher, CallContext, Handlers } from './app-ports.ts'
import { truncateValue, type ValueBudget } from '../services/value-budget.ts'
import { NodeAbortController } from '../core/node-abort.ts'

/** The limit applies to each caller separately. */
const MAX_PENDING_CALLS = 256

const requestSchema = z.strictObject({
  id: z.string().min(1).max(100),
  method: z.string().max(100),
  input: z.unknown(),
})

interface ClosableDispatcher extends Pick<IpcDispatcher, 'call' | 'cancel' | 'removeCaller'> {
  /** Called when the program ends. */
  removeAllCallers(): void
}

/**
 * Handles all calls of pages. Each request and its input are parsed as untrusted data, and errors
 * of a handler are returned as data. `conceal` removes tokens from the reply. `cancel` and
 * `removeCaller` abort the signal of the handler.
 */
export function createDispatcher(
  handlers: Handlers,
  log: Log,
  conceal = (text: string): string => text,
): ClosableDispatcher {
  const callsByCaller = new Map<string, Map<string, AbortController>>()

  async function call(caller: string, request: unknown): Promise<CallReply> {
    try {
      const { id, method, input } = parseRequest(request)
      const calls = callsByCaller.get(caller) ?? new Map<string, AbortController>()
      if (calls.has(id)) throw createRefusedError('CALL_DUPLICATE', 'A call with this id was made before.')
      if (calls.size >= MAX_PENDING_CALLS)
        throw createRefusedError('CALLS_TOO_MANY', 'Too many calls are under way at once.')
      const abort = new NodeAbortController()
      calls.set(id, abort)
      callsByCaller.set(caller, calls)
      const running = run(method, input, { signal: abort.signal, caller }).finally(() => {
        // Even a cancelled call is removed only now: a running handler counts towards the limit.
        calls.delete(id)
        if (calls.size === 0 && callsByCaller.get(caller) === calls) callsByCaller.delete(caller)
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
    // A handler accepts the input of its method, which TypeScript cannot infer through a union.
    const handler = handlers[method] as (input: unknown, context: CallContext) => unknown
    return await handler(parsed.data, context)
  }

  function cancelCalls(caller: string): void {
    for (const abort of callsByCaller.get(caller)?.values() ?? []) abort.abort()
  }

  return {
    call,
    cancel(caller, id) {
      if (typeof id === 'string') callsByCaller.get(caller)?.get(id)?.abort()
    },
    removeCaller: cancelCalls,
    removeAllCallers() {
      for (const caller of callsByCaller.keys()) cancelCalls(caller)
    },
  }
}

/** Checks like for a call of a page. The function throws the error of a failed call. */
export function createInternalCalls({ call }: Pick<IpcDispatcher, 'call'>, caller: string): IpcCallFunction {
  let callCount = 0
  return async (method, input) => {
    const reply = await call(caller, { id: String((callCount += 1)), method, input })
    if (!reply.ok) throw fromWireError(reply.error)
    // The handlers run in this process, so their results have the declared types.
    return reply.value as IpcOutput<typeof method>
  }
}

/** Rejects with `CANCELLED` as soon as the signal aborts; otherwise settles like `running`. */
function rejectOnAbort(running: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(createCancelledError())
    }
    signal.addEventListener('abort', onAbort, { once: true })
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
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

/** Names the invalid paths, but no values, because a value could be a token. */
function createInvalidInputError(error: z.ZodError): AppError {
  const paths = error.issues.slice(0, 5).map(({ path }) => path.map(String).join('.').slice(0, 100) || 'input')
  const places = [...new Set(paths)].join(', ')
  return createRefusedError('INPUT_INVALID', `The input is invalid at: ${places}.`, { places })
}

/** Replies of the services are smaller, and responses of hosts have lower limits. */
const REPLY_BUDGET: ValueBudget = { maxValues: 2_000_000, maxChars: 128 * 1024 * 1024, maxDepth: 1_200 }

/**
 * Removes every known token from the texts of a reply, because hosts may return a token in
 * unexpected places and even in responses to requests without that token. Bytes stay as they are.
 */
export function concealTokens(value: unknown, conceal: (text: string) => string): unknown {
  return truncateValue(value, REPLY_BUDGET, conceal)
}

const MAX_DEPTH = 32
const MAX_VALUES = 200_000
const MAX_TEXT_CHARS = 16 * 1024 * 1024

/**
 * Returns true for input that is deeper or larger than any valid input. The check runs before any
 * schema, without recursion and copies, so that a hostile value exhausts neither stack nor heap.
 * Values that are not JSON (a Map, a bigint, bytes: Electron's structured clone carries them) also
 * count as too large, because no valid input contains them and they must not be serialised where
 * the contract accepts any value.
 */
export function isInputTooLarge(input: unknown): boolean {
  const stack: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }]
  let values = 1
  let textChars = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') textChars += value.length
    else if (typeof value === 'object' && value !== null) {
      // Not elements: a single assignment can create an array of four billion holes.
      values += Array.isArray(value) ? value.length : 0
      if (depth >= MAX_DEPTH || values > MAX_VALUES || !isPlain(value)) return true
      for (const name in value) {
        if (!Array.isArray(value)) {
          values += 1
          textChars += name.length
        }
        if (values > MAX_VALUES) return true
        stack.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 })
      }
    } else if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return true
    if (textChars > MAX_TEXT_CHARS) return true
  }
  return false
}

/** Compares tags instead of constructors, because a value may come from a different realm. */
function isPlain(value: object): boolean {
  const tag = Object.prototype.toString.call(value)
  return tag === '[object Object]' || tag === '[object Array]'
}
