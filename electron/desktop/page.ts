import { app, ipcMain, protocol, type BrowserWindow } from 'electron'
import type { ContentReader, IpcDispatcher } from '../handlers/ipc-dispatcher.ts'
import { serveContentScheme } from './content-protocol.ts'
import { enableContextMenu } from './context-menu.ts'
import { createPageFileReader, type Appearance } from '../page/page-files.ts'
import { getDevServerUrl, getDevSocketUrl, createDevSource, servePage, type PageSource } from './page-protocol.ts'
import { serveIpc } from './ipc.ts'
import { handleListingRequest } from './listing-protocol.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN, HOME_URL, isHomeUrl, RECOVERY_PATH } from './origin.ts'
import { createRecoveryPage, recoverFromCrashes, restoreHomePage } from './page-recovery.ts'
import type { DesktopTexts } from './texts.ts'
import { createMainWindow } from './window.ts'

interface PagePorts {
  /** The folder of the built page. */
  readonly folder: string
  readonly preload: string
  readonly stateFile: string
  readonly texts: () => DesktopTexts
  readonly log: SecurityLogger
}

/** What the page is made of once the services are there. */
interface PageServices {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly getAppearance: () => Appearance
}

/** What the app's scheme serves. */
interface Parts {
  readonly source: PageSource
  readonly listing: (request: Request) => Promise<Response>
}

interface OpenedPage {
  readonly window: BrowserWindow
  /** Call once. Until then no file of the page is answered, so nothing of it runs. */
  serve(served: PageServices): void
}

/**
 * Opens the window of the page. Call once the app is ready: before the services are there, so that the system starts the page's process
 * meanwhile.
 */
export function openPage({ folder, preload, stateFile, texts, log: note }: PagePorts): OpenedPage {
  const server = getDevServerUrl(app.isPackaged, process.env)
  let begin: (parts: Parts) => void
  const begun = new Promise<Parts>((resolve) => (begin = resolve))
  servePage(
    protocol,
    {
      source: async (pathname, search) => (await begun).source(pathname, search),
      recovery: () => createRecoveryPage(texts()),
      ...(server ? { connect: getDevSocketUrl(server) } : {}),
    },
    async (request) => (await begun).listing(request),
  )
  const window = createMainWindow({ preload, isPackaged: app.isPackaged, stateFile })
  const { webContents: contents } = window
  enableContextMenu(window, texts)
  const giveUp = (): void => void contents.loadURL(`${APP_ORIGIN}${RECOVERY_PATH}`)
  recoverFromCrashes(contents, {
    reload: () => reloadPage(window),
    showRecoveryPage: giveUp,
    now: () => performance.now(),
    log: note,
  })
  restoreHomePage(contents, HOME_URL, {
    load: (url) => void contents.loadURL(url),
    showRecoveryPage: giveUp,
    now: () => performance.now(),
    log: note,
  })
  return {
    window,
    serve({ dispatcher: door, contentReader: content, getAppearance }) {
      if (window.isDestroyed()) return
      serveIpc({ ipcMain, contents, dispatcher: door, log: note })
      serveContentScheme({
        contentReader: content,
        contents,
        protocol,
        webRequest: contents.session.webRequest,
        log: note,
      })
      begin({
        source: server ? createDevSource(server) : createPageFileReader(folder, getAppearance),
        listing: (request) => handleListingRequest(request, door),
      })
    },
  }
}

/** Reloads our page where it is; from the recovery page, goes back to it. */
export function reloadPage({ webContents }: BrowserWindow): void {
  if (isHomeUrl(webContents.getURL())) webContents.reload()
  else void webContents.loadURL(HOME_URL)
}
