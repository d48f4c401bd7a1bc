import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installDebianPackages, canInstallPackages } from './chromium.mjs'
import { hasDisplay } from './electron.mjs'

const XVFB = '/usr/bin/Xvfb'

/**
 * Gives this process a display: the one it has, or virtual ones on Linux, installing Xvfb if it is
 * missing and we are root. Of several displays, each worker gets its own (`E2E_DISPLAYS`), so that
 * no two apps share a focus or a clipboard. Returns a function that stops them, or null if no
 * display is available.
 */
export async function ensureDisplay(count = 1) {
  if (hasDisplay()) return () => undefined
  if (!existsSync(XVFB)) {
    if (!canInstallPackages()) return null
    process.stderr.write('Installing a virtual display for the tests (apt-get install xvfb)…\n')
    if (!installDebianPackages('xvfb')) return null
  }
  const servers = await Promise.all(Array.from({ length: count }, startServer))
  const stopServers = () => {
    for (const server of servers) server?.end()
  }
  process.once('exit', stopServers)
  if (servers.includes(null)) {
    stopServers()
    return null
  }
  const names = servers.map(({ name }) => name)
  process.env['DISPLAY'] = names[0]
  process.env['E2E_DISPLAYS'] = names.join(' ')
  return stopServers
}

/**
 * Starts one server; returns null if it does not start. It chooses a free number itself, and
 * reports it once it can be used.
 */
async function startServer() {
  const server = spawn(XVFB, ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise((resolve) => {
    let text = ''
    server.stdio[3].on('data', (piece) => {
      text += piece
      if (text.includes('\n')) resolve(text.trim())
    })
    server.once('exit', () => resolve(null))
    server.once('error', () => resolve(null))
  })
  return number === null ? null : { name: `:${number}`, end: () => void server.kill() }
}
