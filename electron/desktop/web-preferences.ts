import type { Session, WebPreferences } from 'electron'

/**
 * The preferences of all our pages: sandboxed, context-isolated, without Node. Settings that match
 * Electron's defaults are listed too, so that a changed default cannot weaken them; a test compares
 * them with a golden copy.
 * @see https://www.electronjs.org/docs/latest/tutorial/security#checklist-security-recommendations
 *   (2 to 4, 6, 8 to 12)
 */
const lockedPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  // Ids and payloads are not prose, and a spell checker may download dictionaries, although this
  // app may contact only the host.
  spellcheck: false,
} as const satisfies WebPreferences

/** Only our own page has the preload. */
export const createPagePreferences = (preload: string, isPackaged: boolean): WebPreferences => ({
  ...lockedPreferences,
  preload,
  devTools: !isPackaged,
})

/**
 * Creates the preferences of a panel's page: like ours, but without a preload and with a separate
 * session. Developer tools are available in a packaged app too, because the user develops the
 * panel. The panel's `alert` opens nothing, because a dialog would block the whole window.
 */
export const createPanelPreferences = (session: Session): WebPreferences => ({
  ...lockedPreferences,
  session,
  devTools: true,
  disableDialogs: true,
})
