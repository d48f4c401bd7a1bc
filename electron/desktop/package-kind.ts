import { readFileSync } from 'node:fs'
import path from 'node:path'

/** How this copy of the program was installed, where that can be repeated. */
export type PackageKind = 'AppImage' | 'deb' | 'rpm' | 'nsis' | 'mac'

interface Machine {
  readonly platform: NodeJS.Platform
  /** Where the package put what belongs to the program. */
  readonly resourcesPath: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Null for an unpacked folder, and while developing. Linux packages say what they are in a file. */
export function detectPackageKind({ platform, resourcesPath, env }: Machine, packaged: boolean): PackageKind | null {
  if (!packaged) return null
  if (platform === 'win32') return 'nsis'
  if (platform === 'darwin') return 'mac'
  if (env['APPIMAGE'] !== undefined) return 'AppImage'
  try {
    const said = readFileSync(path.join(resourcesPath, 'package-type'), 'utf8').trim()
    return said === 'deb' || said === 'rpm' ? said : null
  } catch {
    return null
  }
}
