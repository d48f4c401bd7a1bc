import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopTexts } from './texts.ts'

interface MenuPorts {
  readonly texts: DesktopTexts
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  /** The menu role `reload` would reload the focused window, not necessarily the page. */
  readonly reload: () => void
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Follows each platform's conventions. Developer tools are included only in development. */
export function createMenuTemplate({
  texts: { menu: labels },
  platform,
  isPackaged,
  reload,
}: MenuPorts): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  return [
    isMac
      ? {
          role: 'appMenu',
          label: 'Bridge Inspector',
          submenu: [
            { role: 'about', label: labels.about },
            separator,
            { role: 'services', label: labels.services },
            separator,
            { role: 'hide', label: labels.hide },
            { role: 'hideOthers', label: labels.hideOthers },
            { role: 'unhide', label: labels.showAll },
            separator,
            { role: 'quit', label: labels.quit },
          ],
        }
      : { label: labels.file, submenu: [{ role: 'quit', label: labels.quit, accelerator: 'Ctrl+Q' }] },
    {
      label: labels.edit,
      submenu: [
        { role: 'undo', label: labels.undo },
        { role: 'redo', label: labels.redo },
        separator,
        { role: 'cut', label: labels.cut },
        { role: 'copy', label: labels.copy },
        { role: 'paste', label: labels.paste },
        { role: 'selectAll', label: labels.selectAll },
      ],
    },
    {
      label: labels.view,
      submenu: [
        { label: labels.reload, accelerator: 'CmdOrCtrl+R', click: reload },
        separator,
        { role: 'resetZoom', label: labels.zoomReset },
        { role: 'zoomIn', label: labels.zoomIn },
        { role: 'zoomOut', label: labels.zoomOut },
        separator,
        { role: 'togglefullscreen', label: labels.fullscreen },
        ...(isPackaged ? [] : [separator, { role: 'toggleDevTools', label: labels.devTools } as const]),
      ],
    },
    {
      label: labels.window,
      role: 'window',
      submenu: [
        { role: 'minimize', label: labels.minimize },
        ...(isMac
          ? [
              { role: 'zoom', label: labels.zoomWindow } as const,
              separator,
              { role: 'front', label: labels.front } as const,
            ]
          : []),
        { role: 'close', label: labels.close },
      ],
    },
  ]
}
