import type { Operation } from '../../shared/ipc/operations.ts'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import type { ExitName } from '../../shared/program-exits.ts'
import type { Io } from '../base/io.ts'
import type { ConnectedSession } from '../base/session.ts'

const MAX_WAIT_MS = 24 * 3_600_000

/**
 * Waits until the service no longer watches a record, `maxWaitMs` have passed, or the signal is
 * aborted.
 * @returns the record after that
 */
export async function waitForOutcome(
  { call, app }: ConnectedSession,
  record: Operation,
  io: Io,
  signal: AbortSignal,
  maxWaitMs = MAX_WAIT_MS,
): Promise<Operation> {
  const { id } = record.summary
  let current = record
  const waitAbort = new AbortController()
  const timer = setTimeout(() => waitAbort.abort(), maxWaitMs)
  const stop = (): void => waitAbort.abort()
  signal.addEventListener('abort', stop, { once: true })
  let notifyChange = (): void => undefined
  let change = new Promise<void>((resolve) => (notifyChange = resolve))
  const unsubscribe = app.dispatcher.subscribe(({ topic }) => {
    if (topic === 'operations.changed') notifyChange()
  })
  waitAbort.signal.addEventListener('abort', () => notifyChange(), { once: true })
  try {
    while (isWatched(current) && !waitAbort.signal.aborted) {
      const { observations, tracking } = current.summary
      io.showProgress(
        tracking === 'polling' ? `waiting for the outcome, looked ${observations} times` : 'waiting for the host',
      )
      await change
      change = new Promise<void>((resolve) => (notifyChange = resolve))
      if (waitAbort.signal.aborted) break
      current = await call('operations.get', { id })
    }
    return current
  } finally {
    io.showProgress(null)
    unsubscribe()
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const isWatched = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'

const verdicts: Readonly<Record<OperationVerdict['code'], readonly [ExitName, string]>> = {
  'in-progress': ['open', 'On its way: nothing is known yet.'],
  'saved-and-verified': ['ok', 'Saved and verified.'],
  'saved-unverified': ['ok', 'The host reports it saved; nothing that can be read again confirms it.'],
  'unsaid-but-verified': ['ok', 'The host did not say that it was written, but it reads back as it was sent.'],
  'session-recorded': ['ok', 'The session record shows this command. That says nothing about the canvas.'],
  'saved-but-differs': ['unsaved', 'The host reports it saved, but it reads back differently.'],
  'settled-not-saved': ['unsaved', 'It ended, and no snapshot was verified.'],
  'saved-not-current': ['unsaved', 'A snapshot was verified, but was no longer the current one.'],
  'settled-contradictory': ['unsaved', 'The host reports a failure together with a verified snapshot.'],
  'session-other': ['unsaved', 'The session record names another command.'],
  'session-none': ['unsaved', 'There is no practice session.'],
  'settled-unverified': ['open', 'It ended; the host did not say whether a snapshot was verified.'],
  'accepted-only': ['open', 'Only accepted: the outcome is not known.'],
  'no-confirmation-exists': [
    'open',
    'Only the session record was written; this host has no route that could confirm more.',
  ],
  'unknown-not-read-back': ['open', 'Unknown, and nothing could be read back.'],
  'unknown-changed': ['open', 'Not confirmed; what it touches has changed.'],
  'unknown-unchanged': ['open', 'Not confirmed; what it touches is unchanged.'],
  'nothing-sent': ['offline', 'Nothing reached the host.'],
  refused: ['host', 'The host refused it.'],
  'refused-unchanged': ['host', 'The host refused it, and what it touches is unchanged.'],
  'refused-changed': ['host', 'The host refused it, and yet what it touches has changed.'],
}

export const getVerdictText = (code: OperationVerdict['code']): string => verdicts[code][1]

/** For navigation, the host's response is the only possible proof. */
export function getExitName({ summary, events }: Operation, access: 'write' | 'navigate' | 'task'): ExitName {
  const responseEvent = events.find((event) => event.kind === 'answer')
  const isAccepted =
    responseEvent !== undefined &&
    responseEvent.status >= 200 &&
    responseEvent.status < 300 &&
    summary.errorCode === null
  if (access === 'navigate' && isAccepted) return 'ok'
  const [exit] = verdicts[summary.verdict.code]
  return exit === 'host' && responseEvent?.status === 401 ? 'token' : exit
}
