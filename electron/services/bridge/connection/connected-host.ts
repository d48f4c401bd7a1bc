import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { createHostMatcher } from '../../../../shared/bridge/host-matcher.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { Connection } from './connection.ts'
import type { BridgeTarget } from '../types.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** The host that is connected now, as far as an operation needs to know. */
export interface ConnectedHost {
  readonly target: BridgeTarget
  /** `http://127.0.0.1:42340` */
  readonly origin: string
  readonly profileId: string
  readonly profileName: string
  readonly isDemo: boolean
  readonly instanceNonce: string | null
  /** It answered the last heartbeat. */
  readonly isOnline: boolean
  /** What it lists; null until that has been read. */
  readonly capabilities: Capabilities | null
}

/** Throws `NOT_CONNECTED`. */
export function getConnectedHost(connection: Connection): ConnectedHost {
  const target = connection.target()
  const { profile, host, phase } = connection.state()
  return {
    target,
    origin: new URL(target.baseUrl).origin,
    profileId: profile?.id ?? '',
    profileName: profile?.name ?? '',
    isDemo: profile?.demo ?? false,
    instanceNonce: host?.instanceNonce ?? null,
    isOnline: phase === 'online',
    capabilities: connection.capabilities(),
  }
}

/**
 * Where a record's host can be asked now. Matched by address, because profiles come and go (`--base-url`). Throws `NOT_CONNECTED`, and
 * `OPERATION_ELSEWHERE` while another host is connected.
 */
export function getHostOfOperation(connection: Connection, { host }: StoredOperation): ConnectedHost {
  const here = getConnectedHost(connection)
  if (createHostMatcher(here.target.baseUrl)(host)) return here
  throw createRefusedError(
    'OPERATION_ELSEWHERE',
    'This operation belongs to a different host from the one that is connected. Connect to its profile first.',
  )
}

/** Like `hereFor`, but null if the host is not connected or does not respond. */
export function findReachableHost(connection: Connection, stored: StoredOperation): ConnectedHost | null {
  try {
    const here = getHostOfOperation(connection, stored)
    return here.isOnline ? here : null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
