import { isWatched, type Operation } from '../../shared/ipc/operations.ts'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import type { ExitName } from '../../electron/system/program-exits.ts'
import type { Io } from '../base/io.ts'
import type { ConnectedSession } from '../base/session.ts'

const MAX_WAIT_MS = 24 * 3_600_000

/** Returns the record once the service stops watching it, `maxWaitMs` have passed or on abort. */
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
    while (isWatched(current.summary) && !waitAbort.signal.aborted) {
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

const exits: Readonly<Record<OperationVerdict['code'], ExitName>> = {
  'in-progress': 'open',
  'saved-and-verified': 'ok',
  'saved-unverified': 'ok',
  'unsaid-but-verified': 'ok',
  'session-recorded': 'ok',
  'session-settled': 'ok',
  'saved-but-differs': 'unsaved',
  'settled-not-saved': 'unsaved',
  'settled-contradictory': 'unsaved',
  'session-other': 'unsaved',
  'session-none': 'unsaved',
  'settled-unverified': 'open',
  'accepted-only': 'open',
  'no-confirmation-exists': 'open',
  'unknown-not-read-back': 'open',
  'unknown-changed': 'open',
  'unknown-unchanged': 'open',
  'nothing-sent': 'offline',
  refused: 'host',
  'refused-unchanged': 'host',
  'refused-changed': 'host',
}

/** For navigation, the host's response is the only possible proof. */
export function getExitName({ summary, events }: Operation, access: 'write' | 'navigate' | 'task'): ExitName {
  const responseEvent = events.find((event) => event.kind === 'answer')
  const isAccepted =
    responseEvent !== undefined &&
    responseEvent.status >= 200 &&
    responseEvent.status < 300 &&
    summary.errorCode === null
  if (access === 'navigate' && isAccepted) return 'ok'
  const { code, persisted } = summary.verdict
  const exit = code === 'session-settled' && persisted === false ? 'unsaved' : exits[code]
  return exit === 'host' && responseEvent?.status === 401 ? 'token' : exit
}
