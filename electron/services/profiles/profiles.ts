import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { refused } from '../../../shared/errors.ts'
import { profileSchema, type Profile, type ProfileDraft, type ProfileView } from '../../../shared/ipc/profiles.ts'
import type { Bus } from '../bus.ts'
import { isObject, readJson, writeAtomic } from '../files/atomic.ts'
import type { Notices } from '../notices.ts'
import type { Vault } from '../vault/vault.ts'
import { isPlainRemote, normaliseBaseUrl, originOf } from './base-url.ts'

export interface Profiles {
  list(): ProfileView[]
  /** Throws `PROFILE_UNKNOWN`. */
  get(id: string): Profile
  view(id: string): ProfileView
  /** Throws the errors of `normaliseBaseUrl`. A new scheme, host or port drops token and pinned certificate. */
  save(draft: ProfileDraft, extra?: Partial<Pick<Profile, 'demo'>>): ProfileView
  remove(id: string): void
  patch(id: string, change: Partial<Pick<Profile, 'tlsFingerprint' | 'lastConnectedAt'>>): ProfileView
  /** The token of a profile changed: tells the pages. */
  touched(): void
}

/** Profiles in `profiles.json` of the data directory; a bad entry is left out with a notice, the rest is kept. */
export function createProfiles(dataDir: string, vault: Vault, bus: Bus, notices: Notices): Profiles {
  const file = path.join(dataDir, 'profiles.json')
  const stored = readJson(file, (value) => isObject(value) && Array.isArray(value['profiles']))
  const entries = isObject(stored.value) ? (stored.value['profiles'] as unknown[]) : []
  let profiles = entries.flatMap((entry) => {
    const parsed = profileSchema.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
  if (stored.outcome === 'backup' || stored.outcome === 'lost' || profiles.length < entries.length) {
    notices.add({
      level: 'warning',
      code: stored.outcome === 'backup' ? 'PROFILES_FROM_BACKUP' : 'PROFILES_DAMAGED',
      message:
        stored.outcome === 'backup'
          ? 'The profiles could not be read and were set aside; the last backup is used.'
          : 'Some profiles could not be read. What could not be used was left out.',
    })
  }

  const view = (profile: Profile): ProfileView => ({
    profile,
    token: vault.status(profile.id),
    plainRemote: isPlainRemote(profile.baseUrl),
  })
  const list = (): ProfileView[] => profiles.map(view)
  const keep = (next: Profile[]): void => {
    profiles = next
    // The demo host gets a new port and token at each start: a profile of it would be dead tomorrow.
    const lasting = profiles.filter((profile) => !profile.demo)
    writeAtomic(file, `${JSON.stringify({ profiles: lasting }, null, 2)}\n`)
    bus.publish('profiles.changed', list())
  }
  const get = (id: string): Profile => {
    const found = profiles.find((profile) => profile.id === id)
    if (!found) throw refused('PROFILE_UNKNOWN', 'There is no such profile. It may have been removed.')
    return found
  }

  return {
    list,
    get,
    view: (id) => view(get(id)),
    save(draft, extra = {}) {
      const baseUrl = normaliseBaseUrl(draft.baseUrl)
      const old = draft.id === undefined ? undefined : get(draft.id)
      const moved = old !== undefined && originOf(old.baseUrl) !== originOf(baseUrl)
      const profile: Profile = {
        id: old?.id ?? randomUUID(),
        name: draft.name.trim() || new URL(baseUrl).host,
        baseUrl,
        auth: draft.auth,
        readOnly: draft.readOnly,
        tlsFingerprint: moved ? null : (old?.tlsFingerprint ?? null),
        demo: extra.demo ?? old?.demo ?? false,
        lastConnectedAt: old?.lastConnectedAt ?? null,
      }
      if (moved) vault.forget(profile.id)
      keep(old ? profiles.map((one) => (one.id === old.id ? profile : one)) : [...profiles, profile])
      return view(profile)
    },
    remove(id) {
      get(id)
      vault.forget(id)
      keep(profiles.filter((profile) => profile.id !== id))
    },
    patch(id, change) {
      const next = { ...get(id), ...change }
      keep(profiles.map((profile) => (profile.id === id ? next : profile)))
      return view(next)
    },
    touched: () => bus.publish('profiles.changed', list()),
  }
}
