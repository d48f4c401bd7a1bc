import { lstatSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { getExposure } from '../../electron/services/files/exposure.ts'
import { getUserFolder } from '../../electron/system/user-folder.ts'

/**
 * Returns the folder for compiled code, which follows the operating system's conventions for what
 * may be deleted at any time. Whoever can write there decides what this program does, so null is
 * returned unless the folder and the one that holds it are writable only for this user (or root).
 */
export function prepareCodeCache(env: NodeJS.ProcessEnv): string | null {
  try {
    const base = getUserFolder('cache', env)
    const folder = path.join(base, 'bridge-inspector', 'code')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const isPrivate = [base, path.dirname(folder), folder].every((dir) => {
      const stats = lstatSync(dir)
      return stats.isDirectory() && ['none', 'readable'].includes(getExposure(stats))
    })
    return isPrivate ? folder : null
  } catch {
    return null
  }
}
