import type { WebPreferences } from 'electron'

/**
 * How every page of ours runs: sandboxed, in a world of its own, without Node. Written out even where Electron's default is
 * the same, so that no default that changes weakens it; a test holds it against a golden copy.
 */
export function webPreferences(preload: string, packaged: boolean): WebPreferences {
  return {
    preload,
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
    // Ids and payloads are no prose, and a spell checker may fetch dictionaries: this app contacts nobody but the host.
    spellcheck: false,
    devTools: !packaged,
  }
}
