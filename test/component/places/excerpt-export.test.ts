import { afterEach, expect, test, vi } from 'vitest'
import ExcerptTable from '../../../renderer/places/excerpts/ExcerptTable.vue'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

test('JSON export copies the entries of the shown rows although the host’s list has omitted entries', async () => {
  installFakeServiceProcess({})
  const [, first, second] = [null, { noteid: 'N-1', text: 'one' }, { noteid: 'N-2', text: 'two' }]
  const createUrl = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x')
  mountComponent(ExcerptTable, {
    props: {
      items: [first, second],
      // The first entry that the host sent does not fit the contract.
      lists: { items: { member: 'items', positions: [1, 2] } },
      raw: new TextEncoder().encode(JSON.stringify({ items: [7, first, second] })).buffer,
      title: 'Anatomy',
    },
  })
  await vi.waitFor(() => getByRole('button', 'Export'))
  getByRole('button', 'Export').click()
  await vi.waitFor(() => getByRole('menuitem', 'Export JSON'))
  getByRole('menuitem', 'Export JSON').click()
  await vi.waitFor(() => expect(createUrl).toHaveBeenCalled())
  const blob = createUrl.mock.calls[0]?.[0] as Blob
  expect(JSON.parse(await blob.text())).toEqual([first, second])
})
