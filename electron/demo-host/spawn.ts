import { Worker } from 'node:worker_threads'
import type { DialectName } from './dialects/index.ts'

export interface SpawnedDemoHost {
  readonly baseUrl: string
  readonly token: string
  /** Resolves when the thread has ended, for whatever reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

interface SpawnOptions {
  /** The file of `worker.ts`, as source or bundled. */
  readonly worker: URL
  readonly nodes: number
  readonly dialect: DialectName
}

/** Runs the demo host in its own thread, so that building a page never holds up the program that reads it. */
export function spawnDemoHost({ worker: file, nodes, dialect }: SpawnOptions): Promise<SpawnedDemoHost> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { nodes, dialect }, env: {} })
    worker.unref()
    const ended = new Promise<void>((end) => worker.once('exit', () => end()))
    worker.once('error', reject)
    void ended.then(() => reject(new Error('the demo host ended before it was ready')))
    worker.once('message', (started: { baseUrl: string; token: string }) => {
      const close = async (): Promise<void> => {
        await worker.terminate()
      }
      resolve({ ...started, ended, close })
    })
  })
}
