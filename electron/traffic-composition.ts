import type { Bus } from './services/bus.ts'
import type { Log } from './services/files/log.ts'
import type { Notices } from './services/notices.ts'
import type { Redactor } from './services/redactor.ts'
import type { SettingsService } from './services/settings/settings.ts'
import type { FindingsChange } from './services/findings/findings-judge.ts'
import { createMemoryStore } from './services/traffic/memory-store.ts'
import { createRecorder, type Recorder } from './services/traffic/recorder.ts'
import { createThreadStore } from './services/traffic/thread/thread-store.ts'

interface Surroundings {
  readonly dataDir: string
  /** Nothing is kept beyond what a caller is about to read. */
  readonly visiting: boolean
  /** The file that the store's thread runs. */
  readonly worker: URL
  readonly bus: Bus
  readonly notices: Notices
  readonly log: Log
  readonly redactor: Redactor
  readonly settings: SettingsService
  readonly onFindings: (change: FindingsChange) => void
}

const MB = 1024 * 1024

/** Exchanges that a visitor keeps: its own last answers, of any size. */
const VISIT = { reason: 'TRAFFIC_VISIT', maxExchanges: 4, maxBytes: Infinity } as const

/** The recorder with its store in the data directory; it follows the settings, and every token that becomes known. */
export function composeTraffic({
  dataDir,
  visiting,
  worker,
  bus,
  notices,
  log,
  redactor,
  settings,
  onFindings,
}: Surroundings): Recorder {
  const runStartedAt = Date.now()
  const recorder = createRecorder(
    {
      bus,
      conceal: (text) => redactor.conceal(text),
      getMaxBodyBytes: () => (visiting ? settings.get().responseLimitBytes : settings.get().trafficBodyMb * MB),
      createStore: (onChange) =>
        visiting
          ? createMemoryStore({ ...VISIT, onChange })
          : createThreadStore({ dataDir, runStartedAt, worker, notices, log, onChange, onFindings }),
    },
    runStartedAt,
  )
  const { store } = recorder
  const bound = (): void => {
    const { trafficKeepDays: keepDays, trafficMaxMb } = settings.get()
    store.setBounds({ keepDays, maxBytes: trafficMaxMb * MB })
  }
  redactor.onRegister((tokens) => store.addTokens(tokens))
  bus.subscribe(({ topic }) => {
    if (topic === 'settings.changed') bound()
  })
  bound()
  return recorder
}
