import { Worker } from 'node:worker_threads'
import type { RepeatedExchange } from '../core/recordings/reduction/recording-reduction.ts'
import type { ReplaySource } from '../core/recordings/replay/replay-timeline.ts'
import { THREAD_MEMORY } from '../system/thread-priority.ts'
import type { DialectName } from './dialects/index.ts'

interface DemoHostThread {
  readonly baseUrl: string
  readonly token: string
  /** Also resolves if the thread fails. */
  readonly whenEnded: Promise<void>
  close(): Promise<void>
}

/** A generated library, or a recording that is served. */
export type DemoSource =
  | { readonly nodes: number; readonly dialect: DialectName }
  | { readonly recording: string; readonly from: 'start' | 'end' }

interface WorkerOptions {
  /** The URL of `worker.ts`, as source or bundled. */
  readonly worker: URL
}

/** Uses a thread, so that building a large response never blocks the inspector. */
export function spawnDemoHost({ worker: workerUrl, ...source }: WorkerOptions & DemoSource): Promise<DemoHostThread> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: source, env: {}, resourceLimits: THREAD_MEMORY })
    worker.unref()
    const whenEnded = new Promise<void>((end) => worker.once('exit', () => end()))
    worker.once('error', reject)
    void whenEnded.then(() => reject(new Error('the demo host ended before it was ready')))
    worker.once('message', (connection: { baseUrl: string; token: string }) => {
      const close = async (): Promise<void> => {
        await worker.terminate()
      }
      resolve({ ...connection, whenEnded, close })
    })
  })
}

/** See `recorded/repeated-requests.ts`, which is loaded when it is first needed. */
export async function* repeatRequests(source: ReplaySource): AsyncGenerator<RepeatedExchange> {
  const { repeatRequests: repeat } = await import('./recorded/repeated-requests.ts')
  yield* repeat(source)
}

const CLOSE_TIMEOUT_MS = 500

export function createDemoHostManager(options: Parameters<typeof spawnDemoHost>[0]) {
  let current: Promise<DemoHostThread> | null = null

  function launch(): Promise<DemoHostThread> {
    const launched = spawnDemoHost(options)
    const onEnd = (): void => {
      if (current === launched) current = null
    }
    launched.then(({ whenEnded }) => void whenEnded.then(onEnd), onEnd)
    return launched
  }

  return {
    start: (): Promise<DemoHostThread> => (current ??= launch()),
    isRunning: (): boolean => current !== null,
    /** Stops the host. Waits at most `CLOSE_TIMEOUT_MS`, because the program cannot end before. */
    async close(): Promise<void> {
      const closing = current?.then((host) => host.close()).catch(() => undefined)
      current = null
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)))
      await Promise.race([closing, timeout])
      clearTimeout(timer)
    },
  }
}
