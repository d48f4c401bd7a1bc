import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppInfo } from '../../shared/ipc/app.ts'
import type { Output } from '../../shared/ipc/index.ts'
import { call } from '../ipc/call.ts'
import { openExternal } from '../ipc/external.ts'

/** What runs here: version, mode, where data is kept, how well a token can be stored. */
export const useApp = defineStore('app', () => {
  const info = shallowRef<AppInfo | null>(null)

  async function load(): Promise<AppInfo> {
    info.value = await call('app.info', {})
    return info.value
  }

  function tokenStorage(): Promise<Output<'vault.storage'>> {
    return call('vault.storage', {})
  }

  return { info, load, tokenStorage, openExternal }
})
