import { app, ipcMain, protocol, type BrowserWindow } from 'electron'
import type { ContentDoor, Door } from '../handlers/door.ts'
import { serveContentScheme } from './content-protocol.ts'
import { offerContextMenu } from './context-menu.ts'
import { pageFiles, type Appearance } from '../page/files.ts'
import { devServer, devSocket, devSource, servePage, type PageSource } from './protocol.ts'
import { serveIpc } from './ipc.ts'
import { answerListing } from './listing.ts'
import type { Note } from './note.ts'
import { APP_ORIGIN, HOME_URL, isHome, RECOVERY_PATH } from './origin.ts'
import { recoveryPage, recoverPage, returnHome } from './recovery.ts'
import type { Texts } from './texts.ts'
import { createWindow } from './window.ts'

interface PagePorts {
  /** The folder of the built page. */
  readonly folder: string
  readonly preload: string
  readonly stateFile: string
  readonly texts: () => Texts
  readonly note: Note
}

/** What the page is made of once the services are there. */
interface Served {
  readonly door: Door
  readonly content: ContentDoor
  readonly appearance: () => Appearance
}

/** What the app's scheme serves. */
interface Parts {
  readonly source: PageSource
  readonly listing: (request: Request) => Promise<Response>
}

interface OpenedPage {
  readonly window: BrowserWindow
  /** Call once. Until then no file of the page is answered, so nothing of it runs. */
  serve(served: Served): void
}

/**
 * Opens the window of the page. Call once the app is ready: before the services are there, so that the system starts the page's process
 * meanwhile.
 */
export function openPage({ folder, preload, stateFile, texts, note }: PagePorts): OpenedPage {
  const server = devServer(app.isPackaged, process.env)
  let begin: (parts: Parts) => void
  const begun = new Promise<Parts>((resolve) => (begin = resolve))
  servePage(
    protocol,
    {
      source: async (pathname, search) => (await begun).source(pathname, search),
      recovery: () => recoveryPage(texts()),
      ...(server ? { connect: devSocket(server) } : {}),
    },
    async (request) => (await begun).listing(request),
  )
  const window = createWindow({ preload, packaged: app.isPackaged, stateFile })
  const { webContents: contents } = window
  offerContextMenu(window, texts)
  const giveUp = (): void => void contents.loadURL(`${APP_ORIGIN}${RECOVERY_PATH}`)
  recoverPage(contents, { reload: () => reloadPage(window), giveUp, now: () => performance.now(), note })
  returnHome(contents, HOME_URL, {
    load: (url) => void contents.loadURL(url),
    giveUp,
    now: () => performance.now(),
    note,
  })
  return {
    window,
    serve({ door, content, appearance }) {
      if (window.isDestroyed()) return
      const { callerOf } = serveIpc({ ipcMain, contents, door, note })
      serveContentScheme({ content, contents, protocol, webRequest: contents.session.webRequest, note })
      begin({
        source: server ? devSource(server) : pageFiles(folder, appearance),
        listing: (request) => answerListing(request, { door, callerOf }),
      })
    },
  }
}

/** Reloads our page where it is; from the recovery page, goes back to it. */
export function reloadPage({ webContents }: BrowserWindow): void {
  if (isHome(webContents.getURL())) webContents.reload()
  else void webContents.loadURL(HOME_URL)
}
