import type { Session, WebPreferences } from 'electron'

/**
 * The preferences of our page: sandboxed, context-isolated, without Node. Settings that match
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
  // Ids are not prose, and spell checkers may download dictionaries, but not from the host.
  spellcheck: false,
} as const satisfies WebPreferences

/**
 * Only our own page has the preload; a panel's frame in it has none. Developer tools are those of
 * the whole window: a text that is pasted there can do what our page can.
 */
export function createPagePreferences(preload: string, session: Session, hasDevTools: boolean): WebPreferences {
  return {
    ...lockedPreferences,
    preload,
    session,
    devTools: hasDevTools,
  }
}
