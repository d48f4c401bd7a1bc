import { flushPromises } from '@vue/test-utils'
import { h, nextTick, ref } from 'vue'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import AppToolbar from '../../renderer/components/AppToolbar.vue'
import { findAllByRole, getByRole, mountComponent } from '../support/vue/mounting.ts'

const BAR_HEIGHT = 36

let frames: FrameRequestCallback[] = []
/** How often something asked for a place or a size, which a browser lays the page out for. */
let layouts = 0

/** Items of this class have no room, so they are in the line below. */
function defineLayout(): void {
  const readings = {
    clientHeight: () => BAR_HEIGHT,
    offsetTop: (element: HTMLElement) => (element.matches('.wide') ? BAR_HEIGHT : 0),
  }
  for (const [name, read] of Object.entries(readings))
    vi.spyOn(HTMLElement.prototype, name as 'offsetTop', 'get').mockImplementation(function (this: HTMLElement) {
      layouts += 1
      return read(this)
    })
}

async function showFrame(): Promise<void> {
  const due = frames
  frames = []
  for (const run of due) run(performance.now())
  await nextTick()
}

beforeEach(() => {
  frames = []
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => frames.push(run))
  defineLayout()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

const count = ref('')
const isWide = ref(false)

async function mountBar(): Promise<void> {
  count.value = '1 call'
  isWide.value = false
  mountComponent(AppToolbar, {
    slots: {
      default: () => [h('span', count.value), h('div', { class: { wide: isWide.value } }, h('button', 'Clear'))],
    },
  })
  await flushPromises()
  await showFrame()
  layouts = 0
}

test('a text that changes in a bar asks for no layout before the next frame', async () => {
  await mountBar()
  for (const text of ['2 calls', '3 calls', '4 calls']) {
    count.value = text
    await flushPromises()
  }
  expect(document.body.textContent).toContain('4 calls')
  expect(layouts).toBe(0)
  await showFrame()
  expect(layouts).toBeGreaterThan(0)
})

test('the first control behind “⋯” gets the focus, also one that is an item by itself', async () => {
  mountComponent(AppToolbar, {
    slots: {
      default: () => [h('span', { class: 'wide' }, count.value), h('button', { class: 'wide' }, 'Clear')],
    },
  })
  await flushPromises()
  count.value = '2 of 5'
  await flushPromises()
  await showFrame()
  getByRole('button', 'All tools').click()
  await flushPromises()
  expect(document.activeElement).toBe(getByRole('button', 'Clear'))
})

test('what has no room goes behind “⋯” in the next frame, and comes back', async () => {
  await mountBar()
  const clear = getByRole('button', 'Clear')
  expect(findAllByRole('button', 'All tools')).toEqual([])
  isWide.value = true
  count.value = '1,000,000 calls'
  await flushPromises()
  expect(clear.matches('[inert] *')).toBe(false)
  await showFrame()
  expect(clear.matches('[inert] *')).toBe(true)

  const menu = getByRole('button', 'All tools')
  menu.click()
  await flushPromises()
  expect(menu.getAttribute('aria-expanded')).toBe('true')
  expect(clear.matches('[inert] *')).toBe(false)
  expect(document.activeElement).toBe(clear)

  isWide.value = false
  count.value = '1 call'
  await flushPromises()
  await showFrame()
  expect(findAllByRole('button', 'All tools')).toEqual([])
  expect(clear.matches('[inert] *')).toBe(false)
})
