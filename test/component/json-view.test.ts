import { afterEach, expect, test, vi } from 'vitest'
import JsonView from '../../renderer/components/JsonView.vue'
import { findAllByRole, getByRole, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const source = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer
const getEditorText = (): string =>
  [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')

test('safety 37: shows exactly what was sent, formatted or unformatted', async () => {
  const text = '{"id":12345678901234567890,"id":1.50,"t":"\\u0041"}'
  mountComponent(JsonView, { props: { source: source(text), label: 'Raw JSON' } })
  await vi.waitFor(() =>
    expect(getEditorText()).toBe('{\n  "id": 12345678901234567890,\n  "id": 1.50,\n  "t": "\\u0041"\n}'),
  )
  getByRole('radio', 'As sent').click()
  await vi.waitFor(() => expect(getEditorText()).toBe(text))
  expect(getByRole('textbox', 'Raw JSON').getAttribute('aria-readonly')).toBe('true')
})

test('copies the whole text, including what is scrolled out of view', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const text = `{"long":"${'x'.repeat(5000)}"}`
  mountComponent(JsonView, { props: { source: text, label: 'Raw JSON' } })
  await vi.waitFor(() => expect(getEditorText()).toContain('… 4,6'))
  getByRole('button', 'Copy all').click()
  await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith(`{\n  "long": "${'x'.repeat(5000)}"\n}`))
})

test('replaces the old source by a new one', async () => {
  const page = mountComponent(JsonView, { props: { source: '[1]', label: 'Raw JSON' } })
  await vi.waitFor(() => expect(getEditorText()).toContain('1'))
  await page.setProps({ source: '[2]' } as never)
  await vi.waitFor(() => expect(getEditorText()).toBe('[\n  2\n]'))
})

test('shows the values to which a JSON pointer or JSONPath leads, and says what it does not understand', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const valueAction = { label: 'Assert this value', run: () => undefined }
  const text = '{"nodes":[{"title":"a","revision":12345678901234567890},{"title":"b"}]}'
  mountComponent(JsonView, { props: { source: source(text), label: 'Raw JSON', valueAction } })
  const field = getByRole('searchbox', 'Filter by JSON pointer or JSONPath') as HTMLInputElement
  function type(query: string): void {
    field.value = query
    field.dispatchEvent(new Event('input'))
  }
  const getStatuses = (): string[] => findAllByRole('status').map(({ textContent }) => textContent.trim())
  await vi.waitFor(() => expect(getEditorText()).toContain('nodes'))
  type('/nodes/0/revision')
  await vi.waitFor(() => expect(getEditorText()).toBe('12345678901234567890'))
  expect(getStatuses()).toContain('1 value')
  // A pointer into the selection would be none into the answer.
  expect(findAllByRole('button', /Assert this value|Copy path/)).toEqual([])
  type('$..title')
  await vi.waitFor(() => expect(getEditorText()).toBe('[\n  "a",\n  "b"\n]'))
  getByRole('button', 'Copy all').click()
  await vi.waitFor(() => expect(writeText).toHaveBeenCalledWith('[\n  "a",\n  "b"\n]'))
  type('$.none')
  await vi.waitFor(() => expect(getEditorText()).toBe(''))
  expect(getStatuses()).toContain('no values')
  type('$[?(@.title)]')
  await vi.waitFor(() => expect(getEditorText()).toContain('nodes'))
  expect(getStatuses()).toContain('not a path')
})
