import { Copy } from '@lucide/vue'
import { nextTick } from 'vue'
import { afterEach, describe, expect, test, vi } from 'vitest'
import CopyableId from '../../renderer/components/CopyableId.vue'
import IconButton from '../../renderer/components/IconButton.vue'
import LoadingBar from '../../renderer/components/LoadingBar.vue'
import PaneResizer from '../../renderer/components/PaneResizer.vue'
import SearchField from '../../renderer/components/SearchField.vue'
import SegmentedControl from '../../renderer/components/SegmentedControl.vue'
import { hideTooltip, activeTooltip } from '../../renderer/components/tooltip.ts'
import { byRole, press, show } from '../support/vue/page.ts'

afterEach(() => {
  document.body.innerHTML = ''
  hideTooltip()
  vi.useRealTimers()
})

test('an icon button has a name, and its tooltip says the same with its keys', () => {
  vi.useFakeTimers()
  show(IconButton, { props: { name: 'Reload', icon: Copy, shortcut: '$mod+R' } })
  const button = byRole('button', 'Reload')
  expect(button.hasAttribute('aria-pressed')).toBe(false)
  button.dispatchEvent(new Event('pointerenter'))
  vi.runAllTimers()
  expect(activeTooltip.value).toMatchObject({ text: 'Reload', keys: '$mod+R' })
  button.dispatchEvent(new Event('pointerleave'))
  expect(activeTooltip.value).toBeNull()
})

test('a toggle says whether it is on', async () => {
  const page = show(IconButton, { props: { name: 'Wrap', icon: Copy, pressed: false } })
  expect(byRole('button', 'Wrap').getAttribute('aria-pressed')).toBe('false')
  await page.setProps({ pressed: true })
  expect(byRole('button', 'Wrap').getAttribute('aria-pressed')).toBe('true')
})

describe('an id', () => {
  const id = '5F1A2C3D-0000'

  test('is copied by one click, and says so', async () => {
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    show(CopyableId, { props: { value: id, what: 'note id' } })
    byRole('button', `Copy note id: ${id}`).click()
    await vi.waitFor(() => {
      expect(byRole('status').textContent).toBe('Copied')
    })
    expect(writeText).toHaveBeenCalledWith(id)
  })

  test('says when it could not be copied', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
    Object.assign(document, { execCommand: () => false })
    show(CopyableId, { props: { value: id } })
    byRole('button', `Copy: ${id}`).click()
    await vi.waitFor(() => {
      expect(byRole('status').textContent).toBe('Could not be copied')
    })
  })
})

describe('a search field', () => {
  test('is emptied by Escape, and only then lets Escape through', async () => {
    const onKeydown = vi.fn()
    const page = show(SearchField, {
      props: {
        label: 'Filter',
        modelValue: 'abc',
        count: '1 of 3',
        onKeydown,
        'onUpdate:modelValue': (v: string) => page.setProps({ modelValue: v }),
      },
    })
    const input = document.querySelector('input') as HTMLInputElement
    expect(byRole('status').textContent).toBe('1 of 3')
    press(input, 'Escape')
    await nextTick()
    expect(page.emitted('update:modelValue')).toEqual([['']])
    expect(onKeydown).not.toHaveBeenCalled()
    press(input, 'Escape')
    expect(onKeydown).toHaveBeenCalledOnce()
  })

  test('takes Ctrl+F if asked to', () => {
    show(SearchField, { props: { label: 'Filter', modelValue: '', findKey: true } })
    press(document.body, 'f', { ctrlKey: true })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Filter')
  })
})

test('a divider moves by keys within its limits', () => {
  const page = show(PaneResizer, {
    props: {
      label: 'Resize inspector',
      min: 240,
      max: 300,
      usual: 280,
      modelValue: 290,
      'onUpdate:modelValue': (v: number) => page.setProps({ modelValue: v }),
    },
  })
  const divider = byRole('separator', 'Resize inspector')
  for (const key of ['ArrowLeft', 'Home', 'End', 'Enter', 'x']) press(divider, key)
  expect(page.emitted('update:modelValue')?.flat()).toEqual([300, 240, 300, 280])
})

test('a choice among a few is a group of radio buttons', async () => {
  const page = show(SegmentedControl, {
    props: {
      label: 'Theme',
      modelValue: 'light',
      options: [
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
    },
  })
  byRole('radiogroup', 'Theme')
  byRole('radio', 'Dark').click()
  await nextTick()
  expect(page.emitted('update:modelValue')).toEqual([['dark']])
})

test('long work shows how far it is and can be cancelled', () => {
  const onCancel = vi.fn()
  show(LoadingBar, { props: { label: '5 of 20', value: 5, max: 20, onCancel } })
  const bar = byRole('progressbar', '5 of 20')
  expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuemax')]).toEqual(['5', '20'])
  byRole('button', 'Cancel').click()
  expect(onCancel).toHaveBeenCalledOnce()
})
