// npm run serve: runs the browser host; the page is built first if it is out of date.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import path from 'node:path'
import { root } from './lib/paths.mjs'
import { runInForeground, smallYoungGeneration } from './lib/run.mjs'

const flags = process.argv.slice(2)
const help = flags.includes('--help')
if (!help) ensureBuilt('web')
const file = path.join(root, help ? 'electron/serve.ts' : 'out/serve/serve.js')
runInForeground(process.execPath, [smallYoungGeneration, file, ...flags])
