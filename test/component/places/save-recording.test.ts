import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import NoticeStack from '../../../renderer/shell/NoticeStack.vue'
import SaveRecordingDialog from '../../../renderer/panes/recordings/SaveRecordingDialog.vue'
import { useRecordingDrafts } from '../../../renderer/panes/recordings/recording-drafts.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { useRecordings } from '../../../renderer/stores/recordings.ts'
import { RedactionTally } from '../../../shared/recordings/redaction/redaction-tally.ts'
import { createCancelledError, createRefusedError } from '../../../shared/errors.ts'
import type { AppInfo } from '../../../shared/ipc/app.ts'
import type { RecordingPreview } from '../../../shared/ipc/recordings.ts'
import { createRecordingEntry, createRecordingInfo, createRecordingPreview } from '../../support/vue/recordings.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createPanelState } from '../../support/vue/panel-state.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

function mountDialog() {
  const view = mountComponent({
    components: { SaveRecordingDialog, NoticeStack },
    setup: () => ({ drafts: useRecordingDrafts(), recordings: useRecordings() }),
    template: '<SaveRecordingDialog v-if="recordings.draft" :draft="recordings.draft" /><NoticeStack />',
  })
  return view.vm as unknown as { drafts: ReturnType<typeof useRecordingDrafts> }
}

test('the dialog shows what would be saved, saves it with the words of the user, and says that it did', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop', file: '/data/recordings/Retry loop.birec' })
  const previews: RecordingPreview[] = []
  const page = installFakeServiceProcess({
    'app.info': () => ({}),
    'panel.get': () => createPanelState({ caller: 'opening-1', name: 'Practice', pageLoad: 2 }),
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => {
      const tally = new RedactionTally()
      tally.countText('titles', 'title', '高等数学', 'abcd')
      const preview = createRecordingPreview({ contextExchanges: 3, redacted: tally.getPreview() })
      previews.push(preview)
      return preview
    },
    'recordings.save': () => ({ entry }),
    'recordings.info': () => createRecordingInfo(entry),
  })
  const { drafts } = mountDialog()
  drafts.saveListed({ text: 'notes' }, 12)
  await vi.waitFor(() => expect(getByRole('region', 'What the file will hold').textContent).toContain('Exchanges'))
  const dialog = getByRole('dialog', 'Save recording')
  expect(dialog.textContent).toContain('3 reads of the connection before')
  const samples = getByRole('region', 'What the file will hold').querySelector('table')
  expect(samples?.textContent).toContain('高等数学')
  expect(samples?.textContent).toContain('abcd')
  getByRole('radio', 'Replace', getByRole('radiogroup', 'Ids', dialog)).click()
  await vi.waitFor(() => expect(previews).toHaveLength(2))
  const steps = getByRole('textbox', 'Steps, in your words', dialog) as HTMLTextAreaElement
  steps.value = 'I pressed the button.'
  steps.dispatchEvent(new Event('input'))
  await flushPromises()
  dialog.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await vi.waitFor(() => expect(document.body.textContent).toContain('Saved “Retry loop”'))
  expect(findAllByRole('dialog')).toEqual([])
  expect(getByRole('link', 'Show').getAttribute('href')).toBe('/recordings/r1')
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  getByRole('button', 'Copy report').click()
  await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith('# Recording\n\n- <b>'))
  expect(page.calls.find(({ method }) => method === 'recordings.save')?.input).toMatchObject({
    selection: { kind: 'filter', filter: { text: 'notes' } },
    redaction: { texts: 'placeholder', ids: 'map', pictures: 'grey' },
    name: 'Session',
    steps: 'I pressed the button.',
  })
})

test('the words of the user stay when the dialog is closed, until they are saved', async () => {
  installFakeServiceProcess({
    'app.info': () => ({}),
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => createRecordingPreview(),
    'recordings.save': () => ({ entry: createRecordingEntry({ id: 'r1', name: 'Retry loop' }) }),
  })
  const { drafts } = mountDialog()
  const steps = (): HTMLTextAreaElement => getByRole('textbox', 'Steps, in your words') as HTMLTextAreaElement
  drafts.saveListed({}, 12)
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  steps().value = 'I pressed the button.'
  steps().dispatchEvent(new Event('input'))
  getByRole('button', 'Cancel').click()
  await vi.waitFor(() => expect(findAllByRole('dialog')).toEqual([]))
  drafts.saveListed({}, 12)
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  expect(steps().value).toBe('I pressed the button.')
  document.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await vi.waitFor(() => expect(findAllByRole('dialog')).toEqual([]))
  drafts.saveListed({}, 12)
  await vi.waitFor(() => expect(steps().value).toBe(''))
})

