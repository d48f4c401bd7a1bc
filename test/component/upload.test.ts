import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import UploadSheet from '../../renderer/panes/upload/UploadSheet.vue'
import { UPLOAD_CHUNK_BYTES } from '../../shared/ipc/uploads.ts'
import { createOperation, createPreparedWrite } from '../support/vue/operations.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  type FakeServiceProcess,
} from '../support/vue/mounting.ts'

/** How long the request must be visible before it can be sent. */
const SEEN_MS = 800
const SIZE = UPLOAD_CHUNK_BYTES * 2 + 5

let sheet: VueWrapper
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  sheet.unmount()
  document.body.innerHTML = ''
})

const open = (): void => {
  const file = new File([new Uint8Array(SIZE)], 'Notes.pdf')
  sheet = mountComponent(UploadSheet, { props: { file, folder: 'Textbooks' } })
}
const listInputs = (page: FakeServiceProcess, method: string): unknown[] =>
  page.calls.filter((call) => call.method === method).map(({ input }) => input)
const done = (): string | null => getByRole('progressbar').getAttribute('aria-valuenow')

test('a file is read in chunks, and the progress is shown until the host has responded', async () => {
  let resolveCall: (value: unknown) => void = () => undefined
  const page = installFakeServiceProcess({
    'uploads.begin': () => ({ uploadId: 'u-1' }),
    'uploads.add': (input) => {
      const { offset } = input as { offset: number }
      return { received: Math.min(offset + UPLOAD_CHUNK_BYTES, SIZE) }
    },
    'operations.prepare': () => createPreparedWrite(),
    'operations.send': () => new Promise((resolve) => (resolveCall = resolve)),
  })
  open()
  getByRole('button', 'Review').click()
  await vi.waitFor(() => expect(findAllByRole('button', 'Send')).toHaveLength(1))
  expect(listInputs(page, 'uploads.add')).toMatchObject([
    { offset: 0 },
    { offset: UPLOAD_CHUNK_BYTES },
    { offset: UPLOAD_CHUNK_BYTES * 2 },
  ])
  expect(listInputs(page, 'operations.prepare')).toMatchObject([
    { endpoint: 'library.upload', query: { filename: 'Notes.pdf', folder: 'Textbooks' }, upload: 'u-1' },
  ])
  vi.advanceTimersByTime(SEEN_MS)
  await flushPromises()
  getByRole('button', 'Send').click()
  await flushPromises()
  const tell = async (uploadId: string, sentBytes: number): Promise<void> => {
    page.push({ topic: 'uploads.progress', payload: { uploadId, sent: sentBytes, total: SIZE } })
    await flushPromises()
  }
  await tell('u-1', UPLOAD_CHUNK_BYTES)
  expect([done(), getByRole('status').textContent.trim()]).toEqual(['49', 'Sending: 524,288 of 1,048,581 bytes'])
  expect(getByRole('status').getAttribute('aria-live')).toBe('off')
  // Another window's upload is not this one.
  await tell('u-2', SIZE)
  expect(done()).toBe('49')
  await tell('u-1', SIZE)
  expect(getByRole('status').textContent).toContain('waiting for the host')
  expect(getByRole('status').getAttribute('aria-live')).toBe('polite')
  resolveCall(createOperation({ endpoint: 'library.upload' }))
  await vi.waitFor(() => expect(findAllByRole('progressbar')).toEqual([]))
  expect(sheet.emitted('uploaded')).toHaveLength(1)
})

test('Cancel stops before anything is sent, and warns about the uncertain outcome afterwards', async () => {
  let add: (value: unknown) => void = () => undefined
  const page = installFakeServiceProcess({
    'uploads.begin': () => ({ uploadId: 'u-1' }),
    'uploads.add': (input) => {
      const received = Math.min((input as { offset: number }).offset + UPLOAD_CHUNK_BYTES, SIZE)
      return new Promise((resolve) => (add = () => resolve({ received })))
    },
    'uploads.drop': () => ({}),
    'uploads.cancel': () => ({}),
    'operations.prepare': () => createPreparedWrite(),
    'operations.send': () => new Promise(() => undefined),
  })
  open()
  getByRole('button', 'Review').click()
  await vi.waitFor(() => expect(listInputs(page, 'uploads.add')).toHaveLength(1))
  getByRole('button', 'Cancel').click()
  add(null)
  await vi.waitFor(() => expect(findAllByRole('button', 'Review')).toHaveLength(1))
  expect(listInputs(page, 'uploads.drop')).toEqual([{ uploadId: 'u-1' }])
  expect([listInputs(page, 'operations.prepare'), findAllByRole('alert')]).toEqual([[], []])

  getByRole('button', 'Review').click()
  for (const pieces of [2, 3, 4]) {
    await vi.waitFor(() => expect(listInputs(page, 'uploads.add')).toHaveLength(pieces))
    add(null)
  }
  await vi.waitFor(() => expect(findAllByRole('button', 'Send')).toHaveLength(1))
  vi.advanceTimersByTime(SEEN_MS)
  await flushPromises()
  getByRole('button', 'Send').click()
  await flushPromises()
  expect(document.body.textContent).toContain('not certain what the host made of the part that it has')
  getByRole('button', 'Cancel').click()
  await flushPromises()
  expect(listInputs(page, 'uploads.cancel')).toEqual([{ uploadId: 'u-1' }])
})
