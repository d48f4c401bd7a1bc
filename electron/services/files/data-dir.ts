/**
 * The program's data directory: its safety checks, lock, log, and atomic writes of its files. The
 * content of the files is known only to their services (`../settings`, `../profiles`, `../vault`).
 * Read this file first, then `data-dir-lock.ts` and `atomic-file.ts`.
 */
import { lstatSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { type AppError, createRefusedError } from '../../../shared/errors.ts'
import type { NewNotice } from '../notices.ts'
import { getExposure } from './exposure.ts'
import { getIrregularKind } from '../../system/regular-file.ts'

/** Beginnings of the names of the program's files, with the role that messages name. */
const OWN_FILES: readonly (readonly [name: string, role: string])[] = [
  ['lock.json', 'the lock'],
  ['settings.json', 'the settings'],
  ['profiles.json', 'the profiles'],
  ['vault.json', 'the remembered tokens'],
  ['journal.db', 'the journal of operations'],
  ['bridge-inspector.log', 'the log'],
  ['console.json', 'the tabs of the console'],
  ['window.json', 'the window’s position'],
]

/** Linux file systems that expose the kernel instead of storing files (numbers from `statfs`). */
const KERNEL_FILE_SYSTEMS: Readonly<Record<number, string>> = {
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
 * Checks a data directory before anything is read from it or written to it; it need not exist yet.
 * @returns Warnings about a directory that can be used all the same.
 * @throws DATA_DIR_UNUSABLE when it is not a directory or on a file system that stores no files;
 *   DATA_DIR_SHARED when every user can write to it; DATA_DIR_FILE when a symbolic link, FIFO,
 *   socket or device is in place of one of our files.
 */
export function checkDataDir(dataDir: string): NewNotice[] {
  assertStoresFiles(dataDir)
  const stats = statSync(dataDir, { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isDirectory()) throw createUnusableError(dataDir, 'It is not a directory.')
  const exposure = getExposure(stats)
  if (exposure !== 'none' && stats.mode & 0o002) {
    const remedy = `Make it private (chmod 700 ${dataDir}), or choose another directory with --data-dir.`
    throw createRefusedError(
      'DATA_DIR_SHARED',
      `Every user of this machine can write to the data directory ${dataDir}. ${remedy}`,
    )
  }
  assertRegularFiles(dataDir)
  const notice = { level: 'warning', params: { dir: dataDir } } as const
  if (exposure === 'foreign') {
    const message = `The data directory ${dataDir} belongs to another user, who can change what the program keeps there. Choose a directory of your own with --data-dir.`
    return [{ ...notice, code: 'DATA_DIR_FOREIGN', message }]
  }
  if (exposure === 'writable') {
    const message = `The group of the data directory ${dataDir} can write to it. Make it private (chmod 700 ${dataDir}).`
    return [{ ...notice, code: 'DATA_DIR_GROUP', message }]
  }
  return []
}

/** Checked first: in some versions of Node, creating a folder below /proc never ends. */
function assertStoresFiles(dataDir: string): void {
  const existing = findExistingAncestor(path.resolve(dataDir))
  const kernelFileSystem = KERNEL_FILE_SYSTEMS[getFileSystemType(existing)]
  const isDevices = existing === '/dev' || (existing.startsWith('/dev/') && !existing.startsWith('/dev/shm'))
  if (kernelFileSystem === undefined && !isDevices) return
  throw createUnusableError(dataDir, `It is on a file system that stores no files (${kernelFileSystem ?? 'devices'}).`)
}

/** Returns the directory or its nearest existing ancestor, with symbolic links resolved. */
function findExistingAncestor(dir: string): string {
  try {
    return realpathSync(dir)
  } catch {
    const parent = path.dirname(dir)
    return parent === dir ? dir : findExistingAncestor(parent)
  }
}

function getFileSystemType(dir: string): number {
  try {
    return process.platform === 'linux' ? statfsSync(dir).type : 0
  } catch {
    return 0
  }
}

function assertRegularFiles(dataDir: string): void {
  for (const name of listNames(dataDir)) {
    const role = OWN_FILES.find(
      ([ownName]) => name === ownName || name.startsWith(`${ownName}.`) || name.startsWith(`${ownName}-`),
    )?.[1]
    const stats = role === undefined ? null : lstatSync(path.join(dataDir, name), { throwIfNoEntry: false })
    const kind = stats && getIrregularKind(stats)
    // A directory in place of a file does no harm; reading the file reports it.
    if (!kind || kind === 'a directory') continue
    throw createRefusedError(
      'DATA_DIR_FILE',
      `In the data directory ${dataDir}, ${name} (${role}) is ${kind} instead of a regular file. Move it away, or choose another directory with --data-dir.`,
    )
  }
}

function listNames(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
  } catch {
    // The directory is unreadable; taking the lock reports that.
    return []
  }
}

const createUnusableError = (dataDir: string, explanation: string): AppError =>
  createRefusedError(
    'DATA_DIR_UNUSABLE',
    `The data directory ${dataDir} cannot be used. ${explanation} Choose another directory with --data-dir.`,
  )
