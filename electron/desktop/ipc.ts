import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron'
import { CALL_CHANNEL, CANCEL_CHANNEL, EVENT_CHANNEL } from './channels.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN, isAppUrl } from './origin.ts'

interface IpcPorts {
  readonly ipcMain: Pick<IpcMain, 'handle' | 'on'>
  /** The main window's web contents; calls of all others are refused. */
  readonly contents: WebContents
  readonly dispatcher: IpcDispatcher
  readonly log: SecurityLogger
}

type Sender = Pick<IpcMainEvent | IpcMainInvokeEvent, 'sender' | 'senderFrame'>

/** A caller is one load of the page, whose end (document, process, window) cancels its calls. */
export function serveIpc({ ipcMain, contents, dispatcher, log }: IpcPorts): void {
  let load = 0
  const getCaller = (): string => `desktop/${contents.id}/${load}`
  const endLoad = (): void => {
    dispatcher.removeCaller(getCaller())
    load += 1
  }

  ipcMain.handle(CALL_CHANNEL, async (event, request: unknown): Promise<CallReply> => {
    if (isTrustedSender(event, contents)) return dispatcher.call(getCaller(), request)
    log('call refused', { channel: CALL_CHANNEL, reason: 'foreign sender' })
    return {
      ok: false,
      error: createRefusedError('SENDER_REFUSED', 'This call did not come from the page of the app.').wire,
    }
  })
  ipcMain.on(CANCEL_CHANNEL, (event, id: unknown) => {
    if (isTrustedSender(event, contents)) dispatcher.cancel(getCaller(), id)
    else log('call refused', { channel: CANCEL_CHANNEL, reason: 'foreign sender' })
  })

  // `did-start-navigation` also fires for navigations that are then refused, while the page stays.
  contents.on('did-navigate', endLoad)
  contents.on('render-process-gone', endLoad)
  const unsubscribe = dispatcher.subscribe((event) => {
    if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(EVENT_CHANNEL, event)
  })
  contents.once('destroyed', () => {
    unsubscribe()
    endLoad()
  })
}

/**
 * Returns true if the sender is the main frame of the window's page at the page's origin. If the
 * frame has navigated away or was closed, `senderFrame` is null or throws; the sender is then
 * unknown and the call is refused.
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#17-validate-the-sender-of-all-ipc-messages
 */
function isTrustedSender(event: Sender, contents: WebContents): boolean {
  try {
    const frame = event.senderFrame
    if (!frame || event.sender !== contents || contents.isDestroyed()) return false
    return frame.parent === null && frame === contents.mainFrame && frame.origin === APP_ORIGIN && isAppUrl(frame.url)
  } catch {
    return false
  }
}
