import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import WriteSheet from '../../../renderer/panes/write/WriteSheet.vue'
import { useFinishedOperations } from '../../../renderer/stores/finished-operations.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import type { OperationEvent } from '../../../shared/operations/operation-events.ts'
import { respond } from '../../support/services/operation-events.ts'
import { createOperation, createPreparedWrite } from '../../support/vue/operations.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

/** How long the request must be visible before it can be sent. */
const SEEN_MS = 800

let sheet: VueWrapper
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  sheet.unmount()
  document.body.innerHTML = ''
})

const open = (endpoint: string, values: Record<string, string> = {}): void => {
  sheet = mountComponent(WriteSheet, { props: { endpoint, values } })
}
async function press(name: string): Promise<void> {
  getByRole('button', name).click()
  await flushPromises()
}
async function type(name: RegExp, text: string): Promise<void> {
  const input = [...document.querySelectorAll<HTMLInputElement>('input,textarea')].find((element) =>
    name.test(document.querySelector(`label[for="${element.id}"]`)?.textContent ?? ''),
  )
  if (!input) throw new Error(`no field ${String(name)}`)
  input.value = text
  input.dispatchEvent(new Event('input'))
  await nextTick()
}
async function wait(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await flushPromises()
}
const getText = (): string => document.body.textContent

const previewed = {
  status: 200,
  code: null,
  message: null,
  details: null,
  body: { persisted: true },
  operationId: null,
  durationMs: 3,
}

