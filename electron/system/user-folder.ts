import os from 'node:os'
import path from 'node:path'

interface System {
  readonly platform: NodeJS.Platform
  readonly home: string
}

const THIS_SYSTEM: System = { platform: process.platform, home: os.homedir() }

/**
 * Returns the folder of a user for the data of programs, or for what may be deleted at any time, by
 * the conventions of the operating system. An empty or relative path in the environment is ignored,
 * as the XDG Base Directory Specification asks.
 */
export function getUserFolder(
  kind: 'config' | 'cache',
  env: Readonly<Record<string, string | undefined>>,
  { platform, home }: System = THIS_SYSTEM,
): string {
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix
  const isConfig = kind === 'config'
  if (platform === 'darwin') return join(home, 'Library', isConfig ? 'Application Support' : 'Caches')
  const [variable, ...folder] =
    platform === 'win32'
      ? ([isConfig ? 'APPDATA' : 'LOCALAPPDATA', 'AppData', isConfig ? 'Roaming' : 'Local'] as const)
      : ([isConfig ? 'XDG_CONFIG_HOME' : 'XDG_CACHE_HOME', isConfig ? '.config' : '.cache'] as const)
  const chosen = env[variable] ?? ''
  return isAbsolute(chosen) ? chosen : join(home, ...folder)
}
