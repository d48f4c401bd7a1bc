import { app, ipcMain, protocol, type BrowserWindow } from 'electron'
import type { ContentDoor, Door } from '../handlers/door.ts'
import { serveContentScheme } from './content-protocol.ts'
import { offerContextMenu } from './context-menu.ts'
import { pageFiles, type Appearance } from '../page/files.ts'
import { devServer, devSocket, devSource } from './dev-server.ts'
import { serveIpc } from './ipc.ts'
import type { Note } from './note.ts'
import { APP_ORIGIN, HOME_URL, isHome, RECOVERY_PATH } from './origin.ts'
import { servePage } from './protocol.ts'
import { recoveryPage } from './recovery-page.ts'
import { recoverPage, returnHome } from './recovery.ts'
import type { Texts } from './texts.ts'
import { createWindow } from './window.ts'

interface PagePorts {
  readonly door: Door
  readonly content: ContentDoor
  /** The folder of the built page. */
  readonly folder: string
  readonly appearance: () => Appearance
  readonly preload: string
  readonly stateFile: string
  readonly texts: () => Texts
  readonly note: Note
}

/** Serves the page and opens the window that shows it. Call once the app is ready. */
export function openPage({
  door,
  content,
  folder,
  appearance,
  preload,
  stateFile,
  texts,
  note,
}: PagePorts): BrowserWindow {
  const server = devServer(app.isPackaged, process.env)
  servePage(protocol, {
    source: server ? devSource(server) : pageFiles(folder, appearance),
    recovery: () => recoveryPage(texts()),
    ...(server ? { connect: devSocket(server) } : {}),
  })
  const window = createWindow({ preload, packaged: app.isPackaged, stateFile })
  const { webContents: contents } = window
  serveIpc({ ipcMain, contents, door, note })
  serveContentScheme({ content, contents, protocol, webRequest: contents.session.webRequest, note })
  offerContextMenu(window, texts)
  const giveUp = (): void => void contents.loadURL(`${APP_ORIGIN}${RECOVERY_PATH}`)
  recoverPage(contents, { reload: () => reloadPage(window), giveUp, now: Date.now, note })
  returnHome(contents, HOME_URL, { load: (url) => void contents.loadURL(url), giveUp, now: Date.now, note })
  return window
}

/** Reloads our page where it is; from the recovery page, goes back to it. */
export function reloadPage({ webContents }: BrowserWindow): void {
  if (isHome(webContents.getURL())) webContents.reload()
  else void webContents.loadURL(HOME_URL)
}
