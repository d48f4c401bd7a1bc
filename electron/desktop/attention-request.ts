import type { App, BrowserWindow } from 'electron'
import { ipcTopics } from '../../shared/ipc/index.ts'
import type { IpcDispatcher } from '../handlers/ipc-dispatcher.ts'

type Window = Pick<BrowserWindow, 'isFocused' | 'flashFrame' | 'once'>

/** Draws attention to the window when a write of an agent begins to wait, without taking the focus from what the user is doing. */
export function drawAttentionToProposals(
  door: Pick<IpcDispatcher, 'subscribe'>,
  window: () => Window | null,
  { dock }: Pick<App, 'dock'>,
): void {
  door.subscribe(({ topic, payload }) => {
    if (topic !== 'agents.changed') return
    const shown = window()
    const { asks } = ipcTopics['agents.changed'].payload.parse(payload)
    if (!shown || shown.isFocused() || asks.length === 0) return
    shown.flashFrame(true)
    shown.once('focus', () => shown.flashFrame(false))
    dock?.bounce()
  })
}
