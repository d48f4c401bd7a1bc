import { BrowserWindow, nativeTheme, screen } from 'electron'
import { MIN_WINDOW_SIZE, readWindowState, restoreWindowState, writeWindowState } from './window-state.ts'
import { createPagePreferences } from './web-preferences.ts'

/** The page's background colour in each theme (its `--bg` token); the window shows it until the page has painted. */
const backgrounds = { light: '#ffffff', dark: '#15171b' } as const

const background = (): string => (nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light)

interface WindowOptions {
  readonly preload: string
  readonly isPackaged: boolean
  readonly stateFile: string
}

/** The main window, where the user left it, shown once the page has painted: no white flash, no empty frame. */
export function createMainWindow({ preload, isPackaged: packaged, stateFile }: WindowOptions): BrowserWindow {
  const displays = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea)
  const state = restoreWindowState(readWindowState(stateFile), displays)
  const window = new BrowserWindow({
    title: 'Bridge Inspector',
    ...(state.bounds ?? { ...state.size, center: true }),
    minWidth: MIN_WINDOW_SIZE.width,
    minHeight: MIN_WINDOW_SIZE.height,
    show: false,
    backgroundColor: background(),
    autoHideMenuBar: true,
    webPreferences: createPagePreferences(preload, packaged),
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  const follow = (): void => window.setBackgroundColor(background())
  nativeTheme.on('updated', follow)
  window.once('closed', () => nativeTheme.off('updated', follow))
  saveBoundsOnChange(window, stateFile)
  return window
}

/** Saves the bounds half a second after the last change, and when the window closes. */
function saveBoundsOnChange(window: BrowserWindow, file: string): void {
  let timer: NodeJS.Timeout | undefined
  const save = (): void => {
    clearTimeout(timer)
    writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, 500)
  }
  window.on('resize', soon)
  window.on('move', soon)
  window.on('maximize', soon)
  window.on('unmaximize', soon)
  window.on('close', save)
}
