// npm pack runs this script first. It builds the contents of the package for npm, the command line
// and the browser host, as bundles without dependencies.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { reduceManifest, restoreManifest } from './lib/npm-manifest.mjs'

// npm pack runs this script before packing and, with `--after`, once it is done.
if (process.argv.includes('--after')) {
  restoreManifest()
  process.exit(0)
}
restoreManifest()

ensureBuilt('web')
ensureBuilt('cli')
reduceManifest()
