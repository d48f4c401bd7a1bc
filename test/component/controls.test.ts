import { Copy } from '@lucide/vue'
import { h, nextTick, ref } from 'vue'
import { afterEach, describe, expect, test, vi } from 'vitest'
import AppButton from '../../renderer/components/AppButton.vue'
import AppToolbar from '../../renderer/components/AppToolbar.vue'
import CopyableId from '../../renderer/components/CopyableId.vue'
import IconButton from '../../renderer/components/IconButton.vue'
import LoadingBar from '../../renderer/components/LoadingBar.vue'
import PaneResizer from '../../renderer/components/PaneResizer.vue'
import SearchField from '../../renderer/components/SearchField.vue'
import SegmentedControl from '../../renderer/components/SegmentedControl.vue'
import { hideTooltip, activeTooltip } from '../../renderer/components/tooltip.ts'
import { getByRole, pressKey, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
  hideTooltip()
  vi.useRealTimers()
})

test('an icon button has a name, and a tooltip with the name and its keys', () => {
  vi.useFakeTimers()
  mountComponent(IconButton, { props: { name: 'Reload', icon: Copy, shortcut: '$mod+R' } })
  const button = getByRole('button', 'Reload')
  expect(button.hasAttribute('aria-pressed')).toBe(false)
  button.dispatchEvent(new Event('pointerenter'))
  vi.runAllTimers()
  expect(activeTooltip.value).toMatchObject({ text: 'Reload', keys: '$mod+R' })
  button.dispatchEvent(new Event('pointerleave'))
  expect(activeTooltip.value).toBeNull()
})

test('in the menu of a bar, where its name stands beside it, an icon button has a tooltip only for its keys', async () => {
  vi.useFakeTimers()
  mountComponent(AppToolbar, {
    slots: {
      more: () => [
        h(IconButton, { name: 'Wrap', icon: Copy }),
        h(IconButton, { name: 'Search', icon: Copy, shortcut: '$mod+F' }),
      ],
    },
  })
  getByRole('button', 'All tools').click()
  await nextTick()
  getByRole('button', 'Wrap').dispatchEvent(new Event('pointerenter'))
  vi.runAllTimers()
  expect(activeTooltip.value).toBeNull()
  getByRole('button', 'Search').dispatchEvent(new Event('pointerenter'))
  vi.runAllTimers()
  expect(activeTooltip.value).toMatchObject({ text: 'Search', keys: '$mod+F' })
})

test('a toggle exposes whether it is on', async () => {
  const page = mountComponent(IconButton, { props: { name: 'Wrap', icon: Copy, pressed: false } })
  expect(getByRole('button', 'Wrap').getAttribute('aria-pressed')).toBe('false')
  await page.setProps({ pressed: true })
  expect(getByRole('button', 'Wrap').getAttribute('aria-pressed')).toBe('true')
})

test('a button that becomes disabled keeps the focus, ignores presses, and is a disabled element without the focus', async () => {
  const onClick = vi.fn()
  const onSubmit = vi.fn((event: Event) => event.preventDefault())
  const isDisabled = ref(false)
  mountComponent({
    setup: () => () =>
      h('form', { onSubmit }, [
        h(AppButton, { type: 'submit', disabled: isDisabled.value, onClick }, () => 'Send'),
        h(IconButton, { name: 'Next', icon: Copy }),
      ]),
  })
  const button = getByRole('button', 'Send') as HTMLButtonElement
  button.focus()
  isDisabled.value = true
  await nextTick()
  button.click()
  expect(document.activeElement).toBe(button)
  expect([button.disabled, button.getAttribute('aria-disabled')]).toEqual([false, 'true'])
  expect(onClick).not.toHaveBeenCalled()
  expect(onSubmit).not.toHaveBeenCalled()
  getByRole('button', 'Next').focus()
  await nextTick()
  expect([button.disabled, button.getAttribute('aria-disabled')]).toEqual([true, null])
  isDisabled.value = false
  await nextTick()
  button.click()
  expect(onClick).toHaveBeenCalledOnce()
  expect(onSubmit).toHaveBeenCalledOnce()
})

