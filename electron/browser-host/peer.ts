import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import os from 'node:os'
import { parseSocketTable, type SocketRow } from '../system/socket-table.ts'

/**
 * The user at the other end of a connection: a user id, `gone` if nobody holds that end any more, or `untold` if the system does not say.
 */
export type PeerUser = number | 'gone' | 'untold'

type Ends = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/** Looks up who is at the other end. `rows` is null if the tables cannot be read (not on Linux, or forbidden). */
export function findPeer({ localPort, remotePort, remoteAddress }: Ends, rows: readonly SocketRow[] | null): PeerUser {
  // A table without our own listening socket tells us nothing (some simulated kernels have an empty one).
  if (!rows?.some(({ isListening: listening, local }) => listening && local.port === localPort)) return 'untold'
  const address = remoteAddress?.replace(/^::ffff:/, '')
  const other = rows.find(
    ({ local, remote, isListening: listening }) =>
      !listening && local.address === address && local.port === remotePort && remote.port === localPort,
  )
  return other?.uid ?? 'gone'
}

/** Every TCP socket of this machine; Linux only. */
export function readSocketTable(): SocketRow[] | null {
  if (process.platform !== 'linux') return null
  try {
    const little = os.endianness() === 'LE'
    return [...parseSocketTable(readFileSync('/proc/net/tcp', 'latin1'), little), ...readIpv6Table(little)]
  } catch {
    return null
  }
}

/** A program may reach 127.0.0.1 through a socket of the other family; a machine without that family has no such table. */
function readIpv6Table(littleEndian: boolean): SocketRow[] {
  try {
    return parseSocketTable(readFileSync('/proc/net/tcp6', 'latin1'), littleEndian)
  } catch {
    return []
  }
}

/**
 * Whether a peer may use a one-time key: our own user; root, who can read everything of ours anyway; and whoever started us with `sudo`.
 * Where the system does not reveal the owner of a connection (macOS, Windows), the key alone decides.
 */
export function canUseKey(peer: PeerUser, own: number | undefined, env: NodeJS.ProcessEnv): boolean {
  if (peer === 'untold' || own === undefined) return true
  return peer === own || peer === 0 || (own === 0 && String(peer) === env['SUDO_UID'])
}
