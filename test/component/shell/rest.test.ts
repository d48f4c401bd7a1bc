import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import App from '../../../renderer/App.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { installFakeServiceProcess, mountComponent, type FakeServiceProcess } from '../../support/vue/mounting.ts'
import { setVisibility } from '../../support/vue/visibility.ts'
import { createConnectionState } from '../../support/vue/states.ts'

const timers = ['setTimeout', 'setInterval', 'requestAnimationFrame'] as const
const BEATS = 40
let service: FakeServiceProcess

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...timers, 'clearTimeout', 'clearInterval', 'cancelAnimationFrame', 'Date'] })
  service = installFakeServiceProcess({ 'connection.get': () => createConnectionState() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  document.body.innerHTML = ''
})

async function seeForAMinute(state: 'visible' | 'hidden'): Promise<void> {
  await setVisibility(state)
  await vi.advanceTimersByTimeAsync(60_000)
}

/** A heartbeat as the service tells of it, five seconds after the one before. */
async function beat(n: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(5_000)
  const payload = createConnectionState({ lastSeenAt: Date.now(), latencyMs: 3 + (n % 5) })
  service.push({ topic: 'connection.changed', payload })
  await nextTick()
}

test('a heartbeat triggers no call, and a hidden page starts no timer', async () => {
  const page = mountComponent(App)
  await useConnection().start()
  await seeForAMinute('visible')
  const requestCount = service.calls.length
  for (let n = 0; n < BEATS; n += 1) await beat(n)
  expect(useConnection().state.latencyMs).toBe(3 + ((BEATS - 1) % 5))
  expect(service.calls.slice(requestCount).map(({ method }) => method)).toEqual([])

  await seeForAMinute('hidden')
  expect(vi.getTimerCount()).toBe(0)
  const started = timers.map((name) => vi.spyOn(globalThis, name))
  for (let n = 0; n < BEATS; n += 1) await beat(n)
  expect(started.map(({ mock }) => mock.calls.length)).toEqual(timers.map(() => 0))
  expect(vi.getTimerCount()).toBe(0)
  expect(service.calls.slice(requestCount).map(({ method }) => method)).toEqual([])
  page.unmount()
})
