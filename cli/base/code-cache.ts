import { lstatSync, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { getExposure } from '../../electron/services/files/exposure.ts'

/**
 * Returns the folder for compiled code, which follows the operating system's conventions for what
 * may be deleted at any time. Whoever can write there decides what this program does, so null is
 * returned unless the folder and the one that holds it are writable only for this user (or root).
 */
export function prepareCodeCache(env: NodeJS.ProcessEnv): string | null {
  try {
    const base = getCacheDir(env)
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

function getCacheDir(env: NodeJS.ProcessEnv): string {
  const home = os.homedir()
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Caches')
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local')
  return env['XDG_CACHE_HOME'] ?? path.join(home, '.cache')
}
