import { spawnSync } from 'node:child_process'
import { aptInstall, mayInstall } from './chromium.mjs'

/**
 * Debian's packages with what Electron links to; the libraries of GTK bring most of it. Newer
 * releases have renamed some.
 */
const packages = [
  ['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2'],
  ['libgtk-3-0t64', 'libnss3', 'libgbm1', 'libasound2t64'],
]

/**
 * Libraries that a program needs and this machine does not have, by file name. Empty where the
 * system does not tell (anything but Linux).
 */
export function missingLibraries(program) {
  if (process.platform !== 'linux') return []
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name)
}

/**
 * Installs the libraries that Electron lacks, if that is possible without asking. Returns what
 * keeps it from starting, or null.
 */
export function ensureLibraries(electron) {
  if (missingLibraries(electron).length === 0) return null
  if (mayInstall()) {
    process.stderr.write('Installing libraries of Electron for the tests (apt-get install libgtk-3-0 …)…\n')
    packages.some((names) => aptInstall(...names))
  }
  const missing = missingLibraries(electron)
  return missing.length === 0
    ? null
    : `Electron lacks ${missing.join(', ')} (on Debian: sudo apt-get install ${packages[0].join(' ')})`
}
