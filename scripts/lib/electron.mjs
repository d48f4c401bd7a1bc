import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ensurePlainElectron } from './electron-plain.mjs'
import { root } from './paths.mjs'

const module = path.join(root, 'node_modules', 'electron')

/**
 * Finds the Electron executable: `ELECTRON_PATH`, or the one that the electron package downloaded.
 * Returns null if there is none.
 */
export function findElectron() {
  const configured = process.env['ELECTRON_PATH']
  if (configured && existsSync(configured)) return ensurePlainElectron(path.resolve(configured))
  try {
    const file = path.join(module, 'dist', readFileSync(path.join(module, 'path.txt'), 'utf8').trim())
    return existsSync(file) ? file : null
  } catch {
    return null
  }
}

/**
 * Downloads the binary like the electron package, from its cache or the network. Without a network
 * it gives up after `patienceMs`; while bytes keep coming it waits for all of them. Returns null if
 * the binary is not available.
 */
export async function fetchElectron(patienceMs = 7_000) {
  const install = path.join(module, 'install.js')
  if (process.env['ELECTRON_SKIP_BINARY_DOWNLOAD'] || !existsSync(install)) return null
  const child = spawn(process.execPath, [install], { cwd: root, stdio: 'ignore' })
  const done = new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0))
    child.once('error', () => resolve(false))
  })
  const timeout = new Promise((resolve) => setTimeout(() => resolve('slow'), patienceMs))
  const first = await Promise.race([
    done,
    timeout,
    isReachable(patienceMs).then((can) => (can ? 'reachable' : timeout)),
  ])
  if (first === 'reachable') {
    process.stderr.write('Downloading the Electron binary, once (about 120 MB)…\n')
    await done
  }
  child.kill()
  return findElectron()
}

/** Tells whether the first bytes of the binary can be downloaded. */
async function isReachable(timeoutMs) {
  const { version } = JSON.parse(readFileSync(path.join(module, 'package.json'), 'utf8'))
  const mirror = process.env['ELECTRON_MIRROR'] ?? process.env['npm_config_electron_mirror']
  const folder = mirror ?? 'https://github.com/electron/electron/releases/download/'
  const file = `${folder}v${version}/electron-v${version}-${process.platform}-${process.arch}.zip`
  try {
    const response = await fetch(file, { headers: { range: 'bytes=0-1023' }, signal: AbortSignal.timeout(timeoutMs) })
    const bytes = response.ok && response.body ? await response.body.getReader().read() : null
    return bytes?.done === false
  } catch {
    return false
  }
}

/** Returns the flags that Chromium needs if the program runs as root on Linux, as in containers. */
export function getRootFlags() {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

/** Tells whether a window can be shown. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
}
