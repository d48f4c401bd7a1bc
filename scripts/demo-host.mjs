// npm run demo-host: the simulated host alone.
import './lib/ensure-node.mjs'

await import('../electron/demo-host/main.ts')
