import type { Bus } from './services/bus.ts'
import type { Log } from './services/files/log.ts'
import type { Notices } from './services/notices.ts'
import type { Redactor } from './services/redactor.ts'
import type { SettingsService } from './services/settings/settings.ts'
import { createContractPublisher } from './services/contract/contract-publisher.ts'
import type { FindingsChange } from './services/findings/findings-judge.ts'
import { resolveRecentFilter, type TrafficFilter } from '../shared/traffic/traffic-filter.ts'
import { createMemoryStore } from './services/traffic/memory-store.ts'
import { createRecorder, type Recorder } from './services/traffic/recorder.ts'
import { resolveFindingFilter } from './services/traffic/traffic-filter.ts'
import { createThreadStore } from './services/traffic/thread/thread-store.ts'

interface TrafficOptions {
  readonly dataDir: string
  /** If true, the program stores only exchanges that a command is about to read. */
  readonly isVisit: boolean
  /** Start of the run whose exchanges are stored, in epoch milliseconds. */
  readonly runStartedAt: number
  /** The end of a recording that is shown, in epoch milliseconds. */
  readonly recordingEndedAt: number | undefined
  /** If true, a visit keeps as many exchanges as fit into memory, and finds mistakes in them. */
  readonly keepsTraffic: boolean
  /** The module that runs in the store's worker thread. */
  readonly worker: URL
  readonly bus: Bus
  readonly notices: Notices
  readonly log: Log
  readonly redactor: Redactor
  readonly settings: SettingsService
  readonly onFindings: (change: FindingsChange) => void
  /** Returns the positions of the exchanges that show findings. */
  readonly listFindingSeqs: () => number[]
}

const MB = 1024 * 1024

/** A program that only visits keeps its last exchanges, with bodies of any size, in memory. */
const VISIT = { maxExchanges: 4, maxBytes: Infinity }
const VISIT_WITH_TRAFFIC = { maxExchanges: 20_000, maxBytes: 256 * MB }

/** The store lies in the data directory, applies changed settings and receives every new token. */
export function composeTraffic({
  dataDir,
  isVisit,
  runStartedAt,
  recordingEndedAt,
  keepsTraffic,
  worker,
  bus,
  notices,
  log,
  redactor,
  settings,
  onFindings,
  listFindingSeqs,
}: TrafficOptions): Recorder {
  const onContract = createContractPublisher(bus)
  const recorder = createRecorder(
    {
      bus,
      conceal: (text) => redactor.conceal(text),
      getMaxBodyBytes: () =>
        isVisit && !keepsTraffic ? settings.get().responseLimitBytes : settings.get().trafficBodyMb * MB,
      createStore: (onChange) => {
        const store = isVisit
          ? createMemoryStore({
              reason: 'TRAFFIC_VISIT',
              onChange,
              ...(keepsTraffic ? { ...VISIT_WITH_TRAFFIC, onFindings, onContract } : VISIT),
            })
          : createThreadStore({ dataDir, runStartedAt, worker, notices, log, onChange, onFindings, onContract })
        const resolve = (filter: TrafficFilter): TrafficFilter =>
          resolveRecentFilter(resolveFindingFilter(filter, listFindingSeqs), recordingEndedAt ?? Date.now())
        return {
          ...store,
          find: (filter, sort, after) => store.find(resolve(filter), sort, after),
          head: (filter, ...options) => store.head(resolve(filter), ...options),
          countOverTime: (span) => store.countOverTime({ ...span, filter: resolve(span.filter) }),
        }
      },
    },
    runStartedAt,
  )
  const { store } = recorder
  const applyBounds = (): void => {
    const { trafficKeepDays: keepDays, trafficMaxMb } = settings.get()
    store.setBounds({ keepDays, maxBytes: trafficMaxMb * MB })
  }
  redactor.onRegister((tokens) => store.addTokens(tokens))
  bus.on('settings.changed', applyBounds)
  applyBounds()
  return recorder
}
