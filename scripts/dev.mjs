// npm run dev: runs the app with a page that updates when its files change. It opens an Electron
// window if there is a binary and a display, otherwise the browser host.
import './lib/ensure-node.mjs'
import http from 'node:http'
import path from 'node:path'
import { findElectron, hasDisplay, getRootFlags } from './lib/electron.mjs'
import { bin, callerFolder, root } from './lib/paths.mjs'
import { runInForeground } from './lib/run.mjs'

const flags = process.argv.slice(2)
const electron = hasDisplay() ? findElectron() : null

if (electron) {
  const sandbox = getRootFlags().length > 0 ? ['--noSandbox'] : []
  // Without a path, electron-vite looks for the binary itself and throws if it was never
  // downloaded.
  const env = { ...process.env, ELECTRON_EXEC_PATH: electron, ELECTRON_ENTRY: root }
  runInForeground(bin('electron-vite'), ['dev', root, '--watch', ...sandbox, '--', ...flags], env)
} else {
  process.stderr.write('No Electron binary or no display; using the browser instead.\n')
  const { createServer } = await import('vite')
  const { serveBrowserHost: serveBrowserHost } = await import('../electron/serve.ts')
  process.chdir(callerFolder)
  // This server never listens: it only passes the browser host's upgrades on to Vite.
  const upgrades = new http.Server()
  const vite = await createServer({
    configFile: path.join(root, 'scripts/build/web.config.ts'),
    // CORS is off, because no page of another origin may read from this server, not even one on
    // this machine.
    server: { middlewareMode: true, ws: { server: upgrades }, cors: false },
    appType: 'spa',
  })
  const assets = (request, response) =>
    new Promise((resolve) => {
      response.once('close', resolve)
      vite.middlewares(request, response, () => response.writeHead(404).end())
    })
  await serveBrowserHost(flags, assets, (request, socket, head) => upgrades.emit('upgrade', request, socket, head))
}
