import { flushPromises } from '@vue/test-utils'
import { expect, test, vi } from 'vitest'
import { ref } from 'vue'
import AppAutoComplete from '../../../renderer/components/AppAutoComplete.vue'
import SchemaForm from '../../../renderer/panes/write/SchemaForm.vue'
import { getByRole, installFakeServiceProcess, mountComponent, pressKey } from '../../support/vue/mounting.ts'

test('a suggestion fills in its value instead of its label, and other values can be typed', async () => {
  installFakeServiceProcess({})
  const values = ref<Record<string, unknown>>({})
  const field = { name: 'commentId', in: 'body', type: 'text', required: false, canBeEmpty: false } as const
  const page = mountComponent(SchemaForm, {
    props: {
      endpointId: 'notes.practiceVerdict',
      fields: [field],
      errors: {},
      suggestions: { commentId: [{ value: 'c-1', label: 'c-1 · #2 · blank' }] },
      modelValue: {},
      'onUpdate:modelValue': (now: Record<string, unknown>) => (values.value = now),
    },
  })
  const input = document.querySelector('input')
  if (!input) throw new Error('no field')
  input.focus()
  await flushPromises()
  expect(input.getAttribute('aria-expanded')).toBe('true')
  expect(getByRole('listbox', 'Suggestions').id).toBe(input.getAttribute('aria-controls'))
  const menu = page.findComponent({ name: 'InternalSelectMenu' })
  const node = (menu.props('treeMate') as { getFirstAvailableNode(): unknown }).getFirstAvailableNode()
  menu.vm.$emit('toggle', node)
  await flushPromises()
  expect(values.value).toEqual({ commentId: 'c-1' })
  expect([input.getAttribute('role'), input.getAttribute('aria-autocomplete')]).toEqual(['combobox', 'list'])
  input.value = 'mine'
  input.dispatchEvent(new Event('input'))
  await flushPromises()
  expect(values.value).toEqual({ commentId: 'mine' })
  page.unmount()
})

test('Enter takes the typed text, unless an arrow key went to a suggestion', async () => {
  installFakeServiceProcess({})
  const text = ref('')
  const page = mountComponent(AppAutoComplete, {
    props: {
      label: 'Path',
      options: ['/one', '/two'].map((value) => ({ value, label: value })),
      modelValue: '',
      'onUpdate:modelValue': (value: string | undefined) => (text.value = value ?? ''),
    },
  })
  const input = getByRole('combobox', 'Path') as HTMLInputElement
  const shortcuts: string[] = []
  document.body.addEventListener('keydown', ({ key, ctrlKey }) => ctrlKey && shortcuts.push(key))
  async function typeText(): Promise<void> {
    input.value = '/'
    input.dispatchEvent(new Event('input'))
    await vi.waitFor(() => expect(input.getAttribute('aria-expanded')).toBe('true'))
    expect(input.getAttribute('aria-activedescendant')).toBeNull()
  }
  input.focus()
  await typeText()
  pressKey(input, 'Enter', { ctrlKey: true })
  await vi.waitFor(() => expect(input.getAttribute('aria-expanded')).toBe('false'))
  expect([text.value, shortcuts]).toEqual(['/', ['Enter']])
  await typeText()
  pressKey(input, 'Enter')
  await vi.waitFor(() => expect(input.getAttribute('aria-expanded')).toBe('false'))
  expect(text.value).toBe('/')
  await typeText()
  pressKey(input, 'ArrowDown')
  pressKey(input, 'Enter')
  await vi.waitFor(() => expect(text.value).toBe('/one'))
  page.unmount()
})

test('a focused field keeps its control while choices and suggestions come and go', async () => {
  installFakeServiceProcess({})
  const field = { name: 'noteid', in: 'path', type: 'text', required: true, canBeEmpty: false } as const
  const options = { noteid: [{ value: 'N1', label: 'N1' }] }
  const page = mountComponent(SchemaForm, {
    props: { endpointId: 'notes.title', fields: [field], errors: {}, suggestions: options, modelValue: {} },
  })
  const input = document.querySelector('input')
  input?.focus()
  for (const changes of [{ suggestions: { noteid: [] } }, { suggestions: undefined }, { choices: options }]) {
    await page.setProps(changes)
    expect(document.activeElement).toBe(input)
    expect(input?.isConnected).toBe(true)
  }
  input?.blur()
  await flushPromises()
  expect(document.querySelector('select')).not.toBeNull()
  page.unmount()
})
