import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import WriteSheet from '../../../renderer/panes/write/WriteSheet.vue'
import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { CommandDraft } from '../../../shared/operations/prepared-write.ts'
import { documentedWrites } from '../../support/data/documented-bodies.ts'
import { createPreparedWrite } from '../../support/vue/operations.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

let sheet: VueWrapper
afterEach(() => {
  sheet.unmount()
  document.body.innerHTML = ''
})

test.each(Object.entries(documentedWrites))(
  '%s opens with its own form, and its example as JSON',
  async (id, documented) => {
    const { members, params = {}, body } = documented
    const drafts: CommandDraft[] = []
    installFakeServiceProcess({
      'operations.prepare': (draft) => {
        drafts.push(draft as CommandDraft)
        return createPreparedWrite()
      },
    })
    sheet = mountComponent(WriteSheet, { props: { endpoint: id, values: params } })
    const labels = [...document.querySelectorAll('form label code')].map(({ textContent }) => textContent)
    expect(labels.sort()).toEqual([...getEndpointById(id).parameters.map(({ name }) => name), ...members].sort())
    getByRole('radio', 'JSON').click()
    await flushPromises()
    const text = [...document.querySelectorAll('textarea')].find((area) => area.id !== '' && area.closest('.json'))
    if (!text) throw new Error('no JSON')
    text.value = JSON.stringify(body)
    text.dispatchEvent(new Event('input'))
    await flushPromises()
    expect(document.body.textContent).toContain('Matches the contract.')
    getByRole('button', 'Review').click()
    await flushPromises()
    expect(drafts).toEqual([{ endpoint: id, params, query: {}, bodyText: JSON.stringify(body) }])
  },
)
