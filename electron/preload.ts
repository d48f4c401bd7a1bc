import { contextBridge, ipcRenderer } from 'electron'
import { CALL_CHANNEL, CANCEL_CHANNEL, EVENT_CHANNEL } from '../shared/channels.ts'

/**
 * The page's only door. Three named functions over three fixed channels, plain values in and out: no channel name, no event
 * object and no `ipcRenderer` ever reaches the page. What the page passes is checked on the other side.
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
