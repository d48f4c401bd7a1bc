import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import type { AppInfo } from '../../shared/ipc/app.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { call, endBrowserSession } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** Version, mode, data directory, and how safely a token can be stored. */
export const useApp = defineStore('app', () => {
  const { state: info, error, tryApply } = useServiceState<AppInfo | null>(null)
  /** True once the page loads itself anew, so that nobody is asked whether to leave it. */
  const isReloading = shallowRef(false)

  /** Loads the facts. Never rejects: the page works without them and shows the error. */
  const load = (): Promise<void> => tryApply(call('app.info', {}))

  function readTokenStorage(): Promise<IpcOutput<'vault.storage'>> {
    return call('vault.storage', {})
  }

  async function closeRecording(): Promise<void> {
    await call('recordings.close', {})
  }

  const revealSavedFile = (): Promise<unknown> => call('app.revealSaved', {})

  /** Ends the session of this browser; the page that is loaded then says how to come in again. */
  async function logOut(): Promise<void> {
    await endBrowserSession()
    reloadPage()
  }

  // Everything that the page has read is about what was shown before. A recording that was opened
  // begins with its report.
  subscribe('recordings.sessionChanged', () => {
    if ((info.value?.recording ?? null) === null) history.replaceState(null, '', '#/')
    reloadPage()
  })

  function reloadPage(): void {
    isReloading.value = true
    location.reload()
  }

  return { info, error, isReloading, load, logOut, readTokenStorage, closeRecording, revealSavedFile }
})
