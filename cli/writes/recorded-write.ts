import { matchCallTarget, type CallTarget } from '../../shared/bridge/call-target.ts'
import { DEMO_HOST_HEADER } from '../../shared/bridge/resources/state.ts'
import { createRefusedError } from '../../shared/errors.ts'
import { findHeader } from '../../electron/core/recordings/replay/replay-timeline.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import type { CommandContext } from '../base/command.ts'
import type { ConnectedSession } from '../base/session.ts'
import { waitForOutcome } from './verdict.ts'
import { toWriteDraft } from './write-draft.ts'
import { confirmWrite, type WriteOptions } from './write.ts'

/** The reads after a write wait for its outcome, but no longer than this. */
const MAX_OUTCOME_WAIT_MS = 30_000

/** @throws NOT_A_DEMO_HOST unless the host says in its status that it is a demo */
export async function assertDemoHost({ call }: ConnectedSession): Promise<void> {
  const { seq } = await call('traffic.send', { method: 'GET', path: '/status', body: null })
  const { responseHeaders } = await call('traffic.exchange', { seq })
  if (findHeader(responseHeaders, DEMO_HOST_HEADER) !== null) return
  throw createRefusedError(
    'NOT_A_DEMO_HOST',
    'The host does not say that it is a demo, and recorded writes are sent to no other. Nothing of the recording was asked or sent.',
  )
}

/**
 * Sends a recorded write as every write of the command line is sent, and waits for its outcome.
 * @returns the exchange, or a text that says why there is none
 * @throws NOT_JOURNALED, NOT_CONFIRMED
 */
export async function sendRecordedWrite(
  { io, signal }: CommandContext,
  session: ConnectedSession,
  request: { readonly method: string; readonly path: string; readonly bodyText: string | null },
  { targets, ...options }: Pick<WriteOptions, 'yes'> & { readonly targets: readonly CallTarget[] },
): Promise<ExchangeDetail | string> {
  const { method, path, bodyText } = request
  const { call } = session
  const match = matchCallTarget(method, path, targets)
  const draft = toWriteDraft(match, path, bodyText)
  const prepared = await call('operations.prepare', { ...draft, caller: 'command-line' })
  await confirmWrite(io, prepared, options, signal)
  const sentRecord = await call('operations.send', { ticket: prepared.ticket })
  const { summary, events } = await waitForOutcome(session, sentRecord, io, signal, MAX_OUTCOME_WAIT_MS)
  const responseEvent = events.find((event) => event.kind === 'answer')
  if (responseEvent === undefined) return `${summary.failureCode ?? 'NETWORK'}: The host did not answer.`
  return call('traffic.exchange', { id: responseEvent.exchangeId })
}
