import { defineStore } from './define-store.ts'
import { computed } from 'vue'
import type { ProfileDraft, ProfileView, TokenStatus } from '../../shared/ipc/profiles.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** The saved hosts. The page can set and delete tokens, but never read them. */
export const useProfiles = defineStore('profiles', () => {
  const { state: list, accept, apply } = useServiceState<readonly ProfileView[]>([])
  const profilesById = computed(() => new Map(list.value.map((view) => [view.profile.id, view])))

  const load = (): Promise<void> => apply(call('profiles.list', {}))

  async function save(draft: ProfileDraft): Promise<ProfileView> {
    const view = await call('profiles.save', draft)
    await load()
    return view
  }

  async function remove(profileId: string): Promise<void> {
    await call('profiles.remove', { profileId })
    await load()
  }

  async function setToken(profileId: string, token: string, shouldRemember: boolean): Promise<TokenStatus> {
    const status = await call('vault.set', { profileId, token, remember: shouldRemember })
    await load()
    return status
  }

  async function forgetToken(profileId: string): Promise<void> {
    await call('vault.forget', { profileId })
    await load()
  }

  async function start(): Promise<void> {
    subscribe('profiles.changed', accept)
    await load()
  }

  return { list, profilesById, load, save, remove, setToken, forgetToken, start }
})
