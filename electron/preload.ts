import { contextBridge, ipcRenderer } from 'electron'
import { CALL_CHANNEL, CANCEL_CHANNEL, EVENT_CHANNEL } from './desktop/channels.ts'

/**
 * The page's only door: three named functions over three fixed channels, plain values in and out. No channel name, event object or
 * `ipcRenderer` ever reaches the page; what the page passes is checked on the other side. Electron's security checklist, 20:
 * https://www.electronjs.org/docs/latest/tutorial/security#20-do-not-expose-electron-apis-to-untrusted-web-content
 */
contextBridge.exposeInMainWorld('bridgeInspector', {
  call: (request: unknown): Promise<unknown> => ipcRenderer.invoke(CALL_CHANNEL, request),
  cancel: (id: unknown): void => ipcRenderer.send(CANCEL_CHANNEL, id),
  listen: (callback: (message: unknown) => void): (() => void) => {
    const hear = (_event: unknown, message: unknown): void => callback(message)
    ipcRenderer.on(EVENT_CHANNEL, hear)
    return () => {
      ipcRenderer.removeListener(EVENT_CHANNEL, hear)
    }
  },
})
