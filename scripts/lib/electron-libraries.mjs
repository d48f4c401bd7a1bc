import { spawnSync } from 'node:child_process'
import { installDebianPackages, canInstallPackages } from './chromium.mjs'

/**
 * Electron links to the libraries in these Debian packages; GTK brings most of the others. The
 * second line has the names in newer releases, which renamed some packages.
 */
const packages = [
  ['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2'],
  ['libgtk-3-0t64', 'libnss3', 'libgbm1', 'libasound2t64'],
]

/**
 * Lists libraries that a program needs and this machine lacks, by file name. Returns an empty list
 * on anything but Linux, where the system does not tell.
 */
export function findMissingLibraries(program) {
  if (process.platform !== 'linux') return []
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name)
}

/**
 * Installs the libraries that Electron lacks, if that is possible without asking. Returns the
 * reason why it cannot start, or null.
 */
export function ensureLibraries(electron) {
  if (findMissingLibraries(electron).length === 0) return null
  if (canInstallPackages()) {
    process.stderr.write('Installing libraries of Electron for the tests (apt-get install libgtk-3-0 …)…\n')
    packages.some((names) => installDebianPackages(...names))
  }
  const missing = findMissingLibraries(electron)
  return missing.length === 0
    ? null
    : `Electron lacks ${missing.join(', ')} (on Debian: sudo apt-get install ${packages[0].join(' ')})`
}
