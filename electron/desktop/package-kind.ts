import { readFileSync } from 'node:fs'
import path from 'node:path'

export type PackageKind = 'AppImage' | 'deb' | 'rpm' | 'nsis' | 'mac'

interface Machine {
  readonly platform: NodeJS.Platform
  /** The folder in which the package installs the app's resources. */
  readonly resourcesPath: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Null for an unpacked folder on Linux, and in development. deb and rpm have a file with it. */
export function detectPackageKind({ platform, resourcesPath, env }: Machine, isPackaged: boolean): PackageKind | null {
  if (!isPackaged) return null
  if (platform === 'win32') return 'nsis'
  if (platform === 'darwin') return 'mac'
  if (env['APPIMAGE'] !== undefined) return 'AppImage'
  try {
    const kind = readFileSync(path.join(resourcesPath, 'package-type'), 'utf8').trim()
    return kind === 'deb' || kind === 'rpm' ? kind : null
  } catch {
    return null
  }
}
