import { afterEach, expect, test, vi } from 'vitest'
import { h } from 'vue'
import DuplicateInspector from '../../../renderer/places/excerpts/DuplicateInspector.vue'
import DuplicateList from '../../../renderer/places/excerpts/DuplicateList.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useDocumentTitle } from '../../../renderer/stores/documents.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test.each([
  ['a list that is none', '{"title":"Anatomy.pdf","items":7,"duplicates":[]}'],
  ['nothing wrong', '{"title":"Anatomy.pdf","items":[],"duplicates":[]}'],
])('finds the title of a document in a response with %s', async (_, body) => {
  installFakeServiceProcess({ 'bridge.read': () => createReadReply('documents.excerpts', body) })
  const page = mountComponent({
    setup() {
      const title = useDocumentTitle(() => 'b')
      return () => h('p', title.value ?? '')
    },
  })
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toBe('Anatomy.pdf'))
})

test('lists duplicates as pairs with text, page, both study sets and both cards, and treats their ids as record ids', async () => {
  const items = [
    { noteid: 'R1', cardNoteId: 'C1', topicid: 'T1', page: 3, startpos: 1, endpos: 2, text: 'The heart' },
    { noteid: 'R2', cardNoteId: 'C2', topicid: 'T2', page: 3, startpos: 1, endpos: 2, text: 'The heart' },
  ]
  const duplicates = [
    { page: 3, noteids: ['R1', 'R2'] },
    { shape: 'of its own', ref: '0'.repeat(8) + '-0000-4000-8000-000000000000' },
  ]
  const page = installFakeServiceProcess({
    'bridge.limits': () => readHostLimits(null),
    'bridge.read': (input) => {
      const { endpoint, query } = input as ReadInput
      if (endpoint === 'notes.batchGet')
        return createReadReply(
          endpoint,
          JSON.stringify({
            items: [
              { noteid: 'C1', title: 'Heart' },
              { noteid: 'C2', title: 'Cor' },
            ],
          }),
        )
      if (endpoint === 'studySets.list')
        return createReadReply(endpoint, JSON.stringify({ studySets: [{ topicid: 'T1', title: 'Anatomy' }] }))
      return createReadReply(
        endpoint,
        JSON.stringify({ duplicates, items: query['duplicatesOnly'] === 1 ? [] : items }),
      )
    },
  })
  const raw = new TextEncoder().encode(JSON.stringify({ duplicates })).buffer
  mountComponent(DuplicateList, { props: { duplicates, raw, bookmd5: 'B', items: [] } })
  useConnection().state = createConnectionState()
  const row = (text: string) => findAllByRole('row').find(({ textContent }) => textContent.includes(text))
  await vi.waitFor(() => expect(row('Cor')?.textContent).toMatch(/1The heart3.*Heart.*T2.*Cor/))
  expect(findAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/notes/C1?topicid=T1',
    '/notes/C2?topicid=T2',
  ])
  await vi.waitFor(() => expect(row('of its own')?.textContent).toContain('{"shape":"of its own"'))
  expect(page.calls.filter(({ input }) => (input as ReadInput).endpoint === 'documents.excerpts')).toHaveLength(1)
  document.body.innerHTML = ''
  const ids = [{ id: 'R9', kind: 'note', name: '' }] as const
  mountComponent(DuplicateInspector, { props: { sides: [], ids, source: '{}', noCardText: '', title: 'Duplicate' } })
  expect(getByRole('link', 'record R9…').getAttribute('href')).toBe('/id/R9')
})

test('an excerpt without a card is known as such only once the whole listing was read', async () => {
  const duplicates = [{ page: 3, noteids: ['R1', 'R2'] }]
  const items = [
    { noteid: 'R1', topicid: 'T1', page: 3, startpos: 1, endpos: 2, text: 'The heart' },
    { noteid: 'R2', topicid: 'T2', page: 3, startpos: 1, endpos: 2, text: 'The heart' },
  ]
  const listing = Promise.withResolvers<null>()
  installFakeServiceProcess({
    'bridge.limits': () => readHostLimits(null),
    'bridge.read': async (input) => {
      const { endpoint } = input as ReadInput
      if (endpoint !== 'documents.excerpts') return createReadReply(endpoint, '{"studySets":[],"items":[]}')
      await listing.promise
      return createReadReply(endpoint, JSON.stringify({ duplicates, items }))
    },
  })
  const raw = new TextEncoder().encode(JSON.stringify({ duplicates })).buffer
  const page = mountComponent(DuplicateList, { props: { duplicates, raw, bookmd5: 'B', items } as never })
  await vi.waitFor(() => expect(page.text()).toContain('card not known'))
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toContain('…'))
  expect(page.text()).not.toMatch(/no card|card not known/)
  listing.resolve(null)
  await vi.waitFor(() => expect(page.text()).toContain('no card'))
})
