// Debian packages that the tests use. Run as a program, it installs those that are missing, if that
// is possible without asking: the gate does so while npm downloads the dependencies. Imports no
// package.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { canInstallPackages, installDebianPackages } from './chromium.mjs'

/** The browser and the display of the end-to-end specs. */
const browserPackages = ['chromium-headless-shell', 'xvfb']

/** What packs a desktop app, looks into the packages, and uses the installed program. */
export const packagingTools = [
  'xvfb',
  'xauth',
  'dbus',
  'dbus-x11',
  'at-spi2-core',
  'python3-pyatspi',
  'procps',
  'fakeroot',
  'dpkg',
  'rpm',
  'lintian',
]

/** Lists those of these packages that are not installed. */
export function listMissingPackages(names) {
  return names.filter((name) => spawnSync('dpkg', ['-s', name]).status !== 0)
}

if (process.argv[1] === fileURLToPath(import.meta.url) && canInstallPackages()) {
  for (const names of [browserPackages, packagingTools]) {
    const missing = listMissingPackages(names)
    if (missing.length > 0) installDebianPackages(...missing)
  }
}
