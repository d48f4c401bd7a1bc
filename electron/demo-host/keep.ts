import { spawnDemoHost, type SpawnedDemoHost } from './spawn.ts'

/** One demo host for as long as the program wants one. */
interface DemoKeeper {
  /** The running one, or a new one; again a new one after that has ended. */
  start(): Promise<SpawnedDemoHost>
  isRunning(): boolean
  /** Stops it within `PATIENCE_MS`, because the end of the program waits for it. */
  close(): Promise<void>
}

const PATIENCE_MS = 500

export function keepDemoHost(options: Parameters<typeof spawnDemoHost>[0]): DemoKeeper {
  let current: Promise<SpawnedDemoHost> | null = null

  function launch(): Promise<SpawnedDemoHost> {
    const launched = spawnDemoHost(options)
    const gone = (): void => {
      if (current === launched) current = null
    }
    launched.then(({ ended }) => void ended.then(gone), gone)
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
