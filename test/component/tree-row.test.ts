import { expect, test } from 'vitest'
import TreeRow from '../../renderer/components/tree/TreeRow.vue'
import { foldText } from '../../shared/format/text-folding.ts'
import { mountComponent } from '../support/vue/mounting.ts'

const row = (title: string, highlight: string, isTitleUnread = false, isDimmed = false) =>
  mountComponent(TreeRow, {
    props: {
      id: 'row',
      node: 0,
      y: 0,
      title,
      isTitleUnread,
      noteid: 'N',
      depth: 0,
      position: 1,
      setSize: 1,
      childCount: 0,
      open: false,
      selected: false,
      active: false,
      isDimmed,
      isSubMap: false,
      pageLabel: '',
      hasProblem: false,
      highlight: foldText(highlight),
    },
  })

test.each([
  ['A map of İİİ and a MAP', 'and', 'and'],
  ['İİİ Map of things', 'map', 'Map'],
  ['İstanbul', 'İST', 'İst'],
])('the part of %j that %j matches is highlighted', (title, filter, marked) => {
  const wrapper = row(title, filter)
  expect(wrapper.get('mark').text()).toBe(marked)
  wrapper.unmount()
})

test('a card that only leads to a match is dimmed', () => {
  expect(row('Anatomy', '').get('.title').classes()).not.toContain('muted')
  expect(row('Anatomy', '', false, true).get('.title').classes()).toContain('muted')
})

test('a card without a title is untitled only if the host sent an empty one', () => {
  expect(row('', '').get('.title').text()).toBe('(untitled)')
  expect(row('', '', true).get('.title').text()).toBe('N')
})
