import { readFileSync } from 'node:fs'
import { ownUid } from '../files/exposure.ts'

/** Who listens on a port of this machine. */
export interface Listener {
  /** `same` is the user that this program runs as; `unknown` where the system does not tell. */
  readonly user: 'same' | 'other' | 'unknown'
  /** Name or number of the user; null where the system does not tell. */
  readonly name: string | null
}

const unknown: Listener = { user: 'unknown', name: null }

/** Whose processes a connection to `127.0.0.1:port` can reach, as the kernel says (Linux: `/proc/net/tcp`). */
export function listenerOn(port: number, me: number | null = ownUid()): Listener {
  if (process.platform !== 'linux' || me === null) return unknown
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map(textOf)
  // Half of the truth may leave out the very one that would be reached.
  if (tables[0] === null || tables[0] === undefined) return unknown
  return listenerIn(tables.map((table) => table ?? '').join('\n'), port, me, textOf('/etc/passwd') ?? '')
}

/** The same from the text of these tables and of `/etc/passwd`. */
export function listenerIn(tables: string, port: number, me: number, passwd: string): Listener {
  const uids = new Set<number>()
  for (const line of tables.split('\n')) {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/)
    const [address = '', hex = ''] = local.split(':')
    if (state === LISTENS && Number.parseInt(hex, 16) === port && takesLoopback(address)) uids.add(Number(uid))
  }
  if (uids.size === 0 || uids.has(UNMAPPED) || [...uids].some((uid) => !Number.isSafeInteger(uid))) return unknown
  // With several the kernel chooses: a single stranger among them is one too many.
  const stranger = [...uids].find((uid) => uid !== me)
  return { user: stranger === undefined ? 'same' : 'other', name: nameOf(stranger ?? me, passwd) }
}

const LISTENS = '0A'

/** What the kernel shows for users that this container does not know (`/proc/sys/kernel/overflowuid`): any of them. */
const UNMAPPED = 65_534

/** 127.0.0.1 and what stands for every address, as the kernel writes them: words of four bytes, each in the order of this machine. */
const takesLoopback = (address: string): boolean =>
  [
    '0100007F',
    '00000000',
    '0'.repeat(32),
    '0000000000000000FFFF00000100007F',
    '0000000000000000FFFF000000000000',
  ].includes(address)

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
