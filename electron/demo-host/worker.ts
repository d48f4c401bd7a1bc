import { parentPort, workerData } from 'node:worker_threads'
import { startServedRecording } from './recorded/recorded-host.ts'
import type { DemoSource } from './demo-thread.ts'
import { startDemoHost } from './server.ts'

const source = workerData as DemoSource
const { baseUrl, token } =
  'recording' in source
    ? await startServedRecording(source.recording, { from: source.from })
    : await startDemoHost(source)
parentPort?.postMessage({ baseUrl, token })