test('the second press of a double click does not cancel what the first one saves', async () => {
  let finish = (): void => undefined
  const saved = new Promise<void>((resolve) => (finish = resolve))
  const page = installFakeServiceProcess({
    'app.info': () => ({}),
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => createRecordingPreview(),
    'recordings.save': () => saved.then(() => ({ entry: createRecordingEntry({ id: 'r1', name: 'Retry loop' }) })),
  })
  mountDialog().drafts.saveListed({}, 12)
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  const button = getByRole('button', 'Save') as HTMLButtonElement
  button.form?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await flushPromises()
  expect(getByRole('button', 'Save')).toBe(button)
  expect([button.disabled, findAllByRole('button', 'Cancel').length]).toEqual([true, 1])
  finish()
  await vi.waitFor(() => expect(findAllByRole('dialog')).toEqual([]))
  expect(page.calls.filter(({ method }) => method === 'recordings.save')).toHaveLength(1)
})

test.each(['desktop', 'browser'] as const)(
  'a page is chosen, says what a reader sees, and is shown or downloaded: %s',
  async (mode) => {
    const file = '/data/recordings/p1.html'
    const entry = createRecordingEntry({ id: 'p1', name: 'Rename a card', file, bytes: 700_000 })
    const page = installFakeServiceProcess({
      'recordings.list': () => ({ recordings: [] }),
      'recordings.preview': () => createRecordingPreview(),
      'recordings.save': () => ({ entry, report: { text: '# Page', isCut: false } }),
      'recordings.slice': () => ({ meta: { start: 0, total: 2 }, bytes: new TextEncoder().encode('<p').buffer }),
      'recordings.reveal': () => ({}),
    })
    const { drafts } = mountDialog()
    useApp().info = { mode } as AppInfo
    drafts.saveOperation('op-1', 'Rename a card')
    const preview = await vi.waitFor(() => getByRole('region', 'What the file will hold'))
    const dialog = getByRole('dialog', 'Save recording')
    const format = getByRole('radiogroup', 'Format', dialog)
    expect((getByRole('radio', 'Recording (.birec)', format) as HTMLInputElement).checked).toBe(true)
    expect(preview.textContent).toContain('A reader opens it in this program')
    getByRole('radio', 'Page (.html)', format).click()
    await flushPromises()
    expect(preview.textContent).toContain('Anyone who has the file can read it with nothing but a browser')
    dialog.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
    await vi.waitFor(() => expect(document.body.textContent).toContain('Saved “Rename a card”, 700 kB.'))
    const findInput = (method: string) => page.calls.find((call) => call.method === method)?.input
    expect(findInput('recordings.save')).toMatchObject({ format: 'page' })
    // A page is not listed, so no place shows it.
    expect(findAllByRole('link', 'Show')).toEqual([])
    if (mode === 'desktop') {
      getByRole('button', 'Show').click()
      await vi.waitFor(() => expect(findInput('recordings.reveal')).toEqual({ id: 'p1' }))
    } else {
      await vi.waitFor(() => expect(findInput('recordings.slice')).toMatchObject({ id: 'p1', exported: 'page' }))
      expect(findAllByRole('button', 'Show')).toEqual([])
    }
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    getByRole('button', 'Copy report').click()
    await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith('# Page'))
  },
)

test('a page that was not saved is told as such, and the choice stays', async () => {
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => createRecordingPreview(),
    'recordings.save': () => {
      throw createRefusedError('RECORDING_TOO_LARGE_FOR_PAGE', 'It is too large.', { limit: 50, size: 60 })
    },
  })
  const { drafts } = mountDialog()
  drafts.saveOperation('op-1', 'Rename a card')
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  const dialog = getByRole('dialog', 'Save recording')
  getByRole('radio', 'Page (.html)', dialog).click()
  await flushPromises()
  dialog.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await vi.waitFor(() => expect(getByRole('alert', undefined, dialog).textContent).toContain('The page was not saved'))
  expect((getByRole('radio', 'Page (.html)', dialog) as HTMLInputElement).checked).toBe(true)
})

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

test('a recording that was saved but not downloaded is told as such', async () => {
  const entry = createRecordingEntry({ id: 'r1', name: 'Retry loop' })
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => createRecordingPreview(),
    'recordings.save': () => ({ entry }),
    'recordings.slice': () => {
      throw createRefusedError('RECORDING_GONE', 'The file is gone.')
    },
  })
  const { drafts } = mountDialog()
  useApp().info = { mode: 'browser' } as AppInfo
  drafts.saveOperation('op-1', 'Rename a card')
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  getByRole('dialog', 'Save recording')
    .querySelector('form')
    ?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await vi.waitFor(() =>
    expect(getByRole('alert').textContent).toContain('“Retry loop” was saved, but not downloaded. The file is gone.'),
  )
  expect(document.body.textContent).toContain('Saved “Retry loop”')
})

