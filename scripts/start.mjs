// npm start: opens the desktop window or, if there is no Electron binary or no display, runs the
// browser host.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { fetchElectron, findElectron, hasDisplay, getRootFlags } from './lib/electron.mjs'
import path from 'node:path'
import { root } from './lib/paths.mjs'
import { runInForeground, smallYoungGeneration } from './lib/run.mjs'

const flags = process.argv.slice(2)
const help = flags.includes('--help')
const installedElectron = help ? null : findElectron()
const electron = help || !hasDisplay() ? null : (installedElectron ?? (await fetchElectron()))

if (electron) {
  ensureBuilt('desktop')
  runInForeground(electron, [...getRootFlags(), root, ...flags])
} else if (help) {
  runInForeground(process.execPath, [path.join(root, 'electron/serve.ts'), '--help'])
} else {
  const why = installedElectron
    ? 'There is no display for the Electron window (DISPLAY is not set)'
    : 'There is no Electron binary (node node_modules/electron/install.js downloads it)'
  process.stderr.write(`${why}; starting in the browser instead.\n`)
  ensureBuilt('web')
  runInForeground(process.execPath, [smallYoungGeneration, path.join(root, 'out/serve/serve.js'), ...flags])
}
