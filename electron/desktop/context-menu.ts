import { Menu, type BrowserWindow, type ContextMenuParams, type MenuItemConstructorOptions } from 'electron'
import type { DesktopTexts } from './texts.ts'

type Clicked = Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'selectionText'>

/**
 * What a right click offers where the page has no menu of its own: the editing commands in a field, Copy on selected text, nothing
 * elsewhere. Chromium brings no such menu.
 */
export function createContextMenuTemplate(
  { isEditable, editFlags, selectionText }: Clicked,
  { menu: t }: Pick<DesktopTexts, 'menu'>,
): MenuItemConstructorOptions[] {
  if (isEditable) {
    return [
      { role: 'undo', label: t.undo, enabled: editFlags.canUndo },
      { role: 'redo', label: t.redo, enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', label: t.cut, enabled: editFlags.canCut },
      { role: 'copy', label: t.copy, enabled: editFlags.canCopy },
      { role: 'paste', label: t.paste, enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', label: t.selectAll, enabled: editFlags.canSelectAll },
    ]
  }
  return selectionText.trim() === '' ? [] : [{ role: 'copy', label: t.copy, enabled: editFlags.canCopy }]
}

/** Shows that menu in this window from now on, in the user's language. */
export function enableContextMenu(window: BrowserWindow, texts: () => DesktopTexts): void {
  window.webContents.on('context-menu', (_event, params) => {
    const template = createContextMenuTemplate(params, texts())
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window })
  })
}
