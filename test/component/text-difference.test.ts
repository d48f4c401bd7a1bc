import { expect, test } from 'vitest'
import TextDifference from '../../renderer/components/TextDifference.vue'
import { MAX_COMPARED_CHARS } from '../../renderer/components/json/text-difference-view.ts'
import { mountComponent } from '../support/vue/mounting.ts'

const sharedText = 'x\n'.repeat(MAX_COMPARED_CHARS / 2)

test('a comparison of long texts reports how much of them it compares', () => {
  const props = { before: sharedText, after: `${sharedText}y`, label: 'Comparison' }
  const { element } = mountComponent(TextDifference, { props })
  expect(element.querySelector('[role="note"]')?.textContent).toBe(
    'Only the first 500,000 characters of each are compared.',
  )
})

test('a comparison of complete texts reports no limit', () => {
  const { element } = mountComponent(TextDifference, { props: { before: 'a', after: 'b', label: 'Comparison' } })
  expect(element.querySelector('[role="note"]')).toBeNull()
})
