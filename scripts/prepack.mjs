// npm pack: builds what the package for npm consists of, the command line and the browser host.
// Everything is bundled: it depends on nothing.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { reduceManifest, restoreManifest } from './lib/npm-manifest.mjs'

// npm pack runs this before and, with `--after`, once it is done.
if (process.argv.includes('--after')) {
  restoreManifest()
  process.exit(0)
}
restoreManifest()

ensureBuilt('web')
ensureBuilt('cli')
reduceManifest()
