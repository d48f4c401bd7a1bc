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

/** The part of a profile that the user does not type. `temporary`: kept for this run only, unless the user saves it. */
interface Extra {
  readonly demo?: boolean
  readonly temporary?: boolean
}

export interface Profiles {
  list(): ProfileView[]
  /** Throws `PROFILE_UNKNOWN`. */
  get(id: string): Profile
  view(id: string): ProfileView
  /** Throws the errors of `normaliseBaseUrl` and `checkedPaths`. A new scheme, host or port drops the token and the pinned certificate. */
  save(draft: ProfileDraft, extra?: Extra): ProfileView
  remove(id: string): void
  /** Accepts the certificate with this fingerprint from now on. */
  pinCertificate(id: string, fingerprint: string): ProfileView
  /** Records that the profile is connected, so that the next start connects to it too. */
  markConnected(id: string): Profile
  /** Records that the user disconnected, so that the next start connects to nothing. */
  markDisconnected(): void
  /** The profile that was connected when the program ended, if it still exists. */
  getLastUsed(): ProfileView | null
  /** The token of a profile changed; tells the pages. */
  publishChange(): void
}

/** Profiles in `profiles.json` in the data directory; unreadable ones are left out with a notice, but stay in the file. */
export function createProfiles(dataDir: string, vault: Vault, bus: Bus, notices: Notices): Profiles {
  const file = path.join(dataDir, 'profiles.json')
  const { value, outcome } = readJsonFile(file, (read) => isObject(read) && Array.isArray(read['profiles']))
  const stored = parseProfiles(value)
  const passing = new Set<string>()
  let { profiles, lastUsed } = stored
  let written = textOf(profiles, lastUsed)
  if (outcome === 'backup' || outcome === 'lost' || stored.isDamaged) announce(notices, outcome === 'backup')

  const view = (profile: Profile): ProfileView => ({
    profile,
    token: vault.status(profile.id),
    plainRemote: isUnencryptedRemote(profile.baseUrl),
  })
  const list = (): ProfileView[] => profiles.map(view)
  const get = (id: string): Profile => {
    const found = profiles.find((profile) => profile.id === id)
    if (!found) throw createRefusedError('PROFILE_UNKNOWN', 'There is no such profile. It may have been removed.')
    return found
  }

  function textOf(all: readonly Profile[], used: string | null): string {
    // The demo host gets a new port and token at each start, so a saved profile of it would be dead tomorrow.
    const lasting = all.filter(({ demo, id }) => !demo && !passing.has(id))
    const entries = lasting.map((profile) => ({ ...stored.foreign.get(profile.id), ...profile }))
    const usedLater = lasting.some(({ id }) => id === used) ? used : null
    return `${JSON.stringify({ profiles: [...entries, ...stored.unknownEntries], lastUsed: usedLater }, null, 2)}\n`
  }

  /** Written to disk before it counts: a full disk leaves everything as it was. */
  function keep(next: Profile[], used = lastUsed): void {
    const text = textOf(next, used)
    if (text !== written) writeAtomic(file, text)
    written = text
    profiles = next
    lastUsed = used
  }
  const touched = (): void => bus.publish('profiles.changed', list())
  const replaced = (profile: Profile): Profile[] => profiles.map((one) => (one.id === profile.id ? profile : one))

  return {
    list,
    get,
    publishChange: touched,
    view: (id) => view(get(id)),
    save(draft, { demo = false, temporary = false } = {}) {
      const baseUrl = normaliseBaseUrl(draft.baseUrl)
      const old = draft.id === undefined ? undefined : get(draft.id)
      const moved = old !== undefined && originOf(old.baseUrl) !== originOf(baseUrl)
      const paths = draft.paths === undefined ? old?.paths : validateRoutePaths(draft.paths)
      const profile: Profile = {
        id: old?.id ?? randomUUID(),
        name: draft.name.trim() || new URL(baseUrl).host,
        baseUrl,
        auth: draft.auth,
        readOnly: draft.readOnly,
        tlsFingerprint: moved ? null : (old?.tlsFingerprint ?? null),
        demo: demo || (!moved && (old?.demo ?? false)),
        lastConnectedAt: old?.lastConnectedAt ?? null,
        ...(paths && Object.keys(paths).length > 0 ? { paths } : {}),
      }
      if (temporary) passing.add(profile.id)
      else passing.delete(profile.id)
      keep(old ? replaced(profile) : [...profiles, profile])
      if (moved) vault.forgetToken(profile.id)
      touched()
      return view(profile)
    },
    remove(id) {
      get(id)
      keep(profiles.filter((profile) => profile.id !== id))
      vault.forgetToken(id)
      touched()
    },
    pinCertificate(id, fingerprint) {
      const next = { ...get(id), tlsFingerprint: fingerprint }
      keep(replaced(next))
      touched()
      return view(next)
    },
    markConnected(id) {
      const next = { ...get(id), lastConnectedAt: Date.now() }
      keep(replaced(next), id)
      touched()
      return next
    },
    markDisconnected: () => keep(profiles, null),
    getLastUsed() {
      const found = profiles.find(({ id }) => id === lastUsed)
      return found ? view(found) : null
    },
  }
}

function announce(notices: Notices, fromBackup: boolean): void {
  notices.add({
    level: 'warning',
    code: fromBackup ? 'PROFILES_FROM_BACKUP' : 'PROFILES_DAMAGED',
    message: fromBackup
      ? 'The profiles could not be read and were set aside; the last backup is used.'
      : 'Some profiles could not be read and were left out.',
  })
}
