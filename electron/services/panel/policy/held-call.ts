import { Readable } from 'node:stream'
import { HELD_MARK, type HoldRecord } from '../../../../shared/panel/breakpoints.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import type { CallHolds } from '../../breakpoints/breakpoints.ts'
import type { HeldContent } from '../../breakpoints/held-message.ts'
import type { PageCall } from '../call/page-call.ts'
import type { PanelResponse } from '../call/types.ts'
import { filterRequestHeaders } from './call-headers.ts'
import type { CallOutcome } from './call-outcome.ts'

export interface HeldCallOptions {
  readonly holds: CallHolds
  readonly signal: AbortSignal
  /** Applies the policy to the call, also to one that a person has edited. */
  readonly decide: (call: PageCall) => Promise<CallOutcome>
}

/**
 * Decides a call that reaches a breakpoint. An edited request goes through the same policy and
 * review as the page's own. Only responses of the host and of overrides are held, not refusals.
 */
export async function decideHeldCall(call: PageCall, options: HeldCallOptions): Promise<CallOutcome> {
  const { holds, signal } = options
  const request: HeldContent = { headers: filterRequestHeaders(call.headers).passed, body: call.body }
  if (!holds.isRequestHeld) {
    // A breakpoint for errors only may never hold this call.
    const markedCall = holds.shouldHoldResponse(200) ? { ...call, mark: HELD_MARK } : call
    return holdResponse(await options.decide(markedCall), request, options)
  }
  const result = await holds.hold({ point: 'request', request, response: null }, signal)
  if (result.kind === 'gone') return GONE_OUTCOME
  if (result.kind === 'fail') return FAILED_OUTCOME
  if (result.kind === 'answer') return { ...createByHandOutcome(result.content), exchangeId: null }
  const { content, edited } = result
  const headers = edited.includes('headers') ? content.headers : call.headers
  const bodyBytes = content.body?.byteLength ?? 0
  const { method = call.method, path = call.path, body } = content
  const outcome = await options.decide({ ...call, method, path, headers, body, bodyBytes, mark: HELD_MARK })
  const changes = listEdits('request', { ...request, method: call.method, path: call.path }, content, edited)
  // The page did not ask for the route that was refused.
  const isOtherRoute = outcome.exchangeId === null && (edited.includes('method') || edited.includes('path'))
  return holdResponse(
    {
      ...outcome,
      decision: isOtherRoute ? 'by-hand' : outcome.decision,
      changes: [...changes, ...(outcome.changes ?? [])],
    },
    content,
    options,
  )
}

async function holdResponse(
  outcome: CallOutcome,
  request: HeldContent,
  { holds, signal }: HeldCallOptions,
): Promise<CallOutcome> {
  const { decision, response: hostResponse } = outcome
  if (hostResponse.kind === 'broken' || (decision !== 'passed' && decision !== 'override')) return outcome
  if (!holds.shouldHoldResponse(hostResponse.status)) return outcome
  const { body } = hostResponse
  const bytes = body instanceof Readable ? await holds.readResponseBody(hostResponse.status, body, signal) : body
  if (bytes instanceof Readable) return { ...outcome, response: { ...hostResponse, body: bytes } }
  const { status, headers } = hostResponse
  const response = { status, headers, body: bytes }
  const ownChanges = [...(outcome.changes ?? []), ...(hostResponse.getStreamChanges?.() ?? [])]
  const result = await holds.hold({ point: 'response', request, response }, signal)
  if (result.kind === 'gone') return { ...outcome, response: { kind: 'broken' } }
  if (result.kind === 'fail') return { ...outcome, ...FAILED_OUTCOME, exchangeId: outcome.exchangeId }
  if (result.kind === 'answer') return { ...outcome, ...createByHandOutcome(result.content) }
  const { content, edited } = result
  const changes = [...ownChanges, ...listEdits('response', response, content, edited)]
  if (edited.length === 0) {
    const overrideChanges = hostResponse.changes ? { changes: hostResponse.changes } : {}
    return { ...outcome, changes, response: { kind: 'answer', ...response, ...overrideChanges } }
  }
  return {
    ...outcome,
    changes,
    decision: 'by-hand',
    reason: createPanelCallReason('edited-by-hand'),
    response: toPanelResponse({ ...content, status: content.status ?? status }),
  }
}

/** The empty list of changes says that the host's recorded response is a different one. */
const toPanelResponse = ({ status, headers, body }: HeldContent & { readonly status: number }): PanelResponse => ({
  kind: 'answer',
  status,
  headers,
  body,
  changes: [],
})

const createByHandOutcome = (
  content: HeldContent & { readonly status: number },
): Pick<CallOutcome, 'decision' | 'reason' | 'response'> => ({
  decision: 'by-hand',
  reason: createPanelCallReason('answered-by-hand'),
  response: toPanelResponse(content),
})

const FAILED_OUTCOME: CallOutcome = {
  response: { kind: 'broken' },
  exchangeId: null,
  decision: 'by-hand',
  reason: createPanelCallReason('failed-by-hand'),
}

const GONE_OUTCOME: CallOutcome = {
  response: { kind: 'broken' },
  exchangeId: null,
  decision: 'not-sent',
  reason: createPanelCallReason('given-up'),
}

const MAX_SHOWN_CHARS = 2_000

/** Without the body, which is that of the request or of the response. */
const EDITED_PLACES: Partial<Record<HoldRecord['edited'][number], PanelCallChange['where']>> = {
  method: 'path',
  path: 'path',
  status: 'answer',
  headers: 'header',
}

/** Lists what a person edited like the changes of the policy. */
function listEdits(
  point: 'request' | 'response',
  from: HeldContent,
  to: HeldContent,
  edited: HoldRecord['edited'],
): PanelCallChange[] {
  const body = point === 'request' ? 'body' : 'answer'
  const describe = {
    method: ({ method }: HeldContent): string | null => method ?? null,
    path: ({ path }: HeldContent): string | null => path ?? null,
    status: ({ status }: HeldContent): string | null => (status === undefined ? null : String(status)),
    headers: ({ headers }: HeldContent): string => headers.map((header) => header.join(': ')).join('\n'),
    body: (content: HeldContent): string | null => content.body?.toString() ?? null,
  }
  return edited.map((part) => ({
    where: EDITED_PLACES[part] ?? body,
    member: part === 'body' || part === 'path' ? '' : part,
    from: describe[part](from)?.slice(0, MAX_SHOWN_CHARS) ?? null,
    to: describe[part](to)?.slice(0, MAX_SHOWN_CHARS) ?? null,
    why: 'edited-by-hand',
  }))
}
