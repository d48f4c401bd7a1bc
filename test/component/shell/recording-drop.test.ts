import { flushPromises } from '@vue/test-utils'
import { expect, test, vi } from 'vitest'
import RecordingDrop from '../../../renderer/shell/RecordingDrop.vue'
import { createRefusedError } from '../../../shared/errors.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

/** happy-dom has no transfers of data. */
async function drag(type: 'dragover' | 'drop', name: string): Promise<Event> {
  const event = new Event(type, { bubbles: true, cancelable: true })
  const dataTransfer = { types: ['Files'], files: [new File(['PK'], name)] }
  window.dispatchEvent(Object.assign(event, { dataTransfer }))
  await flushPromises()
  return event
}

test('a recording that is dropped on the window is uploaded and opened', async () => {
  const page = installFakeServiceProcess({
    'uploads.begin': () => ({ uploadId: 'u1' }),
    'uploads.add': () => ({ received: 2 }),
    'uploads.drop': () => ({}),
    'recordings.open': () => {
      throw createRefusedError('RECORDING_TRUNCATED', 'cut')
    },
  })
  mountComponent(RecordingDrop)
  expect((await drag('dragover', 'bug.birec')).defaultPrevented).toBe(true)
  expect(document.body.textContent).toContain('Drop to open the recording')
  await drag('drop', 'bug.birec')
  expect(document.body.textContent).not.toContain('Drop to open the recording')
  await vi.waitFor(() =>
    expect(page.calls.find(({ method }) => method === 'recordings.open')?.input).toEqual({
      source: { from: 'upload', uploadId: 'u1', name: 'bug.birec' },
    }),
  )
  await vi.waitFor(() => getByRole('button', 'Close', getByRole('dialog', 'Open a recording')))
})

test('anything else that is dropped is not opened, and the dialog says what can be', async () => {
  const page = installFakeServiceProcess({})
  mountComponent(RecordingDrop)
  await drag('drop', 'notes.pdf')
  const dialog = getByRole('dialog', 'Open a recording')
  expect(dialog.textContent).toContain('“notes.pdf” cannot be opened here.')
  expect(page.calls.filter(({ method }) => /uploads.begin|recordings.open/.test(method))).toEqual([])
  getByRole('button', 'Close', dialog).click()
  await flushPromises()
  expect(findAllByRole('dialog')).toEqual([])
})
