import { expect, test } from 'vitest'
import MemberName from '../../renderer/components/MemberName.vue'
import { mountComponent } from '../support/vue/mounting.ts'

test.each([
  ['expectedByCurrentSettings', ['expected', 'By', 'Current', 'Settings']],
  ['bookmd5', ['bookmd5']],
  ['a_b.c-d', ['a_', 'b.', 'c-', 'd']],
  ['ID', ['ID']],
])('the name %s may break between its words', (name, words) => {
  const page = mountComponent(MemberName, { props: { name } })
  expect(document.body.textContent).toContain(name)
  expect(
    page
      .html()
      .split(/<wbr>/)
      .map((part) => part.replace(/<[^>]*>|\s/g, '')),
  ).toEqual(words)
  document.body.innerHTML = ''
})
