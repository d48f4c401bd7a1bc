import type { WireError } from '../../../shared/errors.ts'
import type { ConnectionState, Gap, HostSummary } from '../../../shared/ipc/connection.ts'
import type { Profile } from '../../../shared/ipc/profiles.ts'

/**
 * The connection as a pure state machine: each function takes the state and what happened, and gives the next state. The
 * epoch grows whenever a time has ended in which the host may have changed unseen.
 */
export const initialState = (now: number): ConnectionState => ({
  phase: 'none',
  profile: null,
  host: null,
  latencyMs: null,
  since: now,
  epoch: 0,
  gaps: [],
  error: null,
  nextTryAt: null,
  lastSeenAt: null,
  certificate: null,
})

type Phase = ConnectionState['phase']

const moved = (state: ConnectionState, phase: Phase, now: number): Pick<ConnectionState, 'phase' | 'since'> => ({
  phase,
  since: state.phase === phase ? state.since : now,
})

function openGap(state: ConnectionState, reason: Gap['reason'], from: number): Gap[] {
  const [latest] = state.gaps
  if (latest && latest.until === null) return state.gaps
  const id = (latest?.id ?? 0) + 1
  return [{ id, reason, from, until: null }, ...state.gaps].slice(0, 50)
}

function closeGap(gaps: Gap[], now: number, reason?: Gap['reason']): Gap[] {
  const [latest, ...rest] = gaps
  if (!latest || latest.until !== null) return gaps
  return [{ ...latest, until: now, reason: reason ?? latest.reason }, ...rest]
}

/** A person connects to a profile. Another host than before: what was read belongs to an earlier epoch. */
export function began(state: ConnectionState, profile: Profile, now: number): ConnectionState {
  const same = state.profile?.id === profile.id && state.profile.baseUrl === profile.baseUrl
  return {
    ...state,
    ...moved(state, 'connecting', now),
    profile,
    host: same ? state.host : null,
    lastSeenAt: same ? state.lastSeenAt : null,
    gaps: same ? state.gaps : [],
    latencyMs: null,
    error: null,
    certificate: null,
    nextTryAt: null,
  }
}

/** The host answered and accepted the token. */
export function succeeded(
  state: ConnectionState,
  host: HostSummary,
  latencyMs: number,
  now: number,
  slept: boolean,
): ConnectionState {
  const before = state.host?.instanceNonce ?? null
  const restarted = before !== null && host.instanceNonce !== null && before !== host.instanceNonce
  const open = state.gaps[0]?.until === null
  let gaps = state.gaps
  if (restarted && !open) gaps = openGap(state, 'host-restarted', state.lastSeenAt ?? now)
  else if (slept && !open) gaps = openGap(state, 'app-suspended', state.lastSeenAt ?? now)
  gaps = closeGap(gaps, now, restarted ? 'host-restarted' : undefined)
  const anew = state.phase !== 'online' || restarted || slept
  return {
    ...state,
    ...moved(state, 'online', now),
    host,
    latencyMs,
    gaps,
    epoch: anew ? state.epoch + 1 : state.epoch,
    error: null,
    certificate: null,
    nextTryAt: null,
    lastSeenAt: now,
  }
}

/** The host did not answer (`offline`) or refused the token (`unauthorized`). */
export function failed(
  state: ConnectionState,
  phase: 'offline' | 'unauthorized',
  error: WireError,
  nextTryAt: number | null,
  now: number,
): ConnectionState {
  const reason = phase === 'offline' ? 'unreachable' : 'unauthorized'
  return {
    ...state,
    ...moved(state, phase, now),
    latencyMs: null,
    error,
    nextTryAt,
    gaps: state.lastSeenAt === null ? state.gaps : openGap(state, reason, state.lastSeenAt),
  }
}

/** A person disconnects. */
export function stopped(state: ConnectionState, now: number): ConnectionState {
  return {
    ...state,
    ...moved(state, 'none', now),
    profile: null,
    latencyMs: null,
    error: null,
    nextTryAt: null,
    certificate: null,
    gaps: state.lastSeenAt === null ? state.gaps : openGap(state, 'disconnected', state.lastSeenAt),
  }
}
