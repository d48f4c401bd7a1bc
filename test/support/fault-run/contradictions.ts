import type { DemoLogEntry } from '../../../electron/demo-host/request-handler.ts'
import type { OperationState } from '../../../shared/operations/operation-events.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { identityOf } from './commands.ts'

/** Checks records against the host's log; returns a sentence for each contradiction. */
export function listContradictions(records: readonly Operation[], log: readonly DemoLogEntry[]): string[] {
  const problems: string[] = []
  const received = new Map<string, DemoLogEntry[]>()
  for (const entry of log) {
    if (entry.body === null) continue
    const identity = identityOf(entry.path, entry.body)
    received.set(identity, [...(received.get(identity) ?? []), entry])
  }
  const recordsByIdentity = new Map(records.map((record) => [identityOf(record.path, record.body), record]))
  for (const [identity, entries] of received) {
    if (entries.length > 1) problems.push(`${identity} reached the host ${entries.length} times`)
    if (!recordsByIdentity.has(identity)) problems.push(`${identity} reached the host and has no record`)
  }
  for (const [identity, record] of recordsByIdentity) {
    const [entry] = received.get(identity) ?? []
    const { state, verdict } = record.summary
    const complaint = findStateError(state, entry) ?? findVerdictError(record, entry)
    if (complaint !== null) problems.push(`${identity}: ${state}, ${verdict.code}, but ${complaint}`)
  }
  return problems
}

/** Why a state is wrong; null if it is right. */
function findStateError(state: OperationState, entry: DemoLogEntry | undefined): string | null {
  switch (state) {
    case 'prepared':
    case 'sent':
      return 'the run is over'
    case 'not-sent':
      return entry ? 'the host received it' : null
    case 'persisted':
    case 'settled':
    case 'recorded':
      return entry?.isExecuted ? null : 'the host did not execute it'
    case 'pending':
      return 'nobody watches it any more'
    case 'conflict':
      return 'no request id was used twice'
    case 'refused':
      if (!entry) return 'the host never received it'
      // An error after execution says nothing about the command: that is unknown, not refused.
      if (entry.isExecuted) return 'the host executed it'
      return entry.status >= 400 ? null : `the host answered ${entry.status}`
    case 'unconfirmed':
      return entry ? null : 'the host never received it'
    case 'given-up':
    case 'unknown-no-answer':
    case 'unknown-host-restart':
    case 'unknown-no-record':
    case 'unknown-app-ended':
      return null
  }
}

/**
 * Each card is written to once per run: what changed between two reads was changed by the command.
 */
function findVerdictError({ summary, events }: Operation, entry: DemoLogEntry | undefined): string | null {
  const executed = entry?.isExecuted ?? false
  const isCard = summary.endpoint.startsWith('notes.')
  const [before, after] = ['before', 'after'].map((when) =>
    events.findLast((event) => event.kind === 'read-back' && event.when === when && event.error === null),
  )
  switch (summary.verdict.code) {
    case 'saved-and-verified':
    case 'unsaid-but-verified':
    case 'session-recorded':
      return executed ? null : 'the host did not execute it'
    case 'saved-but-differs':
      return 'the host is honest'
    case 'refused-changed':
    case 'unknown-changed':
      return !isCard || executed ? null : 'nothing was executed'
    case 'refused-unchanged':
    case 'unknown-unchanged':
      // It may be executed after the read; for a restarted host process there is no such time.
      return isCard && executed && before && after ? 'it was executed' : null
    default:
      return null
  }
}
