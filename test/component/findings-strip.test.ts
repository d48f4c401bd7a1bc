import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import FindingsStrip from '../../renderer/panes/FindingsStrip.vue'
import { parseResponse } from '../../renderer/workers/response-parser.ts'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

function mountStrip(items: readonly object[]): void {
  const bytes = new TextEncoder().encode(JSON.stringify({ items })).buffer as ArrayBuffer
  const { findings, findingTotal, omittedCount } = parseResponse('notes.batchGet', bytes)
  mountComponent(FindingsStrip, { props: { findings, findingTotal, omittedCount } })
}

test('what is otherwise than seen on 0.49 is a closed group of its own, without a number', async () => {
  mountStrip([{ noteid: 'A', title: { plain: 'a' } }])
  expect(document.body.textContent.trim()).toBe('Otherwise than seen on 0.49')
  getByRole('button', 'Otherwise than seen on 0.49').click()
  await flushPromises()
  expect(document.body.textContent).toContain('/items/0/title')
  expect(document.body.textContent).toContain('held against nobody')
})

test('a breach of the contract is counted beside that group', () => {
  mountStrip([{ noteid: 'A', title: { plain: 'a' } }, { title: 'without id' }])
  const texts = [...document.querySelectorAll('button')].map(({ textContent }) => textContent.trim())
  expect(texts).toEqual(['1 entry doesn’t fit the contract', 'Otherwise than seen on 0.49'])
})
