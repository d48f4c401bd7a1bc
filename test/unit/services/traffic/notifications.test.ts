import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { beginLocalExchange } from '../../../../electron/services/panel/policy/local-exchange.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import { createRecorder } from '../../../../electron/services/traffic/recorder.ts'

/** The longest time for which a page may not know of a recorded exchange. */
const MAX_UNKNOWN_MS = 250
/** Each notification makes every page render. */
const MIN_PAUSE_MS = 200

test('pages hear of each exchange in a quarter of a second, however many there are, and no more often', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const pause = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 }))
  fc.assert(
    fc.property(fc.array(pause, { maxLength: 40 }), (pauses) => {
      const bus = createBus()
      const published: { time: number; newest: number }[] = []
      bus.on('traffic.changed', ({ newest }) => published.push({ time: performance.now(), newest }))
      const recorder = createRecorder({
        bus,
        getMaxBodyBytes: () => 1_000,
        conceal: (text) => text,
        createStore: (onChange) => createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange }),
      })
      const call = { method: 'GET', path: '/status', headers: [], body: null, bodyBytes: 0 }
      const endpoint = getEndpointById('status.get')
      const recordedAt = pauses.map((ms) => {
        vi.advanceTimersByTime(ms)
        const start = { startedAt: Date.now(), startedMs: performance.now() }
        beginLocalExchange(recorder, {
          call,
          endpoint,
          origin: { kind: 'console', label: null },
          target: null,
          rule: 'x',
          ...start,
        })(null)
        return performance.now()
      })
      vi.advanceTimersByTime(1_000)
      const delays = recordedAt.map(
        (time, index) => (published.find(({ newest }) => newest > index)?.time ?? Infinity) - time,
      )
      expect(Math.max(0, ...delays)).toBeLessThanOrEqual(MAX_UNKNOWN_MS)
      const pausesBetween = published.slice(1).map(({ time }, index) => time - (published[index]?.time ?? 0))
      expect(Math.min(Infinity, ...pausesBetween)).toBeGreaterThanOrEqual(MIN_PAUSE_MS)
    }),
    { numRuns: 40 },
  )
})
