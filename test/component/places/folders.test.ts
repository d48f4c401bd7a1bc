import { afterEach, expect, test, vi } from 'vitest'
import FoldersView from '../../../renderer/places/library/FoldersView.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** A library with `count` folders of one document each, one level below the root. */
function mountFolders(count: number, failing = ''): () => readonly string[] {
  const names = Array.from({ length: count }, (_, index) => `F${index + 1}`)
  const service = installFakeServiceProcess({
    'bridge.limits': () => readHostLimits(null),
    'bridge.read': (input) => {
      const { query } = input as ReadInput
      const path = String(query['path'] ?? '')
      if (path === failing && failing !== '') throw new Error('refused')
      const body =
        path === ''
          ? { folders: names.map((name) => ({ name, path: name })), documents: [{ bookmd5: 'r', title: 'Loose.pdf' }] }
          : { folders: [], documents: [{ bookmd5: path, title: `${path}.pdf` }] }
      return createReadReply('library.folders', JSON.stringify(body))
    },
  })
  mountComponent(FoldersView)
  useConnection().state = createConnectionState()
  return () => service.calls.map(({ input }) => String((input as ReadInput).query?.['path'] ?? '')).filter(Boolean)
}

test('all documents are those of every folder, each with its folder', async () => {
  mountFolders(3)
  await vi.waitFor(() => expect(document.body.textContent).toContain('4 documents'))
  const rows = findAllByRole('row', undefined, getByRole('grid', 'Documents of the folder')).map((row) =>
    [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent.trim()),
  )
  expect(rows.slice(1).map(([title, folder]) => [title, folder])).toEqual([
    ['Loose.pdf', ''],
    ['F1.pdf', 'F1'],
    ['F2.pdf', 'F2'],
    ['F3.pdf', 'F3'],
  ])
  expect(document.body.textContent).not.toContain('No documents in this folder')
})

test('a large library is read on request, and a folder that failed is not passed over in silence', async () => {
  const listReadPaths = mountFolders(30, 'F2')
  await vi.waitFor(() => expect(document.body.textContent).toContain('20 documents'))
  expect(document.body.textContent).toContain('11 folders are not read yet.')
  expect(listReadPaths()).toHaveLength(20)
  getByRole('button', 'Read more folders').click()
  await vi.waitFor(() => expect(document.body.textContent).toContain('30 documents'))
  expect(document.body.textContent).toContain('One folder is not read yet.')
})
