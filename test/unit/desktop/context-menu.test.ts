import { describe, expect, test, vi } from 'vitest'
import { createContextMenuTemplate } from '../../../electron/desktop/context-menu.ts'
import { getDesktopTexts } from '../../../electron/desktop/texts.ts'

vi.mock('electron', () => ({ Menu: {} }))

const flags = {
  canUndo: false,
  canRedo: false,
  canCut: true,
  canCopy: true,
  canPaste: true,
  canDelete: true,
  canSelectAll: true,
  canEditRichly: false,
}
const labels = (...[clicked, locale = 'en']: [Parameters<typeof createContextMenuTemplate>[0], ('en' | 'zh-CN')?]) =>
  createContextMenuTemplate(clicked, getDesktopTexts(locale, [])).map(({ label, type, enabled }) =>
    type === 'separator' ? '-' : `${label}${enabled === false ? ' (off)' : ''}`,
  )

describe('the context menu', () => {
  test('offers the editing commands in a field, and only those that do something', () => {
    expect(labels({ isEditable: true, editFlags: flags, selectionText: 'a' })).toEqual([
      '&Undo (off)',
      '&Redo (off)',
      '-',
      'Cu&t',
      '&Copy',
      '&Paste',
      '-',
      'Select &All',
    ])
  })

  test('offers Copy for selected text, in the language of the app', () => {
    expect(labels({ isEditable: false, editFlags: flags, selectionText: '细胞膜' }, 'zh-CN')).toEqual(['复制(&C)'])
  })

  test('does not open if nothing is selected', () => {
    expect(labels({ isEditable: false, editFlags: flags, selectionText: ' \n' })).toEqual([])
  })
})
