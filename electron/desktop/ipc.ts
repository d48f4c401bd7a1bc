import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron'
import { CALL_CHANNEL, CANCEL_CHANNEL, EVENT_CHANNEL } from './channels.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import type { IpcDispatcher } from '../handlers/ipc-dispatcher.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_ORIGIN, isAppUrl } from './origin.ts'

interface IpcPorts {
  readonly ipcMain: Pick<IpcMain, 'handle' | 'on'>
  /** The main window's web contents: the only one that may call. */
  readonly contents: WebContents
  readonly dispatcher: IpcDispatcher
  readonly log: SecurityLogger
}

type Sender = Pick<IpcMainEvent | IpcMainInvokeEvent, 'sender' | 'senderFrame'>

/**
 * Connects the page to the door. A caller is one load of the page: when that load is over (another document was loaded, the process died,
 * the window closed), everything it has under way is cancelled.
 */
export function serveIpc({ ipcMain, contents, dispatcher: door, log: note }: IpcPorts): void {
  let load = 0
  const caller = (): string => `desktop/${contents.id}/${load}`
  const over = (): void => {
    door.removeCaller(caller())
    load += 1
  }

  ipcMain.handle(CALL_CHANNEL, async (event, request: unknown): Promise<CallReply> => {
    if (isTrustedSender(event, contents)) return door.call(caller(), request)
    note('call refused', { channel: CALL_CHANNEL, reason: 'foreign sender' })
    return {
      ok: false,
      error: createRefusedError('SENDER_REFUSED', 'This call did not come from the page of the app.').wire,
    }
  })
  ipcMain.on(CANCEL_CHANNEL, (event, id: unknown) => {
    if (isTrustedSender(event, contents)) door.cancel(caller(), id)
    else note('call refused', { channel: CANCEL_CHANNEL, reason: 'foreign sender' })
  })

  // Not `did-start-navigation`: that also fires for navigations that are then refused, while the page stays.
  contents.on('did-navigate', over)
  contents.on('render-process-gone', over)
  const unsubscribe = door.subscribe((event) => {
    if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(EVENT_CHANNEL, event)
  })
  contents.once('destroyed', () => {
    unsubscribe()
    over()
  })
}

/**
 * Whether the page itself sent this: our window, its main frame, our origin. Once the frame has navigated away or is gone it is null, or
 * throws when it is read; the sender is then unknown, so the call is refused. Electron's security checklist, 17:
 * https://www.electronjs.org/docs/latest/tutorial/security#17-validate-the-sender-of-all-ipc-messages
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
