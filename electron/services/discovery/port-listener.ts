import { readFileSync } from 'node:fs'
import os from 'node:os'
import { parseSocketTable, type SocketRow } from '../../system/socket-table.ts'
import { getOwnUid } from '../files/exposure.ts'

/** Who is listening on a port of this machine. */
export interface PortListener {
  /** `same` is the user that this program runs as; `unknown` means the system does not say. */
  readonly user: 'same' | 'other' | 'unknown'
  /** Name or number of the user; null if the system does not say. */
  readonly name: string | null
}

const unknown: PortListener = { user: 'unknown', name: null }

/** Whose processes a connection to `127.0.0.1:port` can reach, according to the kernel (Linux: `/proc/net/tcp`). */
export function findPortListener(port: number, me: number | null = getOwnUid()): PortListener {
  if (process.platform !== 'linux' || me === null) return unknown
  const [four, six] = ['/proc/net/tcp', '/proc/net/tcp6'].map(textOf)
  // Half of the tables might leave out the very socket that would be reached; a machine without IPv6 has no second table.
  if (typeof four !== 'string') return unknown
  const little = os.endianness() === 'LE'
  const rows = [...parseSocketTable(four, little), ...parseSocketTable(six ?? '', little)]
  return parsePortListener(rows, port, me, textOf('/etc/passwd') ?? '')
}

/** The same, given the sockets and the text of `/etc/passwd`. */
export function parsePortListener(rows: readonly SocketRow[], port: number, me: number, passwd: string): PortListener {
  const here = rows.filter((row) => row.isListening && row.local.port === port && LOOPBACK.has(row.local.address))
  const uids = here.map(({ uid }) => uid)
  // With several listeners the kernel picks one, so a single stranger among them is one too many.
  const stranger = uids.find((uid) => uid !== me && uid !== null)
  if (uids.length === 0 || uids.includes(null) || uids.includes(UNMAPPED)) return unknown
  return { user: stranger === undefined ? 'same' : 'other', name: nameOf(stranger ?? me, passwd) }
}

/** What the kernel shows for users unknown to this container (`/proc/sys/kernel/overflowuid`): it may be any of them. */
const UNMAPPED = 65_534

/** The addresses that accept connections to 127.0.0.1. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '0'.repeat(32)])

function nameOf(uid: number, passwd: string): string {
  const line = passwd.split('\n').find((one) => one.split(':')[2] === String(uid))
  return line?.split(':')[0] || `uid ${uid}`
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
