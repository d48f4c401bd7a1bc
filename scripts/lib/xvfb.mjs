import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { aptInstall } from './chromium.mjs'
import { hasDisplay } from './electron.mjs'

const XVFB = '/usr/bin/Xvfb'

/**
 * Gives this process a display: the one it has, or a virtual one on Linux, installed as root where it is missing. Answers how
 * to end it, or null where there is no display to be had.
 */
export async function ensureDisplay() {
  if (hasDisplay()) return () => undefined
  if (!existsSync(XVFB)) {
    if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null
    process.stderr.write('Installing a virtual display for the tests (apt-get install xvfb)…\n')
    if (!aptInstall('xvfb')) return null
  }
  // The server looks for a free number itself and tells it on the pipe, as soon as it can be used.
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
  if (number === null) return null
  process.env['DISPLAY'] = `:${number}`
  const end = () => void server.kill()
  process.once('exit', end)
  return end
}
