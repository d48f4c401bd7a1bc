import { afterEach, expect, test } from 'vitest'
import TreeProgress from '../../../renderer/places/tree/TreeProgress.vue'
import { mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
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
