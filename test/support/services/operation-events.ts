import type { OperationEvent } from '../../../shared/operations/operation-events.ts'

export const PENCIL = 'writing.pencilCommit'
export const SESSION = 'writing.sessionReserve'
export const PLAIN = 'notes.title'

/** Events of operations, as short as a transition table needs them. */
export const intent: OperationEvent = { kind: 'intent', at: 1 }
export const sentEvent: OperationEvent = { kind: 'sent', at: 2 }
export const respond = (body: unknown, status = 200): OperationEvent => ({
  kind: 'answer',
  at: 3,
  status,
  body,
  cut: false,
  durationMs: 1,
  exchangeId: 'x',
  instanceNonce: 'n',
})
export const respondError = (code: string, status: number): OperationEvent =>
  respond({ error: { code, message: 'm' } }, status)
export const ack = respond({ state: 'pending', ready: false, windowId: 'w', receipt: null }, 202)
export const sessionAck = respond({
  state: 'accepted',
  outcome: 'pending',
  settled: false,
  persisted: true,
})
export const fail = (reached: 'no' | 'maybe'): OperationEvent => ({
  kind: 'failure',
  at: 3,
  reached,
  error: null,
})
export const appEnded: OperationEvent = { kind: 'app-ended', at: 5 }

export const pollResult = (body: unknown, status = 200): OperationEvent => ({
  kind: 'observation',
  at: 4,
  source: 'pencil-result',
  status,
  body,
  cut: false,
  exchangeId: 'x',
  matches: null,
})
export const observeSession = (matches: boolean | null, body: unknown = { requestId: 'r' }): OperationEvent => ({
  kind: 'observation',
  at: 4,
  source: 'session-record',
  status: 200,
  body,
  cut: false,
  exchangeId: 'x',
  matches,
})
export const recordGone: OperationEvent = { kind: 'record-gone', at: 5, status: 404, body: null }
export const recordGoneInSameRun: OperationEvent = { ...recordGone, sameRun: true }
export const hostRestarted: OperationEvent = { kind: 'host-restarted', at: 5, from: 'a', to: 'b' }
export const giveUp = (by: 'person' | 'time-limit' | 'no-confirmation' = 'person'): OperationEvent => ({
  kind: 'given-up',
  at: 6,
  by,
})
export const resumedEvent: OperationEvent = { kind: 'resumed', at: 7 }
export const readBack = (when: 'before' | 'after' | 'asked', facts: unknown): OperationEvent => ({
  kind: 'read-back',
  at: 8,
  when,
  facts,
  error: null,
  instanceNonce: 'n',
})
