/**
 * The desktop app's window and Electron's rules for the window: schemes, IPC, navigation,
 * permissions, panels, updates. Services, which the browser host uses too, are in
 * `electron/services`. Read `openPage` first, then `hardening.ts` for the security rules.
 */
import { app, ipcMain, session as sessions, BrowserWindow, nativeTheme, screen, type Session } from 'electron'
import type { ContentReader, IpcDispatcher } from '../handlers/app-ports.ts'
import { serveContentScheme } from './content-protocol.ts'
import { enableContextMenu } from './context-menu.ts'
import { createPageFileReader, type Appearance } from '../page/page-files.ts'
import { getDevServerUrl, getDevSocketUrl, createDevSource, servePage, type PageSource } from './page-protocol.ts'
import { serveIpc } from './ipc.ts'
import { handleListingRequest } from './listing-protocol.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN, HOME_URL, isHomeUrl, RECOVERY_PATH } from './origin.ts'
import { isolateWindow } from './panel-frame.ts'
import { createRecoveryFile, recoverFromCrashes, restoreHomePage } from './page-recovery.ts'
import type { DesktopTexts } from './texts.ts'
import { getShortcutKey } from '../../shared/format/shortcut-key.ts'
import { MIN_WINDOW_SIZE, readWindowState, restoreWindowState, writeWindowState } from './window-state.ts'
import { createPagePreferences } from './web-preferences.ts'

/** The page's `--bg` token, which the window shows until the page has painted. */
const backgrounds = { light: '#ffffff', dark: '#15171b' } as const

const getBackground = (): string => (nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light)

interface WindowOptions {
  readonly preload: string
  readonly session: Session
  readonly stateFile: string
  readonly hasDevTools: boolean
}

/** Opens where the user left it; shown once the page has painted, without a white flash. */
function createMainWindow({ preload, session, stateFile, hasDevTools }: WindowOptions): BrowserWindow {
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea)
  const state = restoreWindowState(readWindowState(stateFile), displays)
  const window = new BrowserWindow({
    title: 'Bridge Inspector',
    ...(state.bounds ?? { ...state.size, center: true }),
    minWidth: MIN_WINDOW_SIZE.width,
    minHeight: MIN_WINDOW_SIZE.height,
    show: false,
    backgroundColor: getBackground(),
    autoHideMenuBar: true,
    webPreferences: { ...createPagePreferences(preload, session, hasDevTools), zoomFactor: state.zoom },
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  const updateBackground = (): void => window.setBackgroundColor(getBackground())
  nativeTheme.on('updated', updateBackground)
  window.once('closed', () => nativeTheme.off('updated', updateBackground))
  saveBoundsOnChange(window, stateFile)
  closeByKeyboard(window)
  return window
}

/** Works while the focused panel hangs: menus get keys after the page, except on macOS. */
function closeByKeyboard(window: BrowserWindow): void {
  window.webContents.on('before-input-event', (event, { type, key, code, control, alt, shift }) => {
    if (process.platform === 'darwin' || type !== 'keyDown' || !control || alt || shift) return
    const close = { q: () => app.quit(), w: () => window.close() }[getShortcutKey({ key, code }).toLowerCase()]
    if (!close) return
    event.preventDefault()
    close()
  })
}

/** Saves the bounds half a second after the last change, and when the window closes. */
function saveBoundsOnChange(window: BrowserWindow, file: string): void {
  let timer: NodeJS.Timeout | undefined
  const save = (): void => {
    clearTimeout(timer)
    const zoom = window.webContents.getZoomFactor()
    writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized(), zoom })
  }
  const scheduleSave = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, 500)
  }
  window.on('resize', scheduleSave)
  window.on('move', scheduleSave)
  window.on('maximize', scheduleSave)
  window.on('unmaximize', scheduleSave)
  window.on('close', save)
}

interface PagePorts {
  readonly folder: string
  readonly preload: string
  readonly stateFile: string
  readonly hasDevTools: boolean
  readonly texts: () => DesktopTexts
  readonly log: SecurityLogger
}

interface PageServices {
  readonly dispatcher: IpcDispatcher
  readonly contentReader: ContentReader
  readonly getAppearance: () => Appearance
  readonly panels: { readonly port: number; readonly frameSource: string }
}

/** Everything that the app's scheme serves once the services exist. */
interface Parts {
  readonly source: PageSource
  readonly listing: (request: Request) => Promise<Response>
}

interface OpenedPage {
  readonly window: BrowserWindow
  /** Starts the page; must be called once. Requests for the page's files wait until then. */
  serve(served: PageServices): Promise<void>
}

/** Needs a ready app but no services, so that the page's process starts meanwhile. */
export function openPage({ folder, preload, stateFile, hasDevTools, texts, log }: PagePorts): OpenedPage {
  const server = getDevServerUrl(app.isPackaged, process.env)
  let resolveParts: (parts: Parts) => void
  const pageParts = new Promise<Parts>((resolve) => (resolveParts = resolve))
  const devSocket = server ? getDevSocketUrl(server) : undefined
  // The session is in memory, because panels store data in it.
  const session = sessions.fromPartition('page', { cache: false })
  let frames = ''
  servePage(
    session.protocol,
    {
      source: async (pathname, search) => (await pageParts).source(pathname, search),
      recovery: (pathname) => createRecoveryFile(pathname, texts()),
      connect: devSocket,
      getFrames: () => frames,
    },
    async (request) => (await pageParts).listing(request),
  )
  const window = createMainWindow({ preload, session, stateFile, hasDevTools })
  const { webContents: contents } = window
  enableContextMenu(window, texts)
  const showRecoveryPage = (): void => void contents.loadURL(`${APP_ORIGIN}${RECOVERY_PATH}`)
  recoverFromCrashes(contents, {
    reload: () => reloadPage(window),
    showRecoveryPage,
    now: () => performance.now(),
    log,
  })
  restoreHomePage(contents, HOME_URL, {
    load: (url) => void contents.loadURL(url),
    showRecoveryPage,
    now: () => performance.now(),
    log,
  })
  return {
    window,
    async serve({ dispatcher, contentReader, getAppearance, panels }) {
      if (window.isDestroyed()) return
      serveIpc({ ipcMain, contents, dispatcher, log })
      serveContentScheme(session.protocol, contentReader, contents.id)
      await isolateWindow({ contents, panelPort: panels.port, devSocket, log })
      frames = panels.frameSource
      resolveParts({
        source: server ? createDevSource(server) : createPageFileReader(folder, getAppearance),
        listing: (request) => handleListingRequest(request, dispatcher),
      })
    },
  }
}

/** Reloads the page at its current place. From the recovery page, goes back to the app. */
export function reloadPage({ webContents }: BrowserWindow): void {
  if (isHomeUrl(webContents.getURL())) webContents.reload()
  else void webContents.loadURL(HOME_URL)
}
