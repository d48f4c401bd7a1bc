import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import os from 'node:os'
import { parseSocketTable, type SocketRow } from '../system/socket-table.ts'

/**
 * Identifies the user at the other end of a connection: a user id, `gone` if no process has that
 * end open any more, or `unknown` if the system does not reveal it.
 */
export type PeerUser = number | 'gone' | 'unknown'

type SocketEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/**
 * Finds the user at the other end.
 *
 * @param rows null if the system's tables cannot be read (not on Linux, or forbidden).
 */
export function findPeer(
  { localPort, remotePort, remoteAddress }: SocketEnds,
  rows: readonly SocketRow[] | null,
): PeerUser {
  // A table without our own listening socket is useless (some simulated kernels have an empty one).
  if (!rows?.some(({ isListening, local }) => isListening && local.port === localPort)) return 'unknown'
  const address = remoteAddress?.replace(/^::ffff:/, '')
  const other = rows.find(
    ({ local, remote, isListening }) =>
      !isListening && local.address === address && local.port === remotePort && remote.port === localPort,
  )
  return other?.uid ?? 'gone'
}

/** Lists every TCP socket of this machine; null except on Linux. */
export function readSocketTable(): SocketRow[] | null {
  if (process.platform !== 'linux') return null
  try {
    const isLittleEndian = os.endianness() === 'LE'
    return [
      ...parseSocketTable(readFileSync('/proc/net/tcp', 'latin1'), isLittleEndian),
      ...readIpv6Table(isLittleEndian),
    ]
  } catch {
    return null
  }
}

/**
 * A program may reach 127.0.0.1 through an IPv6 socket. A machine without IPv6 has no such table.
 */
function readIpv6Table(isLittleEndian: boolean): SocketRow[] {
  try {
    return parseSocketTable(readFileSync('/proc/net/tcp6', 'latin1'), isLittleEndian)
  } catch {
    return []
  }
}

/**
 * Tells whether a peer may use a one-time key: our own user, root (who can read everything of ours
 * anyway), and the user who started us with `sudo`. Where the system does not reveal the owner of a
 * connection (macOS, Windows), the key alone decides.
 */
export function canUseKey(peer: PeerUser, ownUserId: number | undefined, env: NodeJS.ProcessEnv): boolean {
  if (peer === 'unknown' || ownUserId === undefined) return true
  return peer === ownUserId || peer === 0 || (ownUserId === 0 && String(peer) === env['SUDO_UID'])
}
