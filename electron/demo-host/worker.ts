import { parentPort, workerData } from 'node:worker_threads'
import type { DialectName } from './dialects/index.ts'
import { startDemoHost } from './server.ts'

const { nodes, dialect } = workerData as { nodes: number; dialect: DialectName }
const { baseUrl, token } = await startDemoHost({ nodes, dialect })
parentPort?.postMessage({ baseUrl, token })
