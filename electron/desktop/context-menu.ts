import { Menu, type BrowserWindow, type ContextMenuParams, type MenuItemConstructorOptions } from 'electron'
import type { DesktopTexts } from './texts.ts'

type Clicked = Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'selectionText'>

/** Editing in a text field, Copy for selected text. Chromium has no such menu by default. */
export function createContextMenuTemplate(
  { isEditable, editFlags, selectionText }: Clicked,
  { menu: labels }: Pick<DesktopTexts, 'menu'>,
): MenuItemConstructorOptions[] {
  if (isEditable) {
    return [
      { role: 'undo', label: labels.undo, enabled: editFlags.canUndo },
      { role: 'redo', label: labels.redo, enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', label: labels.cut, enabled: editFlags.canCut },
      { role: 'copy', label: labels.copy, enabled: editFlags.canCopy },
      { role: 'paste', label: labels.paste, enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', label: labels.selectAll, enabled: editFlags.canSelectAll },
    ]
  }
  return selectionText.trim() === '' ? [] : [{ role: 'copy', label: labels.copy, enabled: editFlags.canCopy }]
}

export function enableContextMenu(window: BrowserWindow, getTexts: () => DesktopTexts): void {
  window.webContents.on('context-menu', (_event, params) => {
    const template = createContextMenuTemplate(params, getTexts())
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window })
  })
}
