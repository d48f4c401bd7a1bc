import { afterEach, expect, test, vi } from 'vitest'
import { defineComponent, h, nextTick } from 'vue'
import IncrementalList from '../../renderer/components/IncrementalList.vue'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const entries = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const List = defineComponent({
  props: { list: { type: Array<number>, required: true }, of: { type: String, default: undefined } },
  setup: (props) => () =>
    h(
      IncrementalList,
      { list: props.list, owner: props.of },
      { default: ({ rows }: { rows: readonly number[] }) => rows.map((row) => h('li', row)) },
    ),
})
const countRendered = (): number => document.querySelectorAll('li').length
const button = (): Element | null => document.querySelector('button')

test('a short list is rendered completely at once', () => {
  mountComponent(List, { props: { list: entries(12) } })
  expect(countRendered()).toBe(12)
  expect(button()).toBeNull()
})

test('a long list renders a first slice, grows to a few hundred entries, and continues on request', async () => {
  mountComponent(List, { props: { list: entries(700) } })
  expect(countRendered()).toBe(20)
  const slices: number[] = []
  const observer = new MutationObserver((records) =>
    slices.push(
      records.flatMap(({ addedNodes }) => [...addedNodes]).filter(({ nodeName }) => nodeName === 'LI').length,
    ),
  )
  observer.observe(document.body, { subtree: true, childList: true })
  await vi.waitUntil(() => countRendered() === 300)
  observer.disconnect()
  expect(Math.max(...slices)).toBeLessThanOrEqual(30)
  getByRole('button', 'Show 300 more of 400').click()
  await vi.waitUntil(() => countRendered() === 600)
  getByRole('button', 'Show 100 more of 100').click()
  await vi.waitUntil(() => countRendered() === 700)
  expect([...document.querySelectorAll('li')].map(({ textContent }) => Number(textContent))).toEqual(entries(700))
  expect(button()).toBeNull()
  // The button that had the focus is gone: the keyboard goes on where it was.
  expect(document.activeElement?.textContent).toBe('All 700 are shown.')
})

test('a list keeps its rendered entries when it is read again, and starts over for another owner', async () => {
  const page = mountComponent(List, { props: { list: entries(250), of: 'one' } })
  await vi.waitUntil(() => countRendered() === 250)
  await page.setProps({ list: entries(260) })
  expect(countRendered()).toBeGreaterThanOrEqual(250)
  await vi.waitUntil(() => countRendered() === 260)
  await page.setProps({ list: entries(240), owner: 'two' })
  expect(countRendered()).toBe(20)
  await vi.waitUntil(() => countRendered() === 240)
})

test('a list stops growing when its component is unmounted', async () => {
  const requestSpy = vi.spyOn(window, 'requestAnimationFrame')
  const page = mountComponent(List, { props: { list: entries(300) } })
  page.unmount()
  await nextTick()
  const before = requestSpy.mock.calls.length
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(requestSpy.mock.calls.length).toBe(before)
  requestSpy.mockRestore()
})
