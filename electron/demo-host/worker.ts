import { parentPort, workerData } from 'node:worker_threads'
import { startDemoHost } from './server.ts'

const { nodes } = workerData as { nodes: number }
const { baseUrl, token } = await startDemoHost({ nodes })
parentPort?.postMessage({ baseUrl, token })
