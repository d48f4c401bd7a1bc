import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { computed, reactive } from 'vue'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { createPreparedWrite } from '../../support/vue/operations.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

vi.mock('../../../shared/bridge/endpoints/decks.ts', async (original) => {
  const { deckEndpoints } = await original<{ deckEndpoints: readonly unknown[] }>()
  const { extraWriteRows } = await import('../../support/services/extra-write-rows.ts')
  return { deckEndpoints: [...deckEndpoints, ...extraWriteRows] }
})
vi.mock('../../../renderer/stores/cards.ts', async (original) => ({
  ...(await original<object>()),
  useCard: () =>
    reactive({
      item: computed(() => ({ title: 'As it was' })),
      meta: computed(() => null),
      reload: () => undefined,
    }),
}))
const { default: WriteSheet } = await import('../../../renderer/panes/write/WriteSheet.vue')

afterEach(() => {
  document.body.innerHTML = ''
})

test('a write that is declared only in the endpoint table gets a form with its fields', async () => {
  const drafts: CommandDraft[] = []
  installFakeServiceProcess({
    'operations.prepare': (draft) => {
      drafts.push(draft as CommandDraft)
      return createPreparedWrite()
    },
  })
  const sheet = mountComponent(WriteSheet, { props: { endpoint: 'notes.retitle', values: { noteid: 'N' } } })
  expect(document.querySelector('h2')?.textContent).toBe('Gives a card another title.')
  const labels = [...document.querySelectorAll('form label code')].map(({ textContent }) => textContent)
  expect(labels).toEqual(['noteid', 'heading', 'expectedPrefix'])
  const label = [...document.querySelectorAll('label')].find(
    (element) => element.querySelector('code')?.textContent === 'heading',
  )
  const field = document.getElementById(label?.htmlFor ?? '') as HTMLInputElement
  field.value = 'As it is'
  field.dispatchEvent(new Event('input'))
  getByRole('button', 'Review').click()
  await flushPromises()
  expect(drafts).toEqual([
    {
      endpoint: 'notes.retitle',
      params: { noteid: 'N' },
      query: {},
      body: { heading: 'As it is', expectedPrefix: 'As it was' },
    },
  ])
  sheet.unmount()
})
