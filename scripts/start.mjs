// npm start: the desktop window; where there is no Electron binary or no display, the browser host instead.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { fetchElectron, findElectron, hasDisplay, rootFlags } from './lib/electron.mjs'
import { root } from './lib/paths.mjs'
import { become } from './lib/run.mjs'

const flags = process.argv.slice(2)
const help = flags.includes('--help')
const found = help ? null : findElectron()
const electron = help || !hasDisplay() ? null : (found ?? (await fetchElectron()))

if (electron) {
  ensureBuilt('desktop')
  become(electron, [...rootFlags(), root, ...flags])
} else if (help) {
  become(process.execPath, ['electron/serve.ts', '--help'])
} else {
  const why = found
    ? 'No display for the Electron window here (DISPLAY is not set)'
    : 'No Electron binary here (node node_modules/electron/install.js fetches it)'
  process.stderr.write(`${why}; starting in the browser instead.\n`)
  ensureBuilt('web')
  become(process.execPath, ['electron/serve.ts', ...flags])
}
