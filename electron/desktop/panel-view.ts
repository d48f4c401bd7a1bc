import { randomBytes } from 'node:crypto'
import { WebContentsView, type BrowserWindow, type Session } from 'electron'
import type { PanelInView, PanelPlace, PanelView } from '../handlers/ipc-dispatcher.ts'
import { positionView } from './view-position.ts'
import { getPanelOrigin, disableWebRtc } from './panel-isolation.ts'
import { closePanelSession, openPanelSession } from './panel-session.ts'
import { reloadPanel, watchPanel } from './panel-watch.ts'
import { createPanelPreferences } from './web-preferences.ts'

interface ShownPanel {
  readonly home: string
  readonly session: Session
  readonly view: WebContentsView
}

const HIDDEN_PLACE: PanelPlace = { bounds: null, zoom: 1, scheme: 'system' }

/**
 * Shows a panel's page above our own page, in a view with a separate session, origin and process.
 * The service process serves every byte of the panel's page, which cannot reach Electron, our page
 * or the network.
 */
export function createPanelView(getWindow: () => BrowserWindow | null): PanelView {
  let place = HIDDEN_PLACE
  let openedPanel: ShownPanel | null = null
  /** The window whose page decides the position of the panel. */
  let followedWindow: BrowserWindow | null = null
  /**
   * Increases with each opening and closing, so that an `openView` that is still waiting can detect
   * a later change.
   */
  let generation = 0

  function close(): void {
    generation += 1
    if (!openedPanel) return
    const { view, session } = openedPanel
    openedPanel = null
    const owner = getWindow()
    if (owner && !owner.isDestroyed()) owner.contentView.removeChildView(view)
    // A page in an endless loop does not react to `close`, so its process is ended by force.
    view.webContents.forcefullyCrashRenderer()
    view.webContents.close()
    void closePanelSession(session).catch(() => undefined)
  }

  /** Stops if the panel was closed, or a different one was opened, in the meantime. */
  async function openView(panel: PanelInView): Promise<void> {
    const ownGeneration = generation
    // The host begins with a letter, because digits alone would be an IPv4 address.
    const id = `p${randomBytes(8).toString('hex')}`
    const session = await openPanelSession(id, panel)
    if (ownGeneration !== generation) return closePanelSession(session)
    const view = new WebContentsView({ webPreferences: createPanelPreferences(session) })
    const home = getPanelOrigin(id) + panel.start
    disableWebRtc(view.webContents)
    const isShown = (): boolean => openedPanel?.view === view
    openedPanel = { home, session, view }
    watchPanel(view.webContents, { id, home, panel, isShown })
    applyPlace()
    // `did-fail-load` has already reported any failure.
    await view.webContents.loadURL(home).catch(() => undefined)
  }

  /**
   * Hides the panel when our page was reloaded or crashed. The panel stays hidden until our page
   * sends a position again.
   */
  function followWindow(owner: BrowserWindow): void {
    if (followedWindow === owner) return
    followedWindow = owner
    const hide = (): void => {
      place = { ...place, bounds: null }
      applyPlace()
    }
    owner.webContents.on('did-navigate', hide)
    owner.webContents.on('render-process-gone', hide)
    owner.once('closed', () => {
      followedWindow = null
      close()
    })
  }

  function applyPlace(): void {
    const owner = getWindow()
    if (!owner || owner.isDestroyed()) return
    followWindow(owner)
    if (openedPanel) positionView(owner, openedPanel.view, place)
  }

  return {
    open(panel) {
      close()
      void openView(panel).catch((error: unknown) =>
        panel.addNote({ kind: 'error', level: 'error', what: null, text: String(error) }),
      )
    },
    reload() {
      if (openedPanel) reloadPanel(openedPanel.view.webContents, openedPanel.home)
    },
    close,
    setBounds(next) {
      place = next
      applyPlace()
    },
    openDevTools() {
      openedPanel?.view.webContents.openDevTools({ mode: 'detach' })
    },
  }
}