describe('the write sheet', () => {
  test('names a missing value at its field, and sends nothing', async () => {
    const page = installFakeServiceProcess({})
    open('notes.title')
    await press('Review')
    expect(findAllByRole('alert').map(({ textContent }) => textContent)).toEqual(['Required.', 'Required.'])
    expect(page.calls.filter(({ method }) => method.startsWith('operations.prepare'))).toEqual([])
  })

  test('shows exactly what will be sent, enables Send after a while, and sends once', async () => {
    const sentRequests: unknown[] = []
    const page = installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': (input) => {
        sentRequests.push(input)
        return createOperation({ noteid: 'N' })
      },
    })
    open('notes.title', { noteid: 'N' })
    await type(/^text/, 'T')
    await press('Review')
    expect(page.calls.find(({ method }) => method === 'operations.prepare')?.input).toMatchObject({
      endpoint: 'notes.title',
      params: { noteid: 'N' },
      body: { text: 'T' },
    })
    expect(getText()).toContain('POST /bridge/v1/notes/N/title')
    const request = getByRole('region', 'Request to be sent')
    expect(request.querySelector('details:not([open]) > pre')?.textContent).toContain('Bearer ••••')
    // The reader meets what it is about before how it is sent.
    expect(request.compareDocumentPosition(getByRole('region', 'What it names'))).toBe(Node.DOCUMENT_POSITION_PRECEDING)
    expect(getText()).toContain('Added automatically: confirm')
    await wait(SEEN_MS - 1)
    await press('Send')
    expect(sentRequests).toEqual([])
    await wait(1)
    getByRole('button', 'Send').click()
    getByRole('button', 'Send').click()
    await flushPromises()
    expect(sentRequests).toEqual([{ ticket: 'ticket-1' }])
    // Where Send was is Close.
    expect(document.activeElement?.textContent.trim()).toBe('Close')
    getByRole('button', 'Close').dispatchEvent(new MouseEvent('click', { detail: 2, bubbles: true }))
    await flushPromises()
    expect(sheet.emitted('close')).toBeUndefined()
    await press('Close')
    expect(sheet.emitted('close')).toHaveLength(1)
    expect(getText()).toContain('Saved and verified.')
    expect(findAllByRole('button', 'Send')).toEqual([])
  })

  test('keeps the input when the gate refuses the write', async () => {
    installFakeServiceProcess({
      'operations.prepare': () => {
        throw createRefusedError('TOKEN_IN_REQUEST', 'The token stands in it. Nothing was sent.')
      },
    })
    open('notes.title', { noteid: 'N' })
    await type(/^text/, 'mine')
    await press('Review')
    expect(getText()).toContain('TOKEN_IN_REQUEST')
    expect([...document.querySelectorAll('input')].some(({ value }) => value === 'mine')).toBe(true)
  })

  test('gives Review the focus of Unlock and Back, and takes it from no field', async () => {
    let isLocked = true
    installFakeServiceProcess({
      'operations.prepare': () => {
        if (isLocked) throw createRefusedError('READ_ONLY', 'The profile is read-only.')
        return createPreparedWrite()
      },
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    const focusAndPress = async (name: string): Promise<void> => {
      getByRole('button', name).focus()
      await press(name)
    }
    await press('Review')
    isLocked = false
    await focusAndPress('Unlock until the app exits')
    expect(document.activeElement).toBe(getByRole('button', 'Review'))
    await focusAndPress('Review')
    await focusAndPress('Back')
    expect(document.activeElement).toBe(getByRole('button', 'Review'))
    const field = document.querySelector('input')
    field?.focus()
    await wait(SEEN_MS)
    expect(document.activeElement).toBe(field)
  })

  test('warns if the host executed a preview that it should have refused', async () => {
    installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.preview': () => ({ ...previewed, refusedAsExpected: false, operationId: 'o-1', spent: true }),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    await wait(SEEN_MS)
    expect(getByRole('button', 'Send')).toHaveProperty('disabled', false)
    await press('Preview')
    expect(getText()).toContain('The host may have executed it, so this review can no longer be sent.')
    expect(getByRole('button', 'Send')).toHaveProperty('disabled', true)
    expect(getByRole('link', 'Open the record')).toBeTruthy()
    await press('Back')
    await press('Review')
    await wait(SEEN_MS)
    expect(getByRole('button', 'Send')).toHaveProperty('disabled', false)
  })

  test('cannot be closed while a preview runs, because the preview may be executed', async () => {
    let resolveCall: (value: unknown) => void = () => undefined
    const page = installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.preview': () => new Promise((resolve) => (resolveCall = resolve)),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    expect(page.calls.filter(({ method }) => method === 'operations.prepare')).toHaveLength(1)
    await wait(SEEN_MS)
    await press('Preview')
    // The one that has the focus keeps it, and is only announced as disabled.
    const isDisabled = (name: string): boolean => getByRole('button', name).matches(':disabled, [aria-disabled="true"]')
    expect(['Back', 'Send'].map(isDisabled)).toEqual([true, true])
    resolveCall({ ...previewed, refusedAsExpected: true, spent: false })
    await flushPromises()
    expect(['Back', 'Send'].map(isDisabled)).toEqual([false, false])
  })

  test('reports a write whose sheet was closed while it was sent', async () => {
    let resolveCall: (value: unknown) => void = () => undefined
    installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': () => new Promise((resolve) => (resolveCall = resolve)),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    await wait(SEEN_MS)
    await press('Send')
    sheet.unmount()
    const operation = createOperation({})
    resolveCall(operation)
    await flushPromises()
    expect(useFinishedOperations().operations.map(({ id }) => id)).toEqual([operation.summary.id])
  })

  test('follows a sent write until its outcome', async () => {
    const summaryOf = (state: 'pending' | 'settled', code: 'accepted-only' | 'saved-and-verified') =>
      createOperation({
        endpoint: 'writing.pencilCommit',
        state,
        unseen: state === 'settled',
        verdict: { ...createOperation().summary.verdict, code },
      })
    let now = summaryOf('pending', 'accepted-only')
    const page = installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': () => now,
      'operations.get': () => now,
      'operations.seen': () => ({}),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    await wait(SEEN_MS)
    await press('Send')
    expect(getText()).toContain('Only accepted: the outcome is unknown.')
    now = summaryOf('settled', 'saved-and-verified')
    const counts = { all: 1, unfinished: 0, unseen: 1 }
    page.push({
      topic: 'operations.changed',
      payload: { items: [now.summary], removed: [], complete: true, ...counts },
    })
    await flushPromises()
    expect(getText()).toContain('Saved and verified. The host verified its snapshot')
    expect(getText()).not.toContain('Only accepted')
    expect(document.activeElement?.textContent.trim()).toBe('Close')
  })

  test('keeps the input when the host refuses the write, so that it can be changed', async () => {
    const refusal = { state: 'refused', errorCode: 'NO_SELECTION', endpoint: 'notes.blankBands' } as const
    installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': () => createOperation(refusal),
    })
    open('notes.title', { noteid: 'N' })
    await type(/^text/, 'mine')
    await press('Review')
    await wait(SEEN_MS)
    await press('Send')
    await press('Edit')
    expect([...document.querySelectorAll('input')].some(({ value }) => value === 'mine')).toBe(true)
  })

  test('is not closed by a click outside while it has input', async () => {
    installFakeServiceProcess({})
    open('notes.title')
    const mask = document.querySelector('.n-drawer-mask')
    expect(mask).not.toBeNull()
    for (const name of ['mousedown', 'mouseup', 'click']) mask?.dispatchEvent(new MouseEvent(name, { bubbles: true }))
    await nextTick()
    expect(sheet.emitted('close')).toBeUndefined()
    await press('Cancel')
    expect(sheet.emitted('close')).toHaveLength(1)
  })

  test('shows how long a host that refuses a commit asks to wait', async () => {
    const refused = createOperation({ endpoint: 'writing.pencilCommit', state: 'refused', errorCode: 'WINDOW_BUSY' })
    const body = { error: { code: 'WINDOW_BUSY', message: 'Not yet.' }, windowId: 'w-1' }
    const event = { ...respond(body), status: 429, retryAfterSeconds: 7 } as OperationEvent
    installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': () => ({ ...refused, events: [event] }),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    await wait(SEEN_MS)
    await press('Send')
    expect(getText()).toContain('WINDOW_BUSY')
    expect(getText()).toContain('7 s')
    expect(getText()).toContain('Refusal')
    expect(getText()).not.toContain('Acknowledgement')
  })

  test('does not call an acknowledgement done', async () => {
    const pending = {
      endpoint: 'writing.pencilCommit',
      state: 'pending',
      verdict: { ...createOperation().summary.verdict, code: 'accepted-only', persisted: null },
    } as const
    installFakeServiceProcess({
      'operations.prepare': () => createPreparedWrite(),
      'operations.send': () => createOperation(pending),
    })
    open('notes.title', { noteid: 'N', text: 'T' })
    await press('Review')
    await wait(SEEN_MS)
    await press('Send')
    expect(getText()).toContain('That is not an outcome: nothing is known of the canvas yet.')
    expect(getText()).toContain('Only accepted: the outcome is unknown.')
    expect(getText()).not.toMatch(/Saved|persisted: true/)
  })
})
