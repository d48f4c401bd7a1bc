import type { WireError } from '../../../../shared/errors.ts'
import type { ConnectionState, ConnectionGap, HostSummary } from '../../../../shared/ipc/connection.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import { detectHostChange, mergeKnownHost, UNKNOWN_HOST, addHostChange, type KnownHost } from './host-changes.ts'

/** How many gaps are remembered. */
const MAX_GAPS = 50

/** Opens a gap. */
function openGap(gaps: ConnectionGap[], id: number, reason: ConnectionGap['reason'], from: number): ConnectionGap[] {
  return [{ id, reason, from, until: null }, ...gaps].slice(0, MAX_GAPS)
}

/** Closes the open gap. `reason` replaces the original one if more is known by now. */
function closeGap(gaps: ConnectionGap[], until: number, reason?: ConnectionGap['reason']): ConnectionGap[] {
  const [latest, ...rest] = gaps
  if (!latest || latest.until !== null) return gaps
  return [{ ...latest, until, reason: reason ?? latest.reason }, ...rest]
}

export const hasOpenGap = (gaps: readonly ConnectionGap[]): boolean => gaps[0]?.until === null

/**
 * The connection as a pure state machine: each function takes the machine and an event, and returns the next machine. From `none` only
 * `began` leads anywhere; what arrives after a disconnect changes nothing. The epoch grows at the end of every period in which the host
 * may have changed unseen.
 */
export interface ConnectionMachine {
  /** What the page sees. */
  readonly publicState: ConnectionState
  /** The host that was last spoken to, even after a disconnect: its gaps continue when it is connected again. */
  readonly lastHost: { readonly profileId: string; readonly baseUrl: string } | null
  readonly knownHost: KnownHost
  /** Number of gaps so far, across all hosts: their ids are never reused. */
  readonly gapCount: number
}

export const createConnectionMachine = (now: number): ConnectionMachine => ({
  publicState: {
    phase: 'none',
    profile: null,
    host: null,
    latencyMs: null,
    since: now,
    epoch: 0,
    gaps: [],
    changes: [],
    error: null,
    nextTryAt: null,
    lastSeenAt: null,
    certificate: null,
  },
  lastHost: null,
  knownHost: UNKNOWN_HOST,
  gapCount: 0,
})

type Phase = ConnectionState['phase']

const moved = (state: ConnectionState, phase: Phase, now: number): Pick<ConnectionState, 'phase' | 'since'> => ({
  phase,
  since: state.phase === phase ? state.since : now,
})

/** Adds a gap, unless nothing was ever read or one is already open. */
function withGap(
  machine: ConnectionMachine,
  reason: ConnectionGap['reason'] | null,
): { gaps: ConnectionGap[]; gapCount: number } {
  const { gapCount, publicState: shown } = machine
  const { gaps, lastSeenAt } = shown
  if (reason === null || lastSeenAt === null || hasOpenGap(gaps)) return { gaps, gapCount }
  return { gaps: openGap(gaps, gapCount + 1, reason, lastSeenAt), gapCount: gapCount + 1 }
}

/** The user connects to a profile. If it is another host, what was known about the old one does not apply. */
export function beginConnection(machine: ConnectionMachine, profile: Profile, now: number): ConnectionMachine {
  const { publicState: shown, lastHost: last } = machine
  const same = last?.profileId === profile.id && last.baseUrl === profile.baseUrl
  return {
    ...machine,
    lastHost: { profileId: profile.id, baseUrl: profile.baseUrl },
    knownHost: same ? machine.knownHost : UNKNOWN_HOST,
    publicState: {
      ...shown,
      ...moved(shown, 'connecting', now),
      profile,
      host: same ? shown.host : null,
      lastSeenAt: same ? shown.lastSeenAt : null,
      gaps: same ? shown.gaps : [],
      changes: same ? shown.changes : [],
      latencyMs: null,
      error: null,
      certificate: null,
      nextTryAt: null,
    },
  }
}

interface SuccessfulAttempt {
  readonly host: HostSummary
  readonly latencyMs: number
  /** This program itself was asleep before it asked. */
  readonly hasSlept: boolean
}

/** The host answered and accepted the token. */
export function recordSuccess(
  machine: ConnectionMachine,
  { host, latencyMs, hasSlept: slept }: SuccessfulAttempt,
  now: number,
): ConnectionMachine {
  const { publicState: shown, knownHost: known } = machine
  if (shown.phase === 'none') return machine
  const change = detectHostChange(known, host)
  const restarted = change?.restarted === true
  const reason = restarted ? 'host-restarted' : slept ? 'app-suspended' : null
  const { gaps, gapCount } = withGap(machine, reason)
  const anew = shown.phase !== 'online' || reason !== null
  return {
    ...machine,
    knownHost: mergeKnownHost(known, host),
    gapCount,
    publicState: {
      ...shown,
      ...moved(shown, 'online', now),
      host,
      latencyMs,
      gaps: closeGap(gaps, now, restarted ? 'host-restarted' : undefined),
      changes: addHostChange(shown.changes, change, now),
      epoch: anew ? shown.epoch + 1 : shown.epoch,
      error: null,
      certificate: null,
      nextTryAt: null,
      lastSeenAt: now,
    },
  }
}

interface FailedAttempt {
  readonly phase: 'offline' | 'unauthorized'
  readonly error: WireError
  /** Null if the user has to decide first. */
  readonly nextTryAt: number | null
  readonly certificate: ConnectionState['certificate']
}

/** The host did not answer (`offline`) or refused the token (`unauthorized`). */
export function recordFailure(machine: ConnectionMachine, failure: FailedAttempt, now: number): ConnectionMachine {
  const { publicState: shown } = machine
  if (shown.phase === 'none') return machine
  const { gaps, gapCount } = withGap(machine, failure.phase === 'offline' ? 'unreachable' : 'unauthorized')
  return {
    ...machine,
    gapCount,
    publicState: { ...shown, ...failure, ...moved(shown, failure.phase, now), latencyMs: null, gaps },
  }
}

/** The user disconnects. */
export function endConnection(machine: ConnectionMachine, now: number): ConnectionMachine {
  const { publicState: shown } = machine
  if (shown.phase === 'none') return machine
  const { gaps, gapCount } = withGap(machine, 'disconnected')
  return {
    ...machine,
    gapCount,
    publicState: {
      ...shown,
      ...moved(shown, 'none', now),
      profile: null,
      host: null,
      latencyMs: null,
      error: null,
      nextTryAt: null,
      certificate: null,
      gaps,
    },
  }
}
