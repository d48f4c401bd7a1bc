import { AppError } from '../../../../shared/errors.ts'
import type { AllowList, GateChange, PanelCall, PanelWrites } from '../../../../shared/panel/panel.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoint.ts'
import { accessOf } from '../../bridge/client/access.ts'
import { parsedBody } from '../../../../shared/operations/body.ts'
import type { ExchangeRecorder } from '../../bridge/types.ts'
import type { Here } from '../../operations/here.ts'
import type { PanelCalls } from '../calls.ts'
import type { AppliedOverrides, PanelAnswer, PanelRequest } from '../types.ts'
import { isAllowed } from './allow.ts'
import { errorAnswer, responseOf } from './answer.ts'
import { readCall, MOST_BODY, type PageCall } from './call.ts'
import { gateHeaders } from './headers.ts'
import { isNeverAllowed, rowFor } from './row.ts'
import { recordLocal } from './local.ts'
import { gatePath, type GatePath } from './path.ts'

/** What became of a call. */
export interface Outcome {
  readonly answer: PanelAnswer
  /** Null where the host was not asked. */
  readonly exchangeId: string | null
  readonly decision: PanelCall['decision']
  readonly reason: string
  readonly changes?: readonly GateChange[]
  readonly operationId?: string | null
}

/** A call that may go on to the host. */
export interface Passing {
  readonly call: PageCall
  readonly path: GatePath
  readonly row: Endpoint
  readonly here: Here
  readonly signal: AbortSignal
  /** The name of the panel. */
  readonly label: string
}

interface GateOptions {
  readonly allow: () => AllowList
  readonly writes: () => PanelWrites
  readonly label: () => string
  /** Null where no host is connected. */
  readonly here: () => Here | null
  readonly overrides: AppliedOverrides
  readonly read: (passing: Passing) => Promise<Outcome>
  readonly write: (passing: Passing, how: PanelWrites) => Promise<Outcome>
  readonly recorder: ExchangeRecorder
  readonly calls: PanelCalls
}

/** Answers calls of the page; `ended` ends them all. */
export type Gate = (request: Request, ended: AbortSignal) => Promise<Response>

const OUTSIDE = 'A path outside the web-panel allow-list returns 403 IN_PROCESS_NOT_ALLOWED (spec §5.4).'

/** The gate of a panel: decides what of its calls reaches the host (spec §5). What the allow-list does not name never does. */
export function createGate(options: GateOptions): Gate {
  const { allow, label, overrides, recorder, calls } = options

  return async (request, ended) => {
    const startedAt = Date.now()
    const call = await readCall(request)
    const signal = AbortSignal.any([request.signal, ended])
    const path = gatePath(call.path)
    const outcome = await decide(call, path, signal)
    if (signal.aborted && outcome.exchangeId === null) return Response.error()
    const exchangeId = outcome.exchangeId ?? recorded(call, path, outcome, startedAt)
    const { changes } = gateHeaders(call.headers)
    calls.begin({ ...outcome, exchangeId, at: startedAt, call, changes: [...changes, ...(outcome.changes ?? [])] })
    return responseOf(calls.follow(exchangeId, outcome.answer), request.method)
  }

  async function decide(call: PageCall, path: GatePath | null, signal: AbortSignal): Promise<Outcome> {
    if (path === null) return outside('The path can be read in more than one way, so no list can name it.')
    if (call.body === null && call.bodyBytes > 0) return tooLarge
    const rule = overrides.ruleFor(call.method, path.path + path.query)
    if (!rule) return toHost(call, path, signal)
    let asked: Outcome | null = null
    const ask = async (): Promise<PanelAnswer> => {
      asked = await toHost(call, path, signal)
      return asked.answer
    }
    const answer = await overrides.answer(rule, requestOf(call, path, signal), ask)
    const host = asked as Outcome | null
    const change: GateChange = { where: 'answer', member: '', from: null, to: rule.name, why: 'override' }
    return {
      ...(host ?? { operationId: null }),
      answer,
      exchangeId: host?.exchangeId ?? null,
      decision: 'override',
      reason: rule.name,
      changes: [...(host?.changes ?? []), change],
    }
  }

  async function toHost(call: PageCall, path: GatePath, signal: AbortSignal): Promise<Outcome> {
    if (!isAllowed(allow(), call.method, path)) return outside(OUTSIDE)
    const here = options.here()
    const row = rowFor(call.method, path, here)
    if (isNeverAllowed(row, path)) return outside(`${OUTSIDE} What hands out a token is on no list.`)
    if (here === null) {
      return notSent(503, 'NOT_CONNECTED', 'The inspector is not connected to a host.')
    }
    const passing = { call, path, row, here, signal, label: label() }
    try {
      const reads = accessOf(row, parsedBody(call.body?.toString() ?? null)) === 'read'
      return await (reads ? options.read(passing) : options.write(passing, options.writes()))
    } catch (error) {
      return failed(error)
    }
  }

  function recorded(
    call: PageCall,
    path: GatePath | null,
    { answer, decision, reason }: Outcome,
    startedAt: number,
  ): string {
    const here = options.here()
    const endpoint = rowFor(call.method, path, here)
    const origin = { kind: 'panel' as const, label: label() }
    const rule = decision === 'override' ? reason : decision
    return recordLocal(recorder, { call, endpoint, origin, target: here?.target ?? null, rule, startedAt }, answer)
  }
}

const outside = (reason: string): Outcome => ({
  answer: errorAnswer(403, 'IN_PROCESS_NOT_ALLOWED', 'The path is not in the web-panel allow-list.'),
  exchangeId: null,
  decision: 'not-allowed',
  reason,
})

export const notSent = (status: number, code: string, message: string): Outcome => ({
  answer: errorAnswer(status, code, message),
  exchangeId: null,
  decision: 'not-sent',
  reason: message,
})

const tooLarge = notSent(
  413,
  'BODY_TOO_LARGE',
  `The body is larger than ${MOST_BODY / 1_048_576} MB. Nothing was sent.`,
)

/** What the page sees of a call that got no answer: an error where nothing was sent, otherwise a broken connection. */
function failed(error: unknown): Outcome {
  if (!(error instanceof AppError)) throw error
  const { kind, code = 'REFUSED', message, exchangeId = null } = error.wire
  if (kind === 'refused') {
    const refusal = errorAnswer(code === 'READ_ONLY' ? 403 : 400, code, message)
    return {
      answer: refusal,
      exchangeId,
      decision: code === 'READ_ONLY' ? 'write-refused' : 'not-sent',
      reason: message,
    }
  }
  return { answer: { kind: 'broken' }, exchangeId, decision: 'passed', reason: message }
}

const requestOf = (
  { method, headers, body, via }: PageCall,
  { path, query }: GatePath,
  signal: AbortSignal,
): PanelRequest => ({
  method,
  path: path + query,
  headers,
  body,
  signal,
  api: via === 'host.api',
})
