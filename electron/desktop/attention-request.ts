import type { App, BrowserWindow } from 'electron'
import { ipcTopics } from '../../shared/ipc/index.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'

type Window = Pick<BrowserWindow, 'isFocused' | 'flashFrame' | 'once'>

/** Draws attention without taking the focus from what the user is doing. */
export function drawAttentionToProposals(
  dispatcher: Pick<IpcDispatcher, 'subscribe'>,
  getWindow: () => Window | null,
  { dock }: Pick<App, 'dock'>,
): void {
  dispatcher.subscribe(({ topic, payload }) => {
    if (topic !== 'agents.changed') return
    const window = getWindow()
    const { asks } = ipcTopics['agents.changed'].payload.parse(payload)
    if (!window || window.isFocused() || asks.length === 0) return
    window.flashFrame(true)
    window.once('focus', () => window.flashFrame(false))
    dock?.bounce()
  })
}
