import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import os from 'node:os'
import { parseSocketTable, type SocketRow } from '../system/socket-table.ts'

/** A user id; `gone` if no process has the socket open; `unknown` if the system hides it. */
export type PeerUser = number | 'gone' | 'unknown'

type SocketEnds = Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>

/** Finds who opened a connection; `rows` is null if the system's tables cannot be read. */
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

/** Returns null except on Linux, and if the tables cannot be read. */
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

/** A program may reach 127.0.0.1 through an IPv6 socket. Without IPv6 there is no such table. */
function readIpv6Table(isLittleEndian: boolean): SocketRow[] {
  try {
    return parseSocketTable(readFileSync('/proc/net/tcp6', 'latin1'), isLittleEndian)
  } catch {
    return []
  }
}

/**
 * Only our own user, root (who can read all our files anyway) and the user who started the program
 * with `sudo` may use a one-time key. Where the system does not reveal the owner of a connection
 * (macOS, Windows), the key alone decides.
 */
export function canUseKey(peer: PeerUser, ownUserId: number | undefined, env: NodeJS.ProcessEnv): boolean {
  if (peer === 'unknown' || ownUserId === undefined) return true
  return peer === ownUserId || peer === 0 || (ownUserId === 0 && String(peer) === env['SUDO_UID'])
}
