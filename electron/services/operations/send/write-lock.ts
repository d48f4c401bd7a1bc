import type { WritePermission } from '../../../../shared/ipc/operations.ts'
import type { Bus } from '../../bus.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import type { Profiles } from '../../profiles/profiles.ts'

type Unlockable = Pick<Profile, 'id' | 'baseUrl'>

/** Whether a profile may write: permanently through its own setting, or unlocked until the app ends or the profile is left. */
export class WriteLock {
  /** The base URL for which a profile was unlocked, by profile id: at a new address it is another host. */
  readonly #session = new Map<string, string>()
  readonly #profiles: Profiles
  readonly #bus: Bus
  readonly #edited: (profileId: string) => void

  /** `edited` tells the connection that a profile was changed. */
  constructor(profiles: Profiles, bus: Bus, edited: (profileId: string) => void) {
    this.#profiles = profiles
    this.#bus = bus
    this.#edited = edited
  }

  /** For the connection: whether a read-only profile is unlocked for this run. */
  isUnlocked = ({ id, baseUrl }: Unlockable): boolean => this.#session.get(id) === baseUrl

  /** Another profile or none is connected, or the address changed: locks again whatever was unlocked. */
  relock(connected: string | null): void {
    if (this.#session.size === 0) return
    const now = this.#profiles.list().find(({ profile }) => profile.id === connected)?.profile
    for (const profileId of [...this.#session.keys()]) {
      if (profileId === now?.id && this.isUnlocked(now)) continue
      this.#session.delete(profileId)
      this.#bus.publish('operations.writing', { profileId, writing: 'locked' })
    }
  }

  /** Throws `PROFILE_UNKNOWN`. */
  getWriting(profileId: string): WritePermission {
    const profile = this.#profiles.get(profileId)
    if (!profile.readOnly) return { profileId, writing: 'unlocked' }
    return { profileId, writing: this.isUnlocked(profile) ? 'session' : 'locked' }
  }

  /** Throws `PROFILE_UNKNOWN` and what saving a profile throws. */
  setWriting(profileId: string, scope: 'session' | 'profile' | 'lock'): WritePermission {
    const profile = this.#profiles.get(profileId)
    this.#session.delete(profileId)
    if (scope === 'session') this.#session.set(profileId, profile.baseUrl)
    const readOnly = scope !== 'profile'
    if (profile.readOnly !== readOnly && scope !== 'session') {
      const { id, name, baseUrl, auth } = profile
      this.#profiles.save({ id, name, baseUrl, auth, readOnly })
      this.#edited(profileId)
    }
    const now = this.getWriting(profileId)
    this.#bus.publish('operations.writing', now)
    return now
  }
}
