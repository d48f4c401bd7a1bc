import { Worker } from 'node:worker_threads'
import type { DialectName } from './dialects/index.ts'

interface DemoHostThread {
  readonly baseUrl: string
  readonly token: string
  /** Resolves when the thread has ended, for whatever reason. */
  readonly whenEnded: Promise<void>
  close(): Promise<void>
}

interface SpawnOptions {
  /** The file of `worker.ts`, as source or bundled. */
  readonly worker: URL
  readonly nodes: number
  readonly dialect: DialectName
}

/** Runs the demo host in its own thread, so that building a page never holds up the program that reads it. */
export function spawnDemoHost({ worker: file, nodes, dialect }: SpawnOptions): Promise<DemoHostThread> {
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
      resolve({ ...started, whenEnded: ended, close })
    })
  })
}

/** One demo host for as long as the program wants one. */
interface DemoKeeper {
  /** The running one, or a new one; again a new one after that has ended. */
  start(): Promise<DemoHostThread>
  isRunning(): boolean
  /** Stops it within `PATIENCE_MS`, because the end of the program waits for it. */
  close(): Promise<void>
}

const PATIENCE_MS = 500

export function createDemoKeeper(options: Parameters<typeof spawnDemoHost>[0]): DemoKeeper {
  let current: Promise<DemoHostThread> | null = null

  function launch(): Promise<DemoHostThread> {
    const launched = spawnDemoHost(options)
    const gone = (): void => {
      if (current === launched) current = null
    }
    launched.then(({ whenEnded: ended }) => void ended.then(gone), gone)
    return launched
  }

  return {
    start: () => (current ??= launch()),
    isRunning: () => current !== null,
    async close() {
      const ending = current?.then((host) => host.close()).catch(() => undefined)
      current = null
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)))
      await Promise.race([ending, patience])
      clearTimeout(timer)
    },
  }
}
