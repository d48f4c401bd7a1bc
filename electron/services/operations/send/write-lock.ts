import type { WritePermission } from '../../../../shared/ipc/operations.ts'
import type { Bus } from '../../bus.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import type { Profiles } from '../../profiles/profiles.ts'

type Unlockable = Pick<Profile, 'id' | 'baseUrl'>

/** Writing depends on a profile's own setting, or on an unlock until the end or a disconnect. */
export class WriteLock {
  /** Addresses by profile id. A new one means another host, and locks the profile again. */
  readonly #unlockedUrls = new Map<string, string>()
  readonly #profiles: Profiles
  readonly #bus: Bus

  constructor(profiles: Profiles, bus: Bus) {
    this.#profiles = profiles
    this.#bus = bus
  }

  isUnlocked = ({ id, baseUrl }: Unlockable): boolean => this.#unlockedUrls.get(id) === baseUrl

  /** To be called when the connected profile or its address changed: all others are locked. */
  relock(connectedId: string | null): void {
    if (this.#unlockedUrls.size === 0) return
    const connectedProfile = this.#profiles.list().find(({ profile }) => profile.id === connectedId)?.profile
    for (const profileId of [...this.#unlockedUrls.keys()]) {
      if (profileId === connectedProfile?.id && this.isUnlocked(connectedProfile)) continue
      this.#unlockedUrls.delete(profileId)
      this.#bus.publish('operations.writing', { profileId, writing: 'locked' })
    }
  }

  /** @throws PROFILE_UNKNOWN when there is no such profile */
  getWriting(profileId: string): WritePermission {
    const profile = this.#profiles.get(profileId)
    if (!profile.readOnly) return { profileId, writing: 'unlocked' }
    return { profileId, writing: this.isUnlocked(profile) ? 'session' : 'locked' }
  }

  /** @throws PROFILE_UNKNOWN, and the errors of saving a profile */
  setWriting(profileId: string, scope: 'session' | 'profile' | 'lock'): WritePermission {
    const profile = this.#profiles.get(profileId)
    this.#unlockedUrls.delete(profileId)
    if (scope === 'session') this.#unlockedUrls.set(profileId, profile.baseUrl)
    const isReadOnly = scope !== 'profile'
    if (profile.readOnly !== isReadOnly && scope !== 'session') {
      const { id, name, baseUrl, auth } = profile
      this.#profiles.save({ id, name, baseUrl, auth, readOnly: isReadOnly })
      this.#bus.publish('profiles.lockChanged', profileId)
    }
    const permission = this.getWriting(profileId)
    this.#bus.publish('operations.writing', permission)
    return permission
  }
}
