import { afterEach, expect, test, vi } from 'vitest'
import { h } from 'vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useDocumentTitle } from '../../../renderer/stores/documents.ts'
import { answered } from '../../support/answers.ts'
import { outside, show } from '../../support/page.ts'
import { connection } from '../../support/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test.each([
  ['a list that is none', '{"title":"Anatomy.pdf","items":7,"duplicates":[]}'],
  ['nothing wrong', '{"title":"Anatomy.pdf","items":[],"duplicates":[]}'],
])('the title of a document is found in an answer with %s', async (_, body) => {
  outside({ 'bridge.read': () => answered('documents.excerpts', body) })
  const page = show({
    setup() {
      const title = useDocumentTitle(() => 'b')
      return () => h('p', title.value ?? '')
    },
  })
  useConnection().state = connection()
  await vi.waitFor(() => expect(page.text()).toBe('Anatomy.pdf'))
})
