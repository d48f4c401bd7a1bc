import { randomUUID } from 'node:crypto'
import type { AppError } from '../../../../shared/errors.ts'
import { createAgents, destroyAgents } from '../wire/agents.ts'
import { judgeAnswer, parsed } from './answer.ts'
import { exchange, type WireAnswer } from '../wire/exchange.ts'
import { assertUnlocked } from './gate.ts'
import { maskBytes } from '../../mask/mask.ts'
import { metaOf, prepare, type Call } from './prepare.ts'
import { repeatedly } from './retry.ts'
import { sealed } from '../wire/seal.ts'
import { sendOnce } from './once.ts'
import { openAnswer } from './stream.ts'
import type { BridgeAnswer, BridgeClient, BridgeRequest, BridgeTarget, Exchange, Limits } from '../types.ts'

interface ClientOptions {
  /** Read for each request, so that a changed setting takes effect at once. */
  readonly limits: () => Limits
  /** Called with every exchange when it has ended, including those that are repeated. */
  readonly onExchange?: (exchange: Exchange) => void
  /** Called before a write is sent, and again when it is over: what was read earlier may be stale. */
  readonly onWrite?: (request: BridgeRequest) => void
  /** The app's version, for `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
}

/** Default limit in bytes for answers that the service itself reads. */
const OWN_BYTES = 8 * 1024 * 1024

/** Passes the same checks as a token, and cannot be confused with anything else in a header. */
const STANDS_FOR_TOKEN = 'x'.repeat(40)
const shownRequest = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(STANDS_FOR_TOKEN, '••••')]))

/** The one request path to a host; see `BridgeClient`. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createAgents()
  const userAgent = `bridge-inspector/${options.version ?? '0'}`

  async function attempt(call: Call, number: number): Promise<BridgeAnswer> {
    const { target, asked, path, wire } = call
    const { endpoint } = asked
    const id = randomUUID()
    const startedAt = Date.now()
    const started = performance.now()
    let answer: WireAnswer | null = null
    let failure: AppError | null = null
    try {
      answer = await exchange(wire, agents)
      judgeAnswer(endpoint, answer, wire.url)
    } catch (thrown) {
      failure = sealed(thrown, target.token, id)
    }
    const durationMs = performance.now() - started
    const status = answer?.status ?? null
    options.onExchange?.({
      id,
      endpoint: endpoint.id,
      method: endpoint.method,
      path,
      attempt: number,
      startedAt,
      durationMs,
      status,
      bytes: answer?.bytes.byteLength ?? 0,
      error: failure && { kind: failure.kind, ...(failure.code === undefined ? {} : { code: failure.code }) },
    })
    if (failure) throw failure
    if (answer === null) throw new Error('an exchange ended with neither answer nor failure')
    const masked = endpoint.response.kind === 'binary' ? 0 : maskBytes(answer.bytes, target.token, true)
    const meta = metaOf(call, id, answer, durationMs, answer.bytes.byteLength)
    return { bytes: answer.bytes, meta: { ...meta, ...(masked > 0 ? { masked } : {}) } }
  }

  async function request(target: BridgeTarget, asked: BridgeRequest): Promise<BridgeAnswer> {
    assertUnlocked(asked.endpoint, target.readOnly, asked.body)
    const limits = { ...options.limits(), ...asked.limits }
    const call = prepare(target, asked, limits, userAgent)
    return repeatedly(asked, (number) => attempt(call, number))
  }

  return {
    request,
    async requestJson(target, asked) {
      const maxBytes = Math.min(options.limits().maxBytes, OWN_BYTES)
      const { bytes, meta } = await request(target, { ...asked, limits: { maxBytes, ...asked.limits } })
      try {
        return { value: parsed(meta.status, meta.contentType, bytes, asked.maxValues), meta }
      } catch (thrown) {
        throw sealed(thrown, target.token, meta.exchangeId)
      }
    },
    async stream(target, asked) {
      assertUnlocked(asked.endpoint, target.readOnly, asked.body)
      const limits = { ...options.limits(), ...asked.limits }
      const call = prepare(target, asked, limits, userAgent, { range: asked.range ?? null })
      return repeatedly(asked, (number) => openAnswer(call, number, agents, options.onExchange))
    },
    async once(target, asked) {
      assertUnlocked(asked.endpoint, target.readOnly, asked.body)
      const call = prepare(target, asked, { ...options.limits(), ...asked.limits }, userAgent)
      const writes = asked.endpoint.access === 'write'
      if (writes) options.onWrite?.(asked)
      const outcome = await sendOnce(call, agents, options.onExchange)
      if (writes) options.onWrite?.(asked)
      return outcome
    },
    describe(target, asked) {
      const masked = { ...target, token: target.token === null ? null : STANDS_FOR_TOKEN }
      const { path, wire } = prepare(masked, asked, options.limits(), userAgent)
      return { method: wire.method, path, headers: shownRequest(wire.headers), body: wire.body?.toString() ?? null }
    },
    close: () => destroyAgents(agents),
  }
}
