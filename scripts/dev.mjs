// npm run dev: the app with the page reloading as its files change. In the Electron window where there is a binary and a
// display; otherwise in a browser, against the browser host.
import './lib/ensure-node.mjs'
import http from 'node:http'
import path from 'node:path'
import { findElectron, hasDisplay, rootFlags } from './lib/electron.mjs'
import { bin, root } from './lib/paths.mjs'
import { become } from './lib/run.mjs'

const flags = process.argv.slice(2)
const electron = hasDisplay() ? findElectron() : null

if (electron) {
  const sandbox = rootFlags().length > 0 ? ['--noSandbox'] : []
  // Without a path electron-vite looks for the binary by itself, and throws when it was never fetched.
  const env = { ...process.env, ELECTRON_EXEC_PATH: electron }
  become(bin('electron-vite'), ['dev', '--watch', ...sandbox, '--', ...flags], env)
} else {
  process.stderr.write('No Electron binary or no display here; working in the browser instead.\n')
  const { createServer } = await import('vite')
  const { serve } = await import('../electron/serve.ts')
  // Never listening: it only passes the browser host's upgrades on to Vite.
  const upgrades = new http.Server()
  const vite = await createServer({
    configFile: path.join(root, 'vite.web.config.ts'),
    // No page of another origin has business here, not even of this machine.
    server: { middlewareMode: true, ws: { server: upgrades }, cors: false },
    appType: 'spa',
  })
  const assets = (request, response) =>
    new Promise((resolve) => {
      response.once('close', resolve)
      vite.middlewares(request, response, () => response.writeHead(404).end())
    })
  await serve(flags, assets, (request, socket, head) => upgrades.emit('upgrade', request, socket, head))
}
