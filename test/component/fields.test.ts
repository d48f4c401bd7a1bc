import { h, nextTick, ref } from 'vue'
import { afterEach, describe, expect, test, vi } from 'vitest'
import AppCheckbox from '../../renderer/components/AppCheckbox.vue'
import AppInput from '../../renderer/components/AppInput.vue'
import AppNumber from '../../renderer/components/AppNumber.vue'
import AppSelect from '../../renderer/components/AppSelect.vue'
import AppSwitch from '../../renderer/components/AppSwitch.vue'
import FormRow from '../../renderer/components/FormRow.vue'
import MenuButton from '../../renderer/components/MenuButton.vue'
import ModalLayer from '../../renderer/components/ModalLayer.vue'
import PageStepper from '../../renderer/components/PageStepper.vue'
import PopupMenu from '../../renderer/components/PopupMenu.vue'
import { typedDialogCount } from '../../renderer/components/open-layers.ts'
import ProgressBar from '../../renderer/components/ProgressBar.vue'
import { findAllByRole, getByRole, pressKey, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

describe('a text field', () => {
  test('passes label, form rules and listeners to the native field, and class to the outer element', async () => {
    const onKeydown = vi.fn()
    const page = mountComponent(AppInput, {
      props: { label: 'Address', modelValue: '', maxlength: 10 },
      attrs: { id: 'there', required: true, pattern: '[a-z]+', class: 'wide', onKeydown },
    })
    const field = getByRole('textbox', 'Address') as HTMLInputElement
    expect([field.id, field.required, field.pattern, field.maxLength]).toEqual(['there', true, '[a-z]+', 10])
    expect(field.closest('.wide')).not.toBe(field)
    expect(field.className).not.toContain('wide')
    pressKey(field, 'Enter')
    expect(onKeydown).toHaveBeenCalledOnce()
    field.value = 'abc'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    expect(page.emitted('update:modelValue')).toEqual([['abc']])
  })

  test('exposes that its value is invalid', async () => {
    const page = mountComponent(AppInput, { props: { label: 'Address', modelValue: 'x', invalid: true } })
    expect(getByRole('textbox', 'Address').getAttribute('aria-invalid')).toBe('true')
    await page.setProps({ invalid: false })
    expect(getByRole('textbox', 'Address').hasAttribute('aria-invalid')).toBe(false)
  })

  test('is named by the label around it', () => {
    mountComponent({ setup: () => () => h('label', ['Name ', h(AppInput, { modelValue: 'x' })]) })
    expect(document.querySelector('label')?.control).toBe(document.querySelector('input'))
  })
})

test('a number field accepts only whole numbers and can be empty', async () => {
  const page = mountComponent(AppNumber, { props: { label: 'Page', modelValue: 3, min: 1 } })
  const field = getByRole('textbox', 'Page') as HTMLInputElement
  expect([field.value, field.inputMode]).toEqual(['3', 'numeric'])
  field.value = ''
  field.dispatchEvent(new Event('input'))
  field.dispatchEvent(new Event('blur'))
  await nextTick()
  expect(page.emitted('update:modelValue')?.at(-1)).toEqual([null])
})

test('a number field with a decimal step keeps decimals', async () => {
  const page = mountComponent(AppNumber, { props: { label: 'Density', modelValue: 0.5, min: 0, max: 1, step: 0.1 } })
  const field = getByRole('textbox', 'Density') as HTMLInputElement
  expect([field.value, field.inputMode]).toEqual(['0.5', 'decimal'])
  field.value = '0.75'
  field.dispatchEvent(new Event('input'))
  await nextTick()
  expect(page.emitted('update:modelValue')?.at(-1)).toEqual([0.75])
})

test('pages are turned by named buttons, which stop at both ends', async () => {
  const page = mountComponent(PageStepper, { props: { modelValue: 1, pageCount: 2 } })
  const [previous, next] = [getByRole('button', 'Previous page'), getByRole('button', 'Next page')] as [
    HTMLButtonElement,
    HTMLButtonElement,
  ]
  expect([previous.disabled, next.disabled]).toEqual([true, false])
  next.click()
  await nextTick()
  expect(page.emitted('update:modelValue')).toEqual([[2]])
  expect((getByRole('textbox', 'Go to page') as HTMLInputElement).value).toBe('2')
  expect([previous.disabled, next.disabled]).toEqual([false, true])
})

test('a progress bar has a name and its value', () => {
  mountComponent(ProgressBar, { props: { label: 'Pages', percent: 40 } })
  expect(getByRole('progressbar', 'Pages').getAttribute('aria-valuenow')).toBe('40')
})

test('a switch has a name and is toggled by the space bar', () => {
  const page = mountComponent(AppSwitch, { props: { label: 'Rule 1', modelValue: false } })
  const control = getByRole('switch', 'Rule 1')
  expect(control.getAttribute('aria-checked')).toBe('false')
  control.dispatchEvent(new KeyboardEvent('keyup', { key: ' ' }))
  expect(page.emitted('update:modelValue')).toEqual([[true]])
})

test('a row of a form shows its error instead of its hint, under the id that describes the control', async () => {
  const page = mountComponent(FormRow, {
    props: { controlId: 'title', hint: 'At most 100 characters' },
    slots: { label: () => 'Title', default: () => h('input', { id: 'title' }) },
  })
  const findText = (): string | undefined => document.getElementById('title-about')?.textContent
  expect(document.querySelector('label')?.control?.id).toBe('title')
  expect(findText()).toBe('At most 100 characters')
  await page.setProps({ error: 'Required' })
  expect([findText(), getByRole('alert').textContent]).toEqual(['Required', 'Required'])
})

test('a check box is toggled by the space bar, unless it is disabled', async () => {
  const page = mountComponent(AppCheckbox, { props: { modelValue: false }, slots: { default: () => 'Read-only' } })
  const box = getByRole('checkbox', 'Read-only')
  expect([box.tabIndex, box.getAttribute('aria-checked')]).toEqual([0, 'false'])
  box.dispatchEvent(new KeyboardEvent('keyup', { key: ' ' }))
  expect(page.emitted('update:modelValue')).toEqual([[true]])
  await page.setProps({ disabled: true })
  expect(box.getAttribute('aria-disabled')).toBe('true')
  expect(box.hasAttribute('tabindex')).toBe(false)
})

describe('a select', () => {
  const options = [
    { value: 1, label: 'One' },
    { value: 2, label: 'Two' },
  ]
  const choose = (select: HTMLSelectElement, value: string): void => {
    select.value = value
    select.dispatchEvent(new Event('change'))
  }

  test('returns the value unchanged, and an empty text for no choice', async () => {
    const page = mountComponent(AppSelect, { props: { label: 'Level', emptyLabel: 'any', options, modelValue: 1 } })
    const select = document.querySelector('select') as HTMLSelectElement
    expect([select.getAttribute('aria-label'), select.value]).toEqual(['Level', '1'])
    choose(select, '2')
    choose(select, '')
    await nextTick()
    expect(page.emitted('update:modelValue')).toEqual([[2], ['']])
  })

  const numbers = Array.from({ length: 300 }, (_value, index) => ({ value: index, label: `Number ${index}` }))
  const findMenuItems = (): HTMLElement[] => findAllByRole('menuitemradio')

  test('with many options opens a menu with a search field, by mouse and by key, and stays a select', async () => {
    const page = mountComponent(AppSelect, { props: { label: 'Map range', options: numbers, modelValue: 7 } })
    const select = document.querySelector('select') as HTMLSelectElement
    expect([select.options.length, select.getAttribute('aria-haspopup')]).toEqual([300, 'menu'])
    const press = new MouseEvent('mousedown', { bubbles: true, cancelable: true })
    select.dispatchEvent(press)
    await nextTick()
    await nextTick()
    expect(press.defaultPrevented).toBe(true)
    expect(findMenuItems()).toHaveLength(100)
    expect(findMenuItems()[7]?.getAttribute('aria-checked')).toBe('true')
    expect(document.body.textContent).toContain('200 more: type to find them')
    pressKey(document.activeElement as HTMLElement, 'Escape')
    await nextTick()
    expect(findMenuItems()).toHaveLength(0)
    expect(document.activeElement).toBe(select)

    pressKey(select, 'ArrowDown')
    await nextTick()
    await nextTick()
    const field = getByRole('searchbox', 'Find a choice') as HTMLInputElement
    field.value = 'number 299'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    pressKey(field, 'Enter')
    expect(page.emitted('update:modelValue')).toEqual([[299]])
  })

  test('with few options leaves its list to the browser, as in a modal dialog', async () => {
    mountComponent(AppSelect, { props: { label: 'Level', options, modelValue: 1 } })
    const dialog = document.createElement('div')
    dialog.setAttribute('aria-modal', 'true')
    document.body.append(dialog)
    mountComponent(AppSelect, { props: { label: 'Long', options: numbers, modelValue: 1 }, attachTo: dialog })
    for (const select of document.querySelectorAll('select')) {
      const press = new MouseEvent('mousedown', { bubbles: true, cancelable: true })
      select.dispatchEvent(press)
      await nextTick()
      expect(press.defaultPrevented).toBe(false)
    }
    expect(findMenuItems()).toHaveLength(0)
  })

  test('returns to no choice after it started an action', async () => {
    const started: unknown[] = []
    const emptyValue = ref('' as const)
    mountComponent({
      setup: () => () =>
        h(AppSelect, {
          none: 'Level',
          options,
          modelValue: emptyValue.value,
          'onUpdate:modelValue': (value: unknown) => started.push(value),
        }),
    })
    const select = document.querySelector('select') as HTMLSelectElement
    choose(select, '2')
    await nextTick()
    expect([started, select.value]).toEqual([[2], ''])
  })
})

test.each([
  ['a dialog', undefined],
  ['a drawer', 380],
])('%s takes the focus, closes by Escape, and returns the focus', async (_label, beside) => {
  const open = ref(false)
  mountComponent({
    setup: () => () => [
      h('button', { onClick: () => (open.value = true) }, 'Open'),
      open.value
        ? h(ModalLayer, { label: 'Question', rightInset: beside, onClose: () => (open.value = false) }, () => [
            h('button', 'First'),
            h('button', { 'data-autofocus': '' }, 'Safe'),
          ])
        : null,
    ],
  })
  const opener = getByRole('button', 'Open')
  opener.focus()
  opener.click()
  await vi.waitFor(() => expect(document.activeElement).toBe(getByRole('button', 'Safe')))
  expect(getByRole('dialog', 'Question').getAttribute('aria-modal')).toBe('true')
  pressKey(document.activeElement ?? document.body, 'Escape', { code: 'Escape' })
  await nextTick()
  expect(findAllByRole('dialog')).toEqual([])
  expect(document.activeElement).toBe(opener)
})

test('dialogs with what was typed are counted while they are open, two at once too', async () => {
  const openCount = ref(2)
  const names = ['First', 'Second']
  mountComponent({
    setup: () => () =>
      names
        .slice(0, openCount.value)
        .map((label) => h(ModalLayer, { label, guarded: true }, () => h('textarea', { 'aria-label': label }))),
  })
  const fields = (): readonly Element[] => [...document.querySelectorAll('textarea')]
  await vi.waitFor(() => expect(fields()).toHaveLength(2))
  const counts: number[] = []
  for (const field of fields()) {
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await nextTick()
    counts.push(typedDialogCount.value)
  }
  for (const left of [1, 0]) {
    openCount.value = left
    await nextTick()
    counts.push(typedDialogCount.value)
  }
  expect(counts).toEqual([1, 2, 1, 0])
})

test('a menu button exposes its menu and lists the items when it opens', async () => {
  // A dialog that the entry opens gives the focus back to the element that has it then.
  const run = vi.fn(() => void (focused = document.activeElement))
  let focused: Element | null = null
  const listItems = vi.fn(() => [{ id: '2', label: '2 levels', run }])
  mountComponent(MenuButton, { props: { label: 'Expand to level', listItems }, slots: { default: () => 'Level' } })
  const button = getByRole('button', 'Expand to level')
  expect([button.getAttribute('aria-haspopup'), button.getAttribute('aria-expanded')]).toEqual(['menu', 'false'])
  expect(listItems).not.toHaveBeenCalled()
  button.focus()
  button.click()
  await nextTick()
  expect(button.getAttribute('aria-expanded')).toBe('true')
  getByRole('menuitem', '2 levels').click()
  await nextTick()
  expect(run).toHaveBeenCalledOnce()
  expect(focused).toBe(button)
  expect(button.getAttribute('aria-expanded')).toBe('false')
})

test('a menu moves by arrow keys, runs the chosen entry, and closes', async () => {
  const ran: string[] = []
  const onClose = vi.fn()
  const items = ['a', 'b'].map((id) => ({ id, label: id.toUpperCase(), run: () => void ran.push(id) }))
  mountComponent(PopupMenu, { props: { position: { x: 1, y: 1 }, items, label: 'Card', onClose } })
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('A'))
  getByRole('menu', 'Card')
  pressKey(document.activeElement ?? document.body, 'ArrowUp')
  expect(document.activeElement).toBe(getByRole('menuitem', 'B'))
  getByRole('menuitem', 'B').click()
  expect([ran, onClose.mock.calls.length]).toEqual([['b'], 1])
})

