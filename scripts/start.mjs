// npm start: the desktop window; where there is no Electron binary or no display, the browser host instead.
import { ensureBuilt } from './lib/build.mjs'
import { fetchElectron, findElectron, hasDisplay, rootFlags } from './lib/electron.mjs'
import { root } from './lib/paths.mjs'
import { become } from './lib/run.mjs'

const flags = process.argv.slice(2)
const electron = hasDisplay() ? (findElectron() ?? fetchElectron()) : findElectron()

if (electron && hasDisplay()) {
  ensureBuilt('desktop')
  become(electron, [...rootFlags(), root, ...flags])
} else {
  const why = electron || !hasDisplay() ? 'There is no display for a window' : 'The Electron binary cannot be fetched here'
  process.stderr.write(`${why}: starting Bridge Inspector in the browser instead.\n`)
  if (!flags.includes('--help')) ensureBuilt('web')
  become(process.execPath, ['electron/serve.ts', ...flags])
}
