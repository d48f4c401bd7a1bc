import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

const module = path.join(root, 'node_modules', 'electron')

/** The Electron executable: `ELECTRON_PATH`, or the one that the electron package fetched; null where there is none. */
export function findElectron() {
  const given = process.env['ELECTRON_PATH']
  if (given && existsSync(given)) return given
  try {
    const file = path.join(module, 'dist', readFileSync(path.join(module, 'path.txt'), 'utf8').trim())
    return existsSync(file) ? file : null
  } catch {
    return null
  }
}

/** Fetches the binary as the electron package does it; gives up after `timeoutMs`. Null where it cannot be had. */
export function fetchElectron(timeoutMs = 8_000) {
  const install = path.join(module, 'install.js')
  if (!existsSync(install)) return null
  // A slow but working network deserves longer than a dead one: the address is tried first.
  const reachable = spawnSync(process.execPath, ['-e', probe], { timeout: 3_000, stdio: 'ignore' }).status === 0
  if (!reachable) return null
  spawnSync(process.execPath, [install], { cwd: root, timeout: Math.max(timeoutMs, 300_000), stdio: ['ignore', 'ignore', 'ignore'] })
  return findElectron()
}

const probe =
  "require('node:https').request({host:'github.com',method:'HEAD',timeout:2000},()=>process.exit(0)).on('error',()=>process.exit(1)).on('timeout',()=>process.exit(1)).end()"

/** Flags that Chromium needs where the program runs as root, as in containers. */
export const rootFlags = () => (process.getuid?.() === 0 ? ['--no-sandbox'] : [])

/** Whether a window can be shown. */
export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
