import { afterEach, expect, test } from 'vitest'
import { createApp, defineComponent, h, nextTick, ref, useTemplateRef, type App, type Ref } from 'vue'
import { useRowWindow } from '../../renderer/components/tree/row-window.ts'

const HEIGHT = 20
const VIEW = 400
let app: App | null = null
afterEach(() => {
  app?.unmount()
  document.body.innerHTML = ''
})

/** A box of 400 px over `count` rows of 20 px; happy-dom has no layout, so its height is given. */
async function mounted(count: Ref<number>, rowHeight = ref(HEIGHT)) {
  let rows: ReturnType<typeof useRowWindow> | undefined
  const Box = defineComponent(() => {
    const box = useTemplateRef<HTMLElement>('box')
    rows = useRowWindow(box, count, rowHeight)
    return () => h('div', { ref: 'box' })
  })
  const root = document.createElement('div')
  document.body.append(root)
  app = createApp(Box)
  app.mount(root)
  const box = root.firstElementChild as HTMLElement
  Object.defineProperty(box, 'clientHeight', { configurable: true, value: VIEW })
  await nextTick()
  if (!rows) throw new Error('not mounted')
  const rendered = rows
  const scroll = (top: number): void => {
    box.scrollTop = top
    box.dispatchEvent(new Event('scroll'))
  }
  const inView = (): { first: number; last: number } => {
    const all = rendered.items.value.filter(({ y }) => y + rowHeight.value > box.scrollTop && y < box.scrollTop + VIEW)
    return { first: all[0]?.row ?? -1, last: all.at(-1)?.row ?? -1 }
  }
  return { ...rendered, box, scroll, inView }
}

test('the first frame has rows before the viewport is measured', async () => {
  const { items } = await mounted(ref(1000))
  expect(items.value[0]).toEqual({ row: 0, y: 0 })
  expect(items.value.length).toBeGreaterThan(20)
  expect(items.value.length).toBeLessThan(100)
})

const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))

test('the visible rows are rendered first, and the rows around them two frames later', async () => {
  const count = ref(0)
  const { items } = await mounted(count)
  count.value = 1000
  const visibleCount = Math.ceil(window.innerHeight / HEIGHT)
  expect(items.value.length).toBe(visibleCount)
  await frame()
  await frame()
  await frame()
  expect(items.value.length).toBeGreaterThan(visibleCount)
  // Another list starts anew.
  count.value = 0
  await nextTick()
  count.value = 1000
  expect(items.value.length).toBe(visibleCount)
})

test('a jump renders only the visible rows, and the rows around them once scrolling stops', async () => {
  const { items, scroll, scrollTo, inView } = await mounted(ref(200_000))
  scrollTo(0, 'auto')
  for (let n = 0; n < 4; n += 1) await frame()
  const around = items.value.length
  scroll(HEIGHT)
  expect(items.value.length).toBeGreaterThanOrEqual(around)
  for (const top of [100_000, 200_000]) {
    scroll(top)
    expect(items.value.length).toBe(VIEW / HEIGHT)
    expect(inView()).toEqual({ first: top / HEIGHT, last: top / HEIGHT + VIEW / HEIGHT - 1 })
    await frame()
  }
  for (let n = 0; n < 3; n += 1) await frame()
  expect(items.value.length).toBeGreaterThan(around)
})

test('all visible rows are rendered at every scroll position', async () => {
  const { scroll, inView, total, scrollTo } = await mounted(ref(200_000))
  expect(total.value).toBe(4_000_000)
  scrollTo(0, 'auto')
  scroll(100_010)
  expect(inView()).toEqual({ first: 5000, last: 5020 })
  scroll(4_000_000 - VIEW)
  expect(inView()).toEqual({ first: 199_980, last: 199_999 })
})

test('a row is scrolled into view by the shortest way, or to the middle', async () => {
  const { scrollTo, box, inView } = await mounted(ref(1000))
  scrollTo(10, 'auto')
  expect(box.scrollTop).toBe(0)
  scrollTo(30, 'auto')
  expect(inView().last).toBe(30)
  scrollTo(500, 'center')
  expect(inView().first).toBe(490)
  scrollTo(2000, 'auto')
  expect(inView().last).toBe(999)
})

test('a list that becomes shorter than its scroll position shows its end', async () => {
  const count = ref(1000)
  const { scroll, items } = await mounted(count)
  scroll(15_000)
  count.value = 30
  expect(items.value.at(-1)?.row).toBe(29)
  count.value = 0
  expect(items.value).toEqual([])
})

test('all rows can be reached even if they exceed the maximum height of an element', async () => {
  const { scrollTo, box, items } = await mounted(ref(5_000_000))
  scrollTo(4_999_999, 'auto')
  const last = items.value.at(-1)
  expect(last?.row).toBe(4_999_999)
  // Its lower edge is that of the box.
  expect(Math.round((last?.y ?? 0) + HEIGHT - box.scrollTop)).toBe(VIEW)
})
