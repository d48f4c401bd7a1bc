import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopTexts } from './texts.ts'

interface MenuPorts {
  readonly texts: DesktopTexts
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  /** Reloads our own page. Not the role `reload`, which reloads whichever window has the focus. */
  readonly reload: () => void
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** The application menu: what each platform expects, with developer tools only in development. */
export function createMenuTemplate({
  texts: { menu: t },
  platform,
  isPackaged: packaged,
  reload,
}: MenuPorts): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  return [
    mac
      ? {
          role: 'appMenu',
          label: 'Bridge Inspector',
          submenu: [
            { role: 'about', label: t.about },
            separator,
            { role: 'services', label: t.services },
            separator,
            { role: 'hide', label: t.hide },
            { role: 'hideOthers', label: t.hideOthers },
            { role: 'unhide', label: t.showAll },
            separator,
            { role: 'quit', label: t.quit },
          ],
        }
      : { label: t.file, submenu: [{ role: 'quit', label: t.quit, accelerator: 'Ctrl+Q' }] },
    {
      label: t.edit,
      submenu: [
        { role: 'undo', label: t.undo },
        { role: 'redo', label: t.redo },
        separator,
        { role: 'cut', label: t.cut },
        { role: 'copy', label: t.copy },
        { role: 'paste', label: t.paste },
        { role: 'selectAll', label: t.selectAll },
      ],
    },
    {
      label: t.view,
      submenu: [
        { label: t.reload, accelerator: 'CmdOrCtrl+R', click: reload },
        separator,
        { role: 'resetZoom', label: t.zoomReset },
        { role: 'zoomIn', label: t.zoomIn },
        { role: 'zoomOut', label: t.zoomOut },
        separator,
        { role: 'togglefullscreen', label: t.fullscreen },
        ...(packaged ? [] : [separator, { role: 'toggleDevTools', label: t.devTools } as const]),
      ],
    },
    {
      label: t.window,
      role: 'window',
      submenu: [
        { role: 'minimize', label: t.minimize },
        ...(mac
          ? [{ role: 'zoom', label: t.zoomWindow } as const, separator, { role: 'front', label: t.front } as const]
          : []),
        { role: 'close', label: t.close },
      ],
    },
  ]
}