describe('a copyable id', () => {
  const id = '5F1A2C3D-0000'

  test('is copied by one click and confirms it', async () => {
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    mountComponent(CopyableId, { props: { value: id, label: 'note id' } })
    getByRole('button', `Copy note id: ${id}`).click()
    await vi.waitFor(() => {
      expect(getByRole('status').textContent).toBe('Copied')
    })
    expect(writeText).toHaveBeenCalledWith(id)
  })

  test('reports that it could not be copied', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
    Object.assign(document, { execCommand: () => false })
    mountComponent(CopyableId, { props: { value: id } })
    getByRole('button', `Copy: ${id}`).click()
    await vi.waitFor(() => {
      expect(getByRole('status').textContent).toBe('Could not be copied')
    })
  })
})

describe('a search field', () => {
  test('is cleared by Escape, and passes Escape on only when it is empty', async () => {
    const onKeydown = vi.fn()
    const page = mountComponent(SearchField, {
      props: {
        label: 'Filter',
        modelValue: 'abc',
        count: '1 of 3',
        onKeydown,
        'onUpdate:modelValue': (value: string) => page.setProps({ modelValue: value }),
      },
    })
    const input = document.querySelector('input') as HTMLInputElement
    expect(getByRole('status').textContent).toBe('1 of 3')
    expect(getByRole('status').getAttribute('aria-live')).toBe('polite')
    await page.setProps({ isGrowing: true })
    expect(getByRole('status').getAttribute('aria-live')).toBe('off')
    pressKey(input, 'Escape')
    await nextTick()
    expect(page.emitted('update:modelValue')).toEqual([['']])
    expect(onKeydown).not.toHaveBeenCalled()
    pressKey(input, 'Escape')
    expect(onKeydown).toHaveBeenCalledOnce()
  })

  test('takes the focus on Ctrl+F if it is asked to', () => {
    mountComponent(SearchField, { props: { label: 'Filter', modelValue: '', findKey: true } })
    pressKey(document.body, 'f', { ctrlKey: true })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Filter')
  })
})

test('a divider moves by keys within its limits', () => {
  const page = mountComponent(PaneResizer, {
    props: {
      label: 'Resize inspector',
      min: 240,
      max: 300,
      defaultSize: 280,
      modelValue: 290,
      'onUpdate:modelValue': (value: number) => page.setProps({ modelValue: value }),
    },
  })
  const divider = getByRole('separator', 'Resize inspector')
  for (const key of ['ArrowLeft', 'Home', 'End', 'Enter', 'x']) pressKey(divider, key)
  expect(page.emitted('update:modelValue')?.flat()).toEqual([300, 240, 300, 280])
})

test('a choice between a few options is a group of radio buttons', async () => {
  const page = mountComponent(SegmentedControl, {
    props: {
      label: 'Theme',
      modelValue: 'light',
      options: [
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
    },
  })
  getByRole('radiogroup', 'Theme')
  getByRole('radio', 'Dark').click()
  await nextTick()
  expect(page.emitted('update:modelValue')).toEqual([['dark']])
})

test('a long task shows its progress and can be cancelled', () => {
  const onCancel = vi.fn()
  mountComponent(LoadingBar, { props: { label: '5 of 20', value: 5, max: 20, onCancel } })
  const bar = getByRole('progressbar', '5 of 20')
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuemax')]).toEqual(['5', '20'])
  getByRole('button', 'Cancel').click()
  expect(onCancel).toHaveBeenCalledOnce()
})

test('a task of unknown length shows a bar without a value', () => {
  mountComponent(LoadingBar, { props: { label: 'Reading' } })
  const bar = getByRole('progressbar', 'Reading')
  expect(['aria-valuenow', 'aria-valuemin', 'aria-valuemax'].map((name) => bar.getAttribute(name))).toEqual([
    null,
    null,
    null,
  ])
})
