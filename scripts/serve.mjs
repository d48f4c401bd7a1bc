// npm run serve: the browser host, with the page built first where it is not up to date.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { become } from './lib/run.mjs'

const flags = process.argv.slice(2)
if (!flags.includes('--help')) ensureBuilt('web')
become(process.execPath, ['electron/serve.ts', ...flags])
