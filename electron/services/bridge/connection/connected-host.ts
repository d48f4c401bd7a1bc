import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { createHostMatcher } from '../../../../shared/bridge/host-matcher.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { Connection } from './connection.ts'
import type { BridgeTarget } from '../types.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** The facts about the connected host that operations need. */
export interface ConnectedHost {
  readonly target: BridgeTarget
  /** Scheme, host and port: `http://127.0.0.1:42340`. */
  readonly origin: string
  readonly profileId: string
  readonly profileName: string
  readonly isDemo: boolean
  readonly instanceNonce: string | null
  /** The host responded to the last heartbeat. */
  readonly isOnline: boolean
  /** Null until the capabilities have been read. */
  readonly capabilities: Capabilities | null
}

/** @throws NOT_CONNECTED */
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
 * The connected host, if the operation belongs to it. Hosts are compared by address, because
 * profiles come and go (`--base-url`).
 * @throws NOT_CONNECTED, or OPERATION_ELSEWHERE when another host is connected.
 */
export function getHostOfOperation(connection: Connection, { host }: StoredOperation): ConnectedHost {
  const connectedHost = getConnectedHost(connection)
  if (createHostMatcher(connectedHost.target.baseUrl)(host)) return connectedHost
  throw createRefusedError(
    'OPERATION_ELSEWHERE',
    'This operation belongs to a different host from the one that is connected. Connect to its profile first.',
  )
}

/** Like `getHostOfOperation`, but null if the host is not connected or does not respond. */
export function findReachableHost(connection: Connection, stored: StoredOperation): ConnectedHost | null {
  try {
    const connectedHost = getHostOfOperation(connection, stored)
    return connectedHost.isOnline ? connectedHost : null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
