import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { hostAt } from '../../../../shared/bridge/same-host.ts'
import { AppError, refused } from '../../../../shared/errors.ts'
import type { Connection } from './connection.ts'
import type { BridgeTarget } from '../types.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** The host that is connected now, as far as an operation needs to know. */
export interface Here {
  readonly target: BridgeTarget
  /** `http://127.0.0.1:42340` */
  readonly origin: string
  readonly profileId: string
  readonly profileName: string
  readonly demo: boolean
  readonly nonce: string | null
  /** It answered the last heartbeat. */
  readonly online: boolean
  /** What it lists; null until that has been read. */
  readonly capabilities: Capabilities | null
}

/** Throws `NOT_CONNECTED`. */
export function hereOf(connection: Connection): Here {
  const target = connection.target()
  const { profile, host, phase } = connection.state()
  return {
    target,
    origin: new URL(target.baseUrl).origin,
    profileId: profile?.id ?? '',
    profileName: profile?.name ?? '',
    demo: profile?.demo ?? false,
    nonce: host?.instanceNonce ?? null,
    online: phase === 'online',
    capabilities: connection.capabilities(),
  }
}

/**
 * Where a record's host can be asked now. Matched by address, because profiles come and go (`--base-url`). Throws `NOT_CONNECTED`, and
 * `OPERATION_ELSEWHERE` while another host is connected.
 */
export function hereFor(connection: Connection, { host }: StoredOperation): Here {
  const here = hereOf(connection)
  if (hostAt(here.target.baseUrl)(host)) return here
  throw refused(
    'OPERATION_ELSEWHERE',
    'This operation belongs to a different host from the one that is connected. Connect to its profile first.',
  )
}

/** Like `hereFor`, but null if the host is not connected or does not respond. */
export function reachableFor(connection: Connection, stored: StoredOperation): Here | null {
  try {
    const here = hereFor(connection, stored)
    return here.online ? here : null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
