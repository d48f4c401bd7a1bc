import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopTexts } from './texts.ts'

interface MenuPorts {
  readonly texts: DesktopTexts
  readonly platform: NodeJS.Platform
  readonly hasDevTools: boolean
  readonly openRecording: () => void
  readonly showSettings: () => void
  /** The menu role `reload` would reload the focused window, not necessarily the page. */
  readonly reload: () => void
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Follows each platform's conventions. Developer tools only if the window has them. */
export function createMenuTemplate({
  texts: { menu: labels },
  platform,
  hasDevTools,
  openRecording,
  showSettings,
  reload,
}: MenuPorts): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const openItem = { label: labels.openRecording, accelerator: 'CmdOrCtrl+O', click: openRecording }
  const settingsItem = { label: labels.settings, accelerator: 'CmdOrCtrl+,', click: showSettings }
  const aboutItem: MenuItemConstructorOptions = { role: 'about', label: labels.about }
  const quitItem: MenuItemConstructorOptions = { role: 'quit', label: labels.quit }
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    label: 'Bridge Inspector',
    submenu: [
      aboutItem,
      separator,
      settingsItem,
      separator,
      { role: 'services', label: labels.services },
      separator,
      { role: 'hide', label: labels.hide },
      { role: 'hideOthers', label: labels.hideOthers },
      { role: 'unhide', label: labels.showAll },
      separator,
      quitItem,
    ],
  }
  const helpMenu: MenuItemConstructorOptions = { role: 'help', label: labels.help, submenu: [aboutItem] }
  return [
    ...(isMac ? [appMenu] : []),
    {
      label: labels.file,
      submenu: isMac ? [openItem] : [openItem, settingsItem, separator, { ...quitItem, accelerator: 'Ctrl+Q' }],
    },
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
        ...(hasDevTools ? [separator, { role: 'toggleDevTools', label: labels.devTools } as const] : []),
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
    ...(isMac ? [] : [helpMenu]),
  ]
}
