import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from './paths.mjs'

/**
 * Starts the browser host as a separate process, with empty data unless `dataDir` is given, and
 * returns the address with the one-time key.
 *
 * @param from the checkout in which it was built.
 */
export function startServe(flags, dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-')), from = root) {
  const args = ['out/serve/serve.js', '--port', '0', '--no-open', '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, args, { cwd: from, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The browser host exited with code ${code}.`)))
    child.stdout.on('data', (data) => {
      const url = /http:\/\/\S+/.exec(String(data))?.[0]
      if (!url) return
      resolve({
        url,
        /** With `--record`: the address for another client, with its key. */
        recordingUrl: /^Recording: (\S+)/m.exec(String(data))?.[1],
        pid: child.pid,
        close: () =>
          new Promise((closed) => {
            child.removeAllListeners('exit')
            child.once('exit', () => {
              rmSync(dataDir, { recursive: true, force: true })
              closed()
            })
            child.kill('SIGTERM')
          }),
      })
    })
  })
}
