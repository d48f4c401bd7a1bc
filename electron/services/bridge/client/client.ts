import type { AppError } from '../../../../shared/errors.ts'
import { createAgents, destroyAgents } from '../wire/agents.ts'
import { hostCodeOf, judgeAnswer, parsed } from './answer.ts'
import { exchange, type WireAnswer, type WireRequest } from '../wire/exchange.ts'
import { assertRead, assertUnlocked } from './gate.ts'
import { maskBytes } from '../../mask/mask.ts'
import { metaOf, prepare, type Call } from './prepare.ts'
import { createRelay } from './relay.ts'
import { repeatedly } from './retry.ts'
import { sealed } from '../wire/tls.ts'
import { sendOnce } from './once.ts'
import { openAnswer } from './stream.ts'
import { Watch } from './watch.ts'
import type { BridgeAnswer, BridgeClient, BridgeRequest, BridgeTarget, ExchangeRecorder, Limits } from '../types.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'

interface ClientOptions {
  /** Keeps a record of every exchange, repeated ones included. */
  readonly recorder?: ExchangeRecorder | undefined
  /** Read for each request, so that a changed setting takes effect at once. */
  readonly limits: () => Limits
  /** Called before a write is sent, and again when it is over: what was read earlier may be stale. */
  readonly onWrite?: (request: BridgeRequest) => void
  /** The app's version, for `User-Agent: bridge-inspector/<version>`. */
  readonly version?: string
}

/** Default limit in bytes for answers that the service itself reads. */
const OWN_BYTES = 8 * 1024 * 1024

/** Passes the same checks as a token, and cannot be confused with anything else in a header. */
const STANDS_FOR_TOKEN = 'x'.repeat(40)
const shownRequest = (headers: WireRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace(STANDS_FOR_TOKEN, '••••')]),
  )

/** The one request path to a host; see `BridgeClient`. */
export function createBridgeClient(options: ClientOptions): BridgeClient {
  const agents = createAgents()
  const userAgent = `bridge-inspector/${options.version ?? '0'}`

  async function attempt(call: Call, watch: Watch): Promise<BridgeAnswer> {
    const { target, asked, wire } = call
    const { endpoint } = asked
    let answer: WireAnswer | null = null
    let failure: AppError | null = null
    try {
      answer = await exchange({ ...wire, trace: watch.trace, onSentAgain: watch.again }, agents)
      judgeAnswer(endpoint, answer, wire.url)
      asked.onArrived?.(answer.bytes)
    } catch (thrown) {
      failure = sealed(thrown, target.token, watch.id)
    }
    const durationMs = watch.trace.elapsedMs
    if (answer) watch.answered(answer, failure)
    else if (failure) watch.failed(failure)
    if (failure) throw failure
    if (answer === null) throw new Error('an exchange ended with neither answer nor failure')
    const masked = endpoint.response.kind === 'binary' ? 0 : maskBytes(answer.bytes, target.token, true)
    const meta = metaOf(call, watch.id, answer, durationMs, answer.bytes.byteLength)
    return { bytes: answer.bytes, meta: { ...meta, ...(masked > 0 ? { masked } : {}) } }
  }

  /** Makes attempts, each with a watch of its own. */
  function attempts<T>(call: Call, one: (watch: Watch) => Promise<T>): Promise<T> {
    let group: string | null = null
    let sentAgain = 0
    return repeatedly(call.asked, async (number) => {
      const watch = new Watch(call, number + sentAgain, group, options.recorder)
      group ??= watch.id
      try {
        return await one(watch)
      } finally {
        sentAgain += watch.sentAgain
      }
    })
  }

  async function request(target: BridgeTarget, asked: BridgeRequest): Promise<BridgeAnswer> {
    assertUnlocked(asked.endpoint, target.readOnly, asked)
    const limits = { ...options.limits(), ...asked.limits }
    const call = prepare(target, asked, limits, userAgent)
    return attempts(call, (watch) => attempt(call, watch))
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
      assertUnlocked(asked.endpoint, target.readOnly, asked)
      const limits = { ...options.limits(), ...asked.limits }
      const call = prepare(target, asked, limits, userAgent, { range: asked.range ?? null })
      return attempts(call, (watch) => openAnswer(call, watch, agents))
    },
    async once(target, asked) {
      assertUnlocked(asked.endpoint, target.readOnly, asked)
      const call = prepare(target, asked, { ...options.limits(), ...asked.limits }, userAgent)
      const writes = asked.endpoint.access === 'write'
      if (writes) options.onWrite?.(asked)
      const outcome = await sendOnce(call, agents, new Watch(call, 1, null, options.recorder))
      if (writes) options.onWrite?.(asked)
      return outcome
    },
    async ask(target, asked) {
      assertRead(asked.endpoint, asked)
      const call = prepare(target, asked, { ...options.limits(), ...asked.limits }, userAgent)
      const watch = new Watch(call, 1, null, options.recorder)
      const { id, trace } = watch
      try {
        const answer = await exchange({ ...call.wire, trace, repeatable: false, json: false }, agents)
        watch.answered(answer, null, hostCodeOf(asked.endpoint, answer, call.wire.url))
        return id
      } catch (thrown) {
        const failure = sealed(thrown, target.token, id)
        watch.failed(failure)
        throw failure
      }
    },
    describe(target, asked) {
      const masked = { ...target, token: target.token === null ? null : STANDS_FOR_TOKEN }
      const { path, wire } = prepare(masked, asked, options.limits(), userAgent)
      return { method: wire.method, path, headers: shownRequest(wire.headers), body: wire.body?.toString() ?? null }
    },
    relay: createRelay({ ...options, agents }),
    close: () => destroyAgents(agents),
  }
}

/** Of what the connection itself needs to know. */
export const ownOrigin: Origin = { kind: 'connection', label: null }

/** A client for one cause: its requests name `origin`, unless they name another one themselves. */
export function causedBy(client: BridgeClient, origin: Origin): BridgeClient {
  return {
    request: (target, request) => client.request(target, { origin, ...request }),
    requestJson: (target, request) => client.requestJson(target, { origin, ...request }),
    stream: (target, request) => client.stream(target, { origin, ...request }),
    once: (target, request) => client.once(target, { origin, ...request }),
    ask: (target, request) => client.ask(target, { origin, ...request }),
    relay: (target, request) => client.relay(target, request),
    describe: (target, request) => client.describe(target, request),
    close: () => client.close(),
  }
}
