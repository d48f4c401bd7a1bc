import type { Operation } from '../../shared/ipc/operations.ts'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import type { ExitName } from '../../shared/program-exits.ts'
import type { Io } from '../base/io.ts'
import type { ConnectedSession } from '../base/session.ts'

const LONGEST_MS = 24 * 3_600_000

/**
 * Waits until a record is not watched any more, or until `ms` have passed, or the signal is aborted; the service does the watching. Returns the
 * record as it is then.
 */
export async function waitForOutcome(
  { call, app }: ConnectedSession,
  record: Operation,
  io: Io,
  signal: AbortSignal,
  ms = LONGEST_MS,
): Promise<Operation> {
  const { id } = record.summary
  let now = record
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), ms)
  const stop = (): void => ended.abort()
  signal.addEventListener('abort', stop, { once: true })
  let tell = (): void => undefined
  let changed = new Promise<void>((resolve) => (tell = resolve))
  const unsubscribe = app.dispatcher.subscribe(({ topic }) => {
    if (topic === 'operations.changed') tell()
  })
  ended.signal.addEventListener('abort', () => tell(), { once: true })
  try {
    while (isWatched(now) && !ended.signal.aborted) {
      const { observations, tracking } = now.summary
      io.showProgress(
        tracking === 'polling' ? `waiting for the outcome, looked ${observations} times` : 'waiting for the host',
      )
      await changed
      changed = new Promise<void>((resolve) => (tell = resolve))
      if (ended.signal.aborted) break
      now = await call('operations.get', { id })
    }
    return now
  } finally {
    io.showProgress(null)
    unsubscribe()
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const isWatched = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'

/** What each verdict means for whoever waits for it, and in words. */
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

/** How a command ends whose write has this record. Something shown on a screen proves nothing more than the host’s answer. */
export function getExitName({ summary, events }: Operation, access: 'write' | 'navigate' | 'task'): ExitName {
  const answer = events.find((event) => event.kind === 'answer')
  const good = answer !== undefined && answer.status >= 200 && answer.status < 300 && summary.errorCode === null
  if (access === 'navigate' && good) return 'ok'
  const [exit] = verdicts[summary.verdict.code]
  return exit === 'host' && answer?.status === 401 ? 'token' : exit
}
