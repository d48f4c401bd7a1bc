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
 * Shows a panel's page over our own, in a view with a session, an origin and a process of its own. The service process serves every byte
 * of it; nothing of Electron, of our page or of the network is within its reach.
 */
export function createPanelView(window: () => BrowserWindow | null): PanelView {
  let place = HIDDEN_PLACE
  let shown: ShownPanel | null = null
  /** The window whose page we follow. */
  let followed: BrowserWindow | null = null
  /** Grows with each opening and closing: what was begun before is stale. */
  let turn = 0

  function close(): void {
    turn += 1
    if (!shown) return
    const { view, session } = shown
    shown = null
    const owner = window()
    if (owner && !owner.isDestroyed()) owner.contentView.removeChildView(view)
    // A page in an endless loop does not answer that it may be closed; its process is ended with it.
    view.webContents.forcefullyCrashRenderer()
    view.webContents.close()
    void closePanelSession(session).catch(() => undefined)
  }

  /** Ends early if something else was opened meanwhile, or nothing is to be. */
  async function start(panel: PanelInView): Promise<void> {
    const mine = turn
    // A letter first: a host of digits alone would be an IPv4 address.
    const id = `p${randomBytes(8).toString('hex')}`
    const session = await openPanelSession(id, panel)
    if (mine !== turn) return closePanelSession(session)
    const view = new WebContentsView({ webPreferences: createPanelPreferences(session) })
    const home = getPanelOrigin(id) + panel.start
    disableWebRtc(view.webContents)
    const isShown = (): boolean => shown?.view === view
    shown = { home, session, view }
    watchPanel(view.webContents, { id, home, panel, isShown })
    apply()
    // Whatever goes wrong with it was told by `did-fail-load`.
    await view.webContents.loadURL(home).catch(() => undefined)
  }

  /** Our page was loaded again, or is gone: nobody knows where the panel lies until the page says so. */
  function follow(owner: BrowserWindow): void {
    if (followed === owner) return
    followed = owner
    const hide = (): void => {
      place = { ...place, bounds: null }
      apply()
    }
    owner.webContents.on('did-navigate', hide)
    owner.webContents.on('render-process-gone', hide)
    owner.once('closed', () => {
      followed = null
      close()
    })
  }

  function apply(): void {
    const owner = window()
    if (!owner || owner.isDestroyed()) return
    follow(owner)
    if (shown) positionView(owner, shown.view, place)
  }

  return {
    open(panel) {
      close()
      void start(panel).catch((error: unknown) =>
        panel.addNote({ kind: 'error', level: 'error', what: null, text: String(error) }),
      )
    },
    reload() {
      if (shown) reloadPanel(shown.view.webContents, shown.home)
    },
    close,
    setBounds(next) {
      place = next
      apply()
    },
    openDevTools() {
      shown?.view.webContents.openDevTools({ mode: 'detach' })
    },
  }
}
