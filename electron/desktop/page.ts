import { app, ipcMain, protocol, type BrowserWindow } from 'electron'
import type { ContentDoor, Door } from '../handlers/door.ts'
import { serveContentScheme } from './content-protocol.ts'
import { offerContextMenu } from './context-menu.ts'
import { pageFiles, type Appearance } from '../page/files.ts'
import { devServer, devSocket, devSource } from './dev-server.ts'
import { createEarlyDoor } from './early-door.ts'
import { serveIpc } from './ipc.ts'
import { answerListing } from './listing.ts'
import { awaitLull } from './lull.ts'
import type { Note } from './note.ts'
import { APP_ORIGIN, HOME_URL, isHome, RECOVERY_PATH } from './origin.ts'
import { servePage, type PageSource } from './protocol.ts'
import { recoveryPage } from './recovery-page.ts'
import { recoverPage, returnHome } from './recovery.ts'
import type { Texts } from './texts.ts'
import { createWindow } from './window.ts'

interface PagePorts {
  /** The folder of the built page. */
  readonly folder: string
  readonly preload: string
  readonly stateFile: string
  /** The look until the services are there. */
  readonly appearance: Appearance
  readonly texts: () => Texts
  readonly note: Note
}

/** What the page is given once the services are there. */
interface Served {
  readonly door: Door
  readonly content: ContentDoor
  readonly appearance: () => Appearance
}

interface OpenedPage {
  readonly window: BrowserWindow
  /** Resolves when the page has what its first paint waits for: time to compose the services. */
  readonly lull: Promise<void>
  /** Call once. Until then the page's calls, listings and contents wait. */
  serve(served: Served): void
}

/**
 * Opens the window of the page. Call once the app is ready, before the services are there: the page starts meanwhile. Every rule about who
 * may ask for what holds from the beginning.
 */
export function openPage({ folder, preload, stateFile, appearance, texts, note }: PagePorts): OpenedPage {
  const server = devServer(app.isPackaged, process.env)
  const early = createEarlyDoor()
  const lull = awaitLull()
  let look = (): Appearance => appearance
  let begin: (served: Served) => void
  const begun = new Promise<Served>((resolve) => (begin = resolve))
  const files: PageSource = server ? devSource(server) : pageFiles(folder, () => look())
  servePage(
    protocol,
    {
      async source(pathname, search) {
        const file = await files(pathname, search)
        if (pathname !== '/') lull.sent()
        return file
      },
      recovery: () => recoveryPage(texts()),
      ...(server ? { connect: devSocket(server) } : {}),
    },
    async (request) => answerListing(request, { door: (await begun).door, callerOf }),
  )
  const window = createWindow({ preload, packaged: app.isPackaged, stateFile })
  const { webContents: contents } = window
  const { callerOf } = serveIpc({ ipcMain, contents, door: early.door, note })
  // Before the page is loaded: a page knows only the schemes that were served when it was.
  serveContentScheme({
    content: async (request) => (await begun).content(request),
    ...{ contents, protocol, webRequest: contents.session.webRequest, note },
  })
  offerContextMenu(window, texts)
  const giveUp = (): void => void contents.loadURL(`${APP_ORIGIN}${RECOVERY_PATH}`)
  recoverPage(contents, { reload: () => reloadPage(window), giveUp, now: Date.now, note })
  returnHome(contents, HOME_URL, { load: (url) => void contents.loadURL(url), giveUp, now: Date.now, note })
  return {
    window,
    lull: lull.come,
    serve(served) {
      look = served.appearance
      early.open(served.door)
      begin(served)
    },
  }
}

/** Reloads our page where it is; from the recovery page, goes back to it. */
export function reloadPage({ webContents }: BrowserWindow): void {
  if (isHome(webContents.getURL())) webContents.reload()
  else void webContents.loadURL(HOME_URL)
}
