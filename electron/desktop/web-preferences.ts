import type { Session, WebPreferences } from 'electron'

/**
 * How every page of ours runs: sandboxed, context-isolated, without Node. Settings that match Electron's defaults are spelled out too, so
 * that a changed default cannot weaken them; a test compares this with a golden copy. Electron's security checklist, 2 to 4, 6, 8 to 12:
 * https://www.electronjs.org/docs/latest/tutorial/security#checklist-security-recommendations
 */
const locked = {
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
  // Ids and payloads are not prose, and a spell checker may download dictionaries: this app contacts nothing but the host.
  spellcheck: false,
} as const satisfies WebPreferences

/** Our own page, with its one door. */
export const createPagePreferences = (preload: string, packaged: boolean): WebPreferences => ({
  ...locked,
  preload,
  devTools: !packaged,
})

/**
 * How a panel's page runs: like ours, but without any preload, in a session of its own, and with developer tools in a packaged app too,
 * because it is the user's page. Its `alert` opens nothing: a dialog stops the whole window.
 */
export const createPanelPreferences = (session: Session): WebPreferences => ({
  ...locked,
  session,
  devTools: true,
  disableDialogs: true,
})
