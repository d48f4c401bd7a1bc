import { contextBridge, ipcRenderer } from 'electron'
import { CALL_CHANNEL, CANCEL_CHANNEL, EVENT_CHANNEL } from './desktop/channels.ts'

/**
 * The page's only access to this program: three functions over three fixed channels with plain
 * values. No channel name, event object or `ipcRenderer` reaches the page; the service process
 * checks all values from the page.
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#20-do-not-expose-electron-apis-to-untrusted-web-content
 */
contextBridge.exposeInMainWorld('bridgeInspector', {
  call: (request: unknown): Promise<unknown> => ipcRenderer.invoke(CALL_CHANNEL, request),
  cancel: (id: unknown): void => ipcRenderer.send(CANCEL_CHANNEL, id),
  listen: (callback: (message: unknown) => void): (() => void) => {
    const onMessage = (_event: unknown, message: unknown): void => callback(message)
    ipcRenderer.on(EVENT_CHANNEL, onMessage)
    return () => {
      ipcRenderer.removeListener(EVENT_CHANNEL, onMessage)
    }
  },
})
