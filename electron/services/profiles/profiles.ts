// Saves the profiles of hosts: address, access and certificate. Tokens are in services/vault, and
// connecting is in services/bridge/connection. Read this file first, then stored-profiles.ts.
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { createRefusedError } from '../../../shared/errors.ts'
import type { Profile, ProfileDraft, ProfileView } from '../../../shared/ipc/profiles.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import type { Notices } from '../notices.ts'
import type { Vault } from '../vault/vault.ts'
import { isUnencryptedRemote, normaliseBaseUrl, originOf } from './base-url.ts'
import { validateRoutePaths } from './route-paths.ts'
import { parseProfiles } from './stored-profiles.ts'
import { isObject } from '../../../shared/json/object.ts'

/** Members that the user does not type. `temporary`: for this run only, unless saved. */
interface SaveOptions {
  readonly demo?: boolean
  readonly temporary?: boolean
}

export interface Profiles {
  list(): ProfileView[]
  /** @throws PROFILE_UNKNOWN when there is no such profile */
  get(id: string): Profile
  view(id: string): ProfileView
  /**
   * Saves a new or changed profile. A new scheme, host or port drops the token and the pinned
   * certificate.
   * @throws the errors of `normaliseBaseUrl` and `validateRoutePaths`
   */
  save(draft: ProfileDraft, extra?: SaveOptions): ProfileView
  remove(id: string): void
  pinCertificate(id: string, fingerprint: string): ProfileView
  /** Records that the profile is connected, so that the next start connects to it. */
  markConnected(id: string): Profile
  /** Records that the user disconnected, so that the next start connects to nothing. */
  markDisconnected(): void
  /** True if the user unlocked the demo library for good, in this run or an earlier one. */
  isDemoUnlocked(): boolean
  /** The profile that was connected when the program ended, if it still exists. */
  getLastUsed(): ProfileView | null
  publishChange(): void
}

/** Profiles are in `profiles.json`; entries that cannot be read get a notice and stay there. */
export function createProfiles(dataDir: string, vault: Vault, bus: Bus, notices: Notices): Profiles {
  const file = path.join(dataDir, 'profiles.json')
  const { value, outcome } = readJsonFile(file, (content) => isObject(content) && Array.isArray(content['profiles']))
  const stored = parseProfiles(value)
  const temporaryIds = new Set<string>()
  let { profiles, lastUsed } = stored
  let writtenText = toFileText(profiles, lastUsed)
  if (outcome === 'backup' || outcome === 'lost' || stored.isDamaged) addDamageNotice(notices, outcome === 'backup')

  const view = (profile: Profile): ProfileView => ({
    profile,
    token: vault.status(profile.id),
    plainRemote: isUnencryptedRemote(profile.baseUrl),
  })
  const list = (): ProfileView[] => profiles.map(view)
  const get = (id: string): Profile => {
    const match = profiles.find((profile) => profile.id === id)
    if (!match)
      throw createRefusedError('PROFILE_UNKNOWN', 'There is no such host in the list. It may have been removed.')
    return match
  }

  function toFileText(allProfiles: readonly Profile[], lastUsedId: string | null): string {
    // The demo's port and token are new each time, so a saved profile is only a lock.
    const savedProfiles = allProfiles.filter(({ demo, id }) => !demo && !temporaryIds.has(id))
    const entries = savedProfiles.map((profile) => ({ ...stored.foreign.get(profile.id), ...profile }))
    const savedLastUsed = savedProfiles.some(({ id }) => id === lastUsedId) ? lastUsedId : null
    const content = {
      profiles: [...entries, ...stored.unknownEntries],
      lastUsed: savedLastUsed,
      ...(isDemoWritable(allProfiles) ? { demoUnlocked: true } : {}),
    }
    return `${JSON.stringify(content, null, 2)}\n`
  }

  function isDemoWritable(allProfiles: readonly Profile[]): boolean {
    const demoProfile = allProfiles.find(({ demo }) => demo)
    return demoProfile ? !demoProfile.readOnly : stored.isDemoUnlocked
  }

  /** Writes to disk first, so that a full disk changes nothing. */
  function store(nextProfiles: Profile[], nextLastUsed = lastUsed): void {
    const text = toFileText(nextProfiles, nextLastUsed)
    if (text !== writtenText) writeAtomic(file, text)
    writtenText = text
    profiles = nextProfiles
    lastUsed = nextLastUsed
  }
  const publish = (): void => bus.publish('profiles.changed', list())
  const replaceProfile = (profile: Profile): Profile[] =>
    profiles.map((other) => (other.id === profile.id ? profile : other))

  return {
    list,
    get,
    publishChange: publish,
    view: (id) => view(get(id)),
    save(draft, { demo = false, temporary = false } = {}) {
      const baseUrl = normaliseBaseUrl(draft.baseUrl)
      const existing = draft.id === undefined ? undefined : get(draft.id)
      const isNewOrigin = existing !== undefined && originOf(existing.baseUrl) !== originOf(baseUrl)
      const paths = draft.paths === undefined ? existing?.paths : validateRoutePaths(draft.paths)
      const profile: Profile = {
        id: existing?.id ?? randomUUID(),
        name: draft.name.trim() || new URL(baseUrl).host,
        baseUrl,
        auth: draft.auth,
        readOnly: draft.readOnly,
        tlsFingerprint: isNewOrigin ? null : (existing?.tlsFingerprint ?? null),
        demo: demo || (!isNewOrigin && (existing?.demo ?? false)),
        lastConnectedAt: existing?.lastConnectedAt ?? null,
        ...(paths && Object.keys(paths).length > 0 ? { paths } : {}),
      }
      if (temporary) temporaryIds.add(profile.id)
      else temporaryIds.delete(profile.id)
      store(existing ? replaceProfile(profile) : [...profiles, profile])
      if (isNewOrigin) vault.forgetToken(profile.id)
      publish()
      return view(profile)
    },
    remove(id) {
      get(id)
      store(profiles.filter((profile) => profile.id !== id))
      vault.forgetToken(id)
      publish()
    },
    pinCertificate(id, fingerprint) {
      const updated = { ...get(id), tlsFingerprint: fingerprint }
      store(replaceProfile(updated))
      publish()
      return view(updated)
    },
    markConnected(id) {
      const updated = { ...get(id), lastConnectedAt: Date.now() }
      store(replaceProfile(updated), id)
      publish()
      return updated
    },
    markDisconnected: () => store(profiles, null),
    isDemoUnlocked: () => isDemoWritable(profiles),
    getLastUsed() {
      const profile = profiles.find(({ id }) => id === lastUsed)
      return profile ? view(profile) : null
    },
  }
}

function addDamageNotice(notices: Notices, isFromBackup: boolean): void {
  notices.add({
    level: 'warning',
    code: isFromBackup ? 'PROFILES_FROM_BACKUP' : 'PROFILES_DAMAGED',
    message: isFromBackup
      ? 'The saved hosts could not be read and were set aside; the last backup is used.'
      : 'Some saved hosts could not be read and were left out.',
  })
}
