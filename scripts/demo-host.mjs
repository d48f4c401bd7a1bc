// npm run demo-host: runs the simulated host without the app.
import './lib/ensure-node.mjs'

await import('../electron/demo-host/main.ts')
