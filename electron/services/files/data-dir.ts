import { lstatSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { type AppError, refused } from '../../../shared/errors.ts'
import type { NewNotice } from '../notices.ts'
import { exposureOf } from './exposure.ts'
import { strangeKind } from './regular.ts'

/** What the program keeps in its data directory, by the beginning of the name, in the words of a message. */
const OURS: readonly (readonly [name: string, role: string])[] = [
  ['lock.json', 'the lock'],
  ['settings.json', 'the settings'],
  ['profiles.json', 'the profiles'],
  ['vault.json', 'the remembered tokens'],
  ['journal.db', 'the journal of operations'],
  ['bridge-inspector.log', 'the log'],
  ['window.json', 'the place of the window'],
]

/** File systems that show the kernel and keep no files (numbers of `statfs`, Linux). */
const KERNEL: Readonly<Record<number, string>> = {
  0x9fa0: 'proc',
  0x6265_6572: 'sysfs',
  0x27_e0eb: 'cgroup',
  0x6367_7270: 'cgroup2',
  0x6462_6720: 'debugfs',
  0x7472_6163: 'tracefs',
  0x7363_6673: 'securityfs',
  0x1cd1: 'devpts',
  0x6265_6570: 'configfs',
  0xcafe_4a11: 'bpf',
}

/**
 * Looks at a data directory before anything is read from it or written to it; it need not exist yet. Throws `DATA_DIR_UNUSABLE` (a file system
 * that keeps no files, no directory), `DATA_DIR_SHARED` (everybody can write to it), `DATA_DIR_FILE` (a symbolic link, FIFO, socket or device
 * in place of one of our files). Returns what is to be said of one that is used all the same.
 */
export function checkDataDir(dataDir: string): NewNotice[] {
  refuseKernel(dataDir)
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isDirectory()) throw unusable(dataDir, 'It is no directory.')
  const exposure = exposureOf(stats)
  if (exposure !== 'none' && stats.mode & 0o002) {
    const way = `Make it yours alone (chmod 700 ${dataDir}), or start with --data-dir and another directory.`
    throw refused('DATA_DIR_SHARED', `Every user of this machine can write to the data directory ${dataDir}. ${way}`)
  }
  refuseStrangeFiles(dataDir)
  const notice = { level: 'warning', params: { dir: dataDir } } as const
  if (exposure === 'foreign') {
    const message = `The data directory ${dataDir} belongs to another user, who can change what the program keeps there. Choose one of your own with --data-dir.`
    return [{ ...notice, code: 'DATA_DIR_FOREIGN', message }]
  }
  if (exposure === 'writable') {
    const message = `The group of the data directory ${dataDir} can write to it. Make it yours alone (chmod 700 ${dataDir}).`
    return [{ ...notice, code: 'DATA_DIR_GROUP', message }]
  }
  return []
}

/** Making a folder below /proc never ends in some versions of Node, so that this comes before everything else. */
function refuseKernel(dataDir: string): void {
  const existing = nearest(path.resolve(dataDir))
  const kept = KERNEL[kindOfFileSystem(existing)]
  const isDevices = existing === '/dev' || (existing.startsWith('/dev/') && !existing.startsWith('/dev/shm'))
  if (kept === undefined && !isDevices) return
  throw unusable(dataDir, `It lies on a file system that keeps no files (${kept ?? 'devices'}).`)
}

/** The directory, or what exists of the way to it, without symbolic links. */
function nearest(dir: string): string {
  try {
    return realpathSync(dir)
  } catch {
    const parent = path.dirname(dir)
    return parent === dir ? dir : nearest(parent)
  }
}

function kindOfFileSystem(dir: string): number {
  try {
    return process.platform === 'linux' ? statfsSync(dir).type : 0
  } catch {
    return 0
  }
}

function refuseStrangeFiles(dataDir: string): void {
  for (const name of namesIn(dataDir)) {
    const role = OURS.find(([own]) => name === own || name.startsWith(`${own}.`) || name.startsWith(`${own}-`))?.[1]
    const stats = role === undefined ? null : lstatSync(path.join(dataDir, name), { throwIfNoEntry: false })
    const kind = stats && strangeKind(stats)
    // A directory in the way leads nowhere and makes nobody wait: whoever wants the file says so.
    if (!kind || kind === 'a directory') continue
    throw refused(
      'DATA_DIR_FILE',
      `In the data directory ${dataDir}, ${name} (${role}) is ${kind}, not a file of its own. Move it away, or start with --data-dir and another directory.`,
    )
  }
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
  } catch {
    // Not ours to read: taking the lock says so.
    return []
  }
}

const unusable = (dataDir: string, why: string): AppError =>
  refused(
    'DATA_DIR_UNUSABLE',
    `The data directory ${dataDir} cannot be used. ${why} Start with --data-dir and another directory.`,
  )