test('a menu with a search field starts in the field, keeps its groups, draws no line above the first, and runs the remaining entry by Enter', async () => {
  const ran: string[] = []
  const onClose = vi.fn()
  const item = (id: string, group: string) => ({ id, label: id, group, run: () => void ran.push(id) })
  const items = [
    { ...item('Move', 'Cards'), hasSeparator: true },
    item('Copy', 'Cards'),
    { ...item('Delete', 'Deletes'), hasSeparator: true },
  ]
  mountComponent(PopupMenu, {
    props: { position: { x: 1, y: 1 }, items, label: 'Write', searchLabel: 'Find', onClose },
  })
  const field = document.querySelector('input') as HTMLInputElement
  await vi.waitFor(() => expect(document.activeElement).toBe(field))
  const listMenuItems = (): string[] => findAllByRole('menuitem').map(({ textContent }) => textContent.trim())
  expect(findAllByRole('group').map((group) => group.getAttribute('aria-label'))).toEqual(['Cards', 'Deletes'])
  expect(findAllByRole('separator')).toHaveLength(1)
  pressKey(field, 'ArrowDown')
  expect(document.activeElement).toBe(getByRole('menuitem', 'Move'))
  pressKey(document.activeElement ?? document.body, 'd')
  expect(document.activeElement).toBe(field)
  field.value = 'dEL'
  field.dispatchEvent(new Event('input'))
  await nextTick()
  expect(listMenuItems()).toEqual(['Delete'])
  pressKey(field, 'Enter')
  expect([ran, onClose.mock.calls.length]).toEqual([['Delete'], 1])
  field.value = 'nothing like it'
  field.dispatchEvent(new Event('input'))
  await nextTick()
  expect([listMenuItems(), getByRole('status').textContent]).toEqual([[], 'Nothing matches the filter'])
})