test('pictures that are chosen or pasted become steps, and the dialog says first what the redaction makes of them', async () => {
  let uploads = 0
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => createRecordingPreview(),
    'recordings.save': () => ({ entry: null }),
    'uploads.begin': () => ({ uploadId: `u${(uploads += 1)}` }),
    'uploads.add': () => ({ received: 8 }),
    'uploads.drop': () => ({}),
  })
  const { drafts } = mountDialog()
  drafts.saveOperation('op-1', 'Rename a card')
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  const dialog = getByRole('dialog', 'Save recording')
  const input = dialog.querySelector<HTMLInputElement>('input[type="file"]')
  const choose = (...files: readonly File[]): void => {
    Object.defineProperty(input, 'files', { configurable: true, value: files })
    input?.dispatchEvent(new Event('change'))
  }
  const large = new File([PNG], 'large.png')
  Object.defineProperty(large, 'size', { value: 10_000_001 })
  choose(large)
  await vi.waitFor(() => expect(dialog.textContent).toContain('“large.png” was not added: it is larger than'))
  choose(new File(['%PDF-1.4'], 'notes.png', { type: 'image/png' }))
  await vi.waitFor(() => expect(dialog.textContent).toContain('“notes.png” was not added: it is neither PNG nor JPEG'))
  expect(findAllByRole('list', 'Added pictures', dialog)).toEqual([])
  choose(new File([PNG], 'first.png'))
  await vi.waitFor(() => expect(getByRole('list', 'Added pictures', dialog).textContent).toContain('first.png'))
  expect(dialog.textContent).not.toContain('was not added')
  const clipboardData = { types: ['Files'], files: [new File([PNG], 'pasted.png')] }
  const paste = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), { clipboardData })
  getByRole('textbox', 'Steps, in your words', dialog).dispatchEvent(paste)
  await vi.waitFor(() => expect(getByRole('list', 'Added pictures', dialog).textContent).toContain('pasted.png'))
  expect(paste.defaultPrevented).toBe(true)
  expect(dialog.textContent).toContain('The added pictures become grey')
  getByRole('radio', 'Keep', getByRole('radiogroup', 'Pictures', dialog)).click()
  await vi.waitFor(() => expect(dialog.textContent).toContain('The added pictures stay, with every text'))
  const listPreviewed = () =>
    page.calls.findLast(({ method }) => method === 'recordings.preview')?.input as { pictures?: readonly string[] }
  await vi.waitFor(() => expect(listPreviewed().pictures).toEqual(['u1', 'u2']))
  getByRole('button', 'Remove first.png', dialog).click()
  await vi.waitFor(() =>
    expect(page.calls.find(({ method }) => method === 'uploads.drop')?.input).toEqual({ uploadId: 'u1' }),
  )
  dialog.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await vi.waitFor(() =>
    expect(page.calls.find(({ method }) => method === 'recordings.save')?.input).toMatchObject({
      ...{ pictures: ['u2'], redaction: { texts: 'placeholder', pictures: 'keep' } },
    }),
  )
})

test('saving shows its progress and can be cancelled; nothing to save is an error in place', async () => {
  let isEmpty = false
  const saving = Promise.withResolvers<never>()
  const page = installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.preview': () => {
      if (isEmpty) throw createRefusedError('SELECTION_EMPTY', 'None of the selected exchanges is stored.')
      return createRecordingPreview()
    },
    'recordings.save': () => saving.promise,
  })
  const { drafts } = mountDialog()
  drafts.saveOperation('op-1', 'Rename a card')
  await vi.waitFor(() => getByRole('region', 'What the file will hold'))
  const dialog = getByRole('dialog', 'Save recording')
  dialog.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }))
  await flushPromises()
  const save = page.calls.find(({ method }) => method === 'recordings.save')
  page.push({
    topic: 'recordings.progress',
    payload: { jobId: (save?.input as { jobId: string }).jobId, done: 5, total: 10 },
  })
  await vi.waitFor(() => expect(dialog.textContent).toContain('5 / 10'))
  getByRole('progressbar', 'Writing the recording', dialog)
  // What is being written keeps its name.
  expect((getByRole('radio', 'Page (.html)', dialog) as HTMLInputElement).disabled).toBe(true)
  getByRole('button', 'Cancel', dialog).click()
  await vi.waitFor(() => expect(page.cancelled).toContain(save?.id))
  saving.reject(createCancelledError())
  await vi.waitFor(() => getByRole('button', 'Save', dialog))
  isEmpty = true
  getByRole('radio', 'Replace', getByRole('radiogroup', 'Ids', dialog)).click()
  await vi.waitFor(() => expect(getByRole('alert', undefined, dialog).textContent).toContain('SELECTION_EMPTY'))
  expect((getByRole('button', 'Save', dialog) as HTMLButtonElement).disabled).toBe(true)
})
