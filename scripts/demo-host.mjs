// npm run demo-host: runs the simulated host without the app.
import './lib/ensure-node.mjs'
import { callerFolder } from './lib/paths.mjs'

process.chdir(callerFolder)
await import('../electron/demo-host/main.ts')
