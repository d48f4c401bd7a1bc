// npm pack: builds what the package for npm consists of, the command line and the browser host. Everything is bundled: it depends on nothing.
import './lib/ensure-node.mjs'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { ensureBuilt } from './lib/build.mjs'
import { root } from './lib/paths.mjs'

ensureBuilt('web')
ensureBuilt('cli')
// npm packs the file that `main` names, whatever `files` says; the next start of the desktop app builds it again.
rmSync(path.join(root, 'out', 'main'), { recursive: true, force: true })
