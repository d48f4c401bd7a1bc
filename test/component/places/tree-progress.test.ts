import { afterEach, expect, test } from 'vitest'
import TreeProgress from '../../../renderer/places/tree/TreeProgress.vue'
import { mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test('only the end of a listing is announced', async () => {
  const page = mountComponent(TreeProgress, { props: { status: 'loading', loaded: 5, total: 20 } })
  const region = document.querySelector('[aria-live]')
  expect(region?.textContent).toContain('5 of 20')
  expect(region?.getAttribute('aria-live')).toBe('off')
  await page.setProps({ status: 'cancelled' })
  expect(region?.textContent).toContain('Stopped')
  expect(region?.getAttribute('aria-live')).toBe('polite')
})

test.each([
  ['loading', 'Loading cards'],
  ['cancelled', 'Stopped'],
  ['paused', ''],
  ['failed', ''],
  ['complete', 'no cards'],
] as const)(
  'a listing that is %s, and has no cards so far, has none only once it is complete',
  (status, expectedText) => {
    const text = mountComponent(TreeProgress, { props: { status, loaded: 0, total: null } }).text()
    expect(text).toContain(expectedText)
    expect(text.includes('no cards')).toBe(status === 'complete')
  },
)
