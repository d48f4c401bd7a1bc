import { readFileSync } from 'node:fs'
import os from 'node:os'
import { parseSocketTable, type SocketRow } from '../../system/socket-table.ts'
import { getOwnUid } from '../files/exposure.ts'

/** The user whose program listens on a port of this machine. */
export interface PortListener {
  /** `same` is the user of this program; `unknown` means that the system does not say. */
  readonly user: 'same' | 'other' | 'unknown'
  /** Name or number of the user; null if unknown. */
  readonly name: string | null
}

const UNKNOWN_LISTENER: PortListener = { user: 'unknown', name: null }

/** Finds who owns what a connection to `127.0.0.1:port` can reach (Linux: `/proc/net/tcp`). */
export function findPortListener(port: number, ownUid: number | null = getOwnUid()): PortListener {
  if (process.platform !== 'linux' || ownUid === null) return UNKNOWN_LISTENER
  const [tcpTable, tcp6Table] = ['/proc/net/tcp', '/proc/net/tcp6'].map(tryReadText)
  // The reached socket could be missing without the first; without IPv6 there is no second.
  if (typeof tcpTable !== 'string') return UNKNOWN_LISTENER
  const isLittleEndian = os.endianness() === 'LE'
  const rows = [...parseSocketTable(tcpTable, isLittleEndian), ...parseSocketTable(tcp6Table ?? '', isLittleEndian)]
  return parsePortListener(rows, port, ownUid, tryReadText('/etc/passwd') ?? '')
}

/** Finds the user in parsed socket tables and the text of `/etc/passwd`. */
export function parsePortListener(
  rows: readonly SocketRow[],
  port: number,
  ownUid: number,
  passwd: string,
): PortListener {
  const listening = rows.filter(
    (row) => row.isListening && row.local.port === port && LOOPBACK_ADDRESSES.has(row.local.address),
  )
  const uids = listening.map(({ uid }) => uid)
  // With several listeners the kernel picks one, maybe that of another user.
  const otherUid = uids.find((uid) => uid !== ownUid && uid !== null)
  if (uids.length === 0 || uids.includes(null) || uids.includes(UNMAPPED_UID)) return UNKNOWN_LISTENER
  return { user: otherUid === undefined ? 'same' : 'other', name: getUserName(otherUid ?? ownUid, passwd) }
}

/** The kernel shows it for users unknown to the container (`/proc/sys/kernel/overflowuid`). */
const UNMAPPED_UID = 65_534

/** Listeners on these addresses accept connections to 127.0.0.1. */
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '0'.repeat(32)])

function getUserName(uid: number, passwd: string): string {
  const line = passwd.split('\n').find((entry) => entry.split(':')[2] === String(uid))
  return line?.split(':')[0] || `uid ${uid}`
}

function tryReadText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
