import type { WireError } from '../../../../shared/errors.ts'
import {
  NO_CONNECTION,
  type ConnectionState,
  type ConnectionGap,
  type HostSummary,
} from '../../../../shared/ipc/connection.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import { detectHostChange, mergeKnownHost, UNKNOWN_HOST, addHostChange, type KnownHost } from './host-changes.ts'

const MAX_GAPS = 50

function openGap(gaps: ConnectionGap[], id: number, reason: ConnectionGap['reason'], from: number): ConnectionGap[] {
  return [{ id, reason, from, until: null }, ...gaps].slice(0, MAX_GAPS)
}

/** Closes the open gap. `reason` replaces the original reason if more is known by now. */
function closeGap(gaps: ConnectionGap[], until: number, reason?: ConnectionGap['reason']): ConnectionGap[] {
  const [latest, ...rest] = gaps
  if (!latest || latest.until !== null) return gaps
  return [{ ...latest, until, reason: reason ?? latest.reason }, ...rest]
}

export function hasOpenGap(gaps: readonly ConnectionGap[]): boolean {
  return gaps[0]?.until === null
}

/**
 * The connection as a pure state machine. Each function takes the machine and an event, and returns
 * the next machine. In the phase `none` only `beginConnection` has an effect, so events that arrive
 * after a disconnect change nothing. The epoch grows whenever the host may have changed unobserved.
 */
export interface ConnectionMachine {
  /** The part of the state that pages receive. */
  readonly publicState: ConnectionState
  /** Kept after a disconnect, because the host's gaps continue when it is connected again. */
  readonly lastHost: { readonly profileId: string; readonly baseUrl: string } | null
  readonly knownHost: KnownHost
  /** Number of gaps so far across all hosts, so that ids of gaps are never reused. */
  readonly gapCount: number
}

export function createConnectionMachine(now: number): ConnectionMachine {
  return {
    publicState: { ...NO_CONNECTION, since: now },
    lastHost: null,
    knownHost: UNKNOWN_HOST,
    gapCount: 0,
  }
}

type Phase = ConnectionState['phase']

const withPhase = (state: ConnectionState, phase: Phase, now: number): Pick<ConnectionState, 'phase' | 'since'> => ({
  phase,
  since: state.phase === phase ? state.since : now,
})

/** Opens a gap, unless no data was ever read or a gap is already open. */
function withGap(
  machine: ConnectionMachine,
  reason: ConnectionGap['reason'] | null,
): { gaps: ConnectionGap[]; gapCount: number } {
  const { gapCount, publicState } = machine
  const { gaps, lastSeenAt } = publicState
  if (reason === null || lastSeenAt === null || hasOpenGap(gaps)) return { gaps, gapCount }
  return { gaps: openGap(gaps, gapCount + 1, reason, lastSeenAt), gapCount: gapCount + 1 }
}

/** Handles the choice of a profile. Another host drops all that is known about the previous one. */
export function beginConnection(machine: ConnectionMachine, profile: Profile, now: number): ConnectionMachine {
  const { publicState, lastHost } = machine
  const isSameHost = lastHost?.profileId === profile.id && lastHost.baseUrl === profile.baseUrl
  return {
    ...machine,
    lastHost: { profileId: profile.id, baseUrl: profile.baseUrl },
    knownHost: isSameHost ? machine.knownHost : UNKNOWN_HOST,
    publicState: {
      ...publicState,
      ...withPhase(publicState, 'connecting', now),
      profile,
      host: isSameHost ? publicState.host : null,
      lastSeenAt: isSameHost ? publicState.lastSeenAt : null,
      gaps: isSameHost ? publicState.gaps : [],
      changes: isSameHost ? publicState.changes : [],
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
  /** This computer was asleep before the attempt. */
  readonly hasSlept: boolean
}

/** Handles a successful attempt: the host responded and accepted the token. */
export function recordSuccess(
  machine: ConnectionMachine,
  { host, latencyMs, hasSlept }: SuccessfulAttempt,
  now: number,
): ConnectionMachine {
  const { publicState, knownHost } = machine
  if (publicState.phase === 'none') return machine
  const change = detectHostChange(knownHost, host)
  const hasRestarted = change?.restarted === true
  const reason = hasRestarted ? 'host-restarted' : hasSlept ? 'app-suspended' : null
  const { gaps, gapCount } = withGap(machine, reason)
  const isNewPeriod = publicState.phase !== 'online' || reason !== null
  return {
    ...machine,
    knownHost: mergeKnownHost(knownHost, host),
    gapCount,
    publicState: {
      ...publicState,
      ...withPhase(publicState, 'online', now),
      host,
      latencyMs,
      gaps: closeGap(gaps, now, hasRestarted ? 'host-restarted' : undefined),
      changes: addHostChange(publicState.changes, change, now),
      epoch: isNewPeriod ? publicState.epoch + 1 : publicState.epoch,
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
  /** Epoch milliseconds; null if the user has to decide first. */
  readonly nextTryAt: number | null
  readonly certificate: ConnectionState['certificate']
}

/** The host did not respond (`offline`) or refused the token (`unauthorized`). */
export function recordFailure(machine: ConnectionMachine, failure: FailedAttempt, now: number): ConnectionMachine {
  const { publicState } = machine
  if (publicState.phase === 'none') return machine
  const { gaps, gapCount } = withGap(machine, failure.phase === 'offline' ? 'unreachable' : 'unauthorized')
  return {
    ...machine,
    gapCount,
    publicState: { ...publicState, ...failure, ...withPhase(publicState, failure.phase, now), latencyMs: null, gaps },
  }
}

export function endConnection(machine: ConnectionMachine, now: number): ConnectionMachine {
  const { publicState } = machine
  if (publicState.phase === 'none') return machine
  const { gaps, gapCount } = withGap(machine, 'disconnected')
  return {
    ...machine,
    gapCount,
    publicState: {
      ...publicState,
      ...withPhase(publicState, 'none', now),
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
