import type { Operation } from '../../shared/ipc/operations.ts'
import type { Io } from '../io/io.ts'
import type { Opened } from '../session/session.ts'

const LONGEST_MS = 24 * 3_600_000

/**
 * Waits until a record is not watched any more, or until `ms` have passed, or the signal is aborted; the service does the watching. Returns the
 * record as it is then.
 */
export async function untilSettled(
  { call, app }: Opened,
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
  const unsubscribe = app.door.subscribe(({ topic }) => {
    if (topic === 'operations.changed') tell()
  })
  ended.signal.addEventListener('abort', () => tell(), { once: true })
  try {
    while (isWatched(now) && !ended.signal.aborted) {
      const { observations, tracking } = now.summary
      io.progress(
        tracking === 'polling' ? `waiting for the outcome, looked ${observations} times` : 'waiting for the host',
      )
      await changed
      changed = new Promise<void>((resolve) => (tell = resolve))
      if (ended.signal.aborted) break
      now = await call('operations.get', { id })
    }
    return now
  } finally {
    io.progress(null)
    unsubscribe()
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const isWatched = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'
