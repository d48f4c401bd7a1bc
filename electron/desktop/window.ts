import { app, BrowserWindow, nativeTheme, screen, type Session } from 'electron'
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

/**
 * Opens the main window where the user left it. The window is shown only once the page has painted,
 * so that there is no white flash.
 */
export function createMainWindow({ preload, session, stateFile, hasDevTools }: WindowOptions): BrowserWindow {
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

/**
 * Quits and closes by keyboard even while the panel that has the focus does not respond: the menu
 * gets a key only after the page. On macOS the menu comes first.
 */
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
