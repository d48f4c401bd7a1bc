import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useSwatches } from '../../../renderer/stores/swatches.ts'
import PalettePlace from '../../../renderer/places/palette/PalettePlace.vue'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

let scope: EffectScope
const inScope = <T>(build: () => T): T => scope.run(build) as T

beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
})

const value = (hex: string) => ({ hex, rgba: { r: 1, g: 2, b: 3, a: 1 } })

function host(colors: unknown) {
  return installFakeServiceProcess({
    'bridge.read': (input) => ({
      meta: {
        exchangeId: 'e1',
        endpoint: (input as { endpoint: string }).endpoint,
        method: 'GET',
        path: '/x',
        status: 200,
        contentType: 'application/json',
        headers: {},
        durationMs: 1,
        receivedAt: 1,
        epoch: useConnection().epoch,
        byteLength: 1,
      },
      bytes: new TextEncoder().encode(JSON.stringify({ colors })).buffer,
    }),
  })
}

test('the palette of a study set is read once for all its cards, and again after an interruption', async () => {
  const { calls } = host([{ colorIndex: 3, baseColor: value('#000000'), displayColor: value('#010203') }])
  /** Reads of palettes alone: components of other files may still poll something. */
  const countReads = (): number =>
    calls.filter(({ input }) => (input as { endpoint?: string }).endpoint === 'studySets.palette').length
  const state = useConnection()
  state.state = createConnectionState()
  const [first, two] = inScope(() => [useSwatches(() => 'T'), useSwatches(() => 'T')])
  await vi.waitFor(() => expect(two?.colorOf(3)?.displayColor.hex).toBe('#010203'))
  expect([first?.colorOf(4), first?.colorOf(null)]).toEqual([null, null])
  expect(countReads()).toBe(1)
  state.state = createConnectionState({ epoch: 2 })
  await vi.waitFor(() => expect(countReads()).toBe(2))
  const topicid = ref<string | null>(null)
  inScope(() => useSwatches(() => topicid.value))
  await nextTick()
  expect(countReads()).toBe(2)
  topicid.value = 'OTHER'
  await vi.waitFor(() => expect(countReads()).toBe(3))
})

test('a level of the wrong type has no color', async () => {
  host([null, 7, { colorIndex: 1, displayColor: { hex: '#fff', rgba: { r: 'url(//x)' } } }])
  useConnection().state = createConnectionState()
  const swatches = inScope(() => useSwatches(() => 'T'))
  await vi.waitFor(() => expect(swatches.failed.value).toBe(false))
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(swatches.colorOf(1)).toBeNull()
})

test('the palette reports how many of its levels were sent and shows any color as sent', async () => {
  const color = (colorIndex: number, red: number) => ({
    colorIndex,
    baseColor: value('#000000'),
    displayColor: { hex: '#FF0000', rgba: { r: red, g: 0, b: 0, a: 1 } },
  })
  installFakeServiceProcess({
    'bridge.read': () =>
      createReadReply(
        'studySets.palette',
        JSON.stringify({ title: 'T', count: 99, colors: [color(0, 1), color(1, 300)] }),
      ),
    'app.info': () => appInfo,
  })
  const page = mountComponent(PalettePlace, { route: '/study-sets/:topicid/palette' })
  await page.vm.$router.push('/study-sets/T/palette')
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toContain('2 of 99 levels'))
  // The range of a channel was observed, and the specification does not state it.
  expect(page.text()).toContain('rgb(300, 0, 0)')
  page.find('.findings .toggle').element.dispatchEvent(new MouseEvent('click'))
  await vi.waitFor(() => expect(page.text()).toContain('is missing'))
  expect(page.text()).not.toContain('0..255')
})
