import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'

/** A machine with more open files than this is not searched further. */
const MAX_DESCRIPTORS = 50_000

/** Looks at `knownIds` first. Null except on Linux, and if no process of this user is found. */
export function findPeerProcess(
  { localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>,
  knownIds: readonly number[],
): number | null {
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return null
  try {
    const inode = findInode(remotePort, localPort)
    if (inode === null) return null
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return findHolder(`socket:[${inode}]`, [...knownIds, ...ids.map(Number)])
  } catch {
    // The system does not show its processes.
    return null
  }
}

/** Finds the socket with these ends in `/proc/net/tcp`, whatever its addresses are. */
function findInode(localPort: number, remotePort: number): string | null {
  const [local, remote] = [localPort, remotePort].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`)
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readTable(table).split('\n')) {
      const [, localEnd = '', remoteEnd = '', , , , , , , inode = '0'] = line.trim().split(/\s+/)
      const isWanted = localEnd.endsWith(local ?? '') && remoteEnd.endsWith(remote ?? '')
      if (isWanted && inode !== '0') return inode
    }
  }
  return null
}

/** A machine without IPv6 has only one of the tables. */
function readTable(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function findHolder(link: string, ids: readonly number[]): number | null {
  let left = MAX_DESCRIPTORS
  for (const id of ids) {
    for (const descriptor of listDescriptors(id)) {
      left -= 1
      if (left < 0) return null
      if (readDescriptor(id, descriptor) === link) return id
    }
  }
  return null
}

/** Processes of other users, and those that have ended, show nothing. */
function listDescriptors(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/fd`)
  } catch {
    return []
  }
}

function readDescriptor(id: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${id}/fd/${descriptor}`)
  } catch {
    return ''
  }
}
