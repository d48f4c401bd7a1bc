import { createRefusedError, type AppError } from '../../../shared/errors.ts'
import { DEMO_PROFILE_NAME, type Profile } from '../../../shared/ipc/profiles.ts'
import type { Secret } from '../secret.ts'
import type { Vault } from '../vault/vault.ts'
import { originOf } from './base-url.ts'
import type { Profiles } from './profiles.ts'
import { DEFAULT_AUTH } from './stored-profiles.ts'

interface Options {
  readonly profiles: Profiles
  readonly vault: Vault
  readonly startDemoHost: () => Promise<{ readonly baseUrl: string; readonly token: string }>
  readonly isDemo: boolean
  readonly baseUrl: string | null
  readonly profileName: string | null
  readonly token: Secret | null
}

export interface FirstProfile {
  readonly id: string
  /** True if a saved profile of this address is read-only, even if the flags allow writes. */
  readonly isLocked: boolean
  /** Names of the saved profiles with the same address; null if there is only one. */
  readonly sharedAddress: {
    readonly usedName: string
    readonly otherNames: readonly string[]
    readonly lockedBy: string | null
  } | null
}

/** Resolves which profile the flags mean, and provides the profile of the demo host. */
export function createProfileResolver({
  profiles,
  vault,
  startDemoHost,
  isDemo,
  baseUrl,
  profileName,
  token,
}: Options) {
  const listSaved = (): readonly Profile[] => profiles.list().map(({ profile }) => profile)

  /** Starts the demo host unless it is running. It has the same profile in every run. */
  async function startDemo(): Promise<string> {
    const demoHost = await startDemoHost()
    const demoProfile = listSaved().find((profile) => profile.demo)
    const id = demoProfile ? { id: demoProfile.id } : {}
    const draft = {
      ...id,
      name: DEMO_PROFILE_NAME,
      baseUrl: demoHost.baseUrl,
      auth: DEFAULT_AUTH,
      readOnly: demoProfile?.readOnly ?? !profiles.isDemoUnlocked(),
    }
    const isUnchanged = demoProfile?.baseUrl === demoHost.baseUrl
    const profile = isUnchanged ? demoProfile : profiles.save(draft, { demo: true }).profile
    await vault.setToken(profile.id, demoHost.token, originOf(demoHost.baseUrl), false)
    profiles.publishChange()
    return profile.id
  }

  /** The id of the saved profile, or of one for this run only with the token of the flags. */
  async function resolveProfileId(hostUrl: string, savedProfile: Profile | undefined): Promise<string> {
    if (savedProfile && !token) return savedProfile.id
    const paths = savedProfile?.paths ? { paths: savedProfile.paths } : {}
    const draft = { name: '', baseUrl: hostUrl, auth: savedProfile?.auth ?? DEFAULT_AUTH, readOnly: true, ...paths }
    const { profile } = profiles.save(draft, { temporary: true })
    if (savedProfile?.tlsFingerprint) profiles.pinCertificate(profile.id, savedProfile.tlsFingerprint)
    if (token) await vault.setToken(profile.id, token.reveal(), originOf(hostUrl), false)
    profiles.publishChange()
    return profile.id
  }

  /** @throws PROFILE_NAME unless one saved profile has the name in the flags, TOKEN_MALFORMED */
  async function resolveFirstProfile(): Promise<FirstProfile | null> {
    const savedProfiles = listSaved()
    const isLocked = (address: string): boolean =>
      savedProfiles.some((profile) => profile.baseUrl === address && profile.readOnly)
    const findSharedAddress = (used: Profile | undefined): FirstProfile['sharedAddress'] => {
      const others = savedProfiles.filter((profile) => profile.baseUrl === used?.baseUrl && profile.id !== used.id)
      if (used === undefined || others.length === 0) return null
      const lockedBy = [used, ...others].find((profile) => profile.readOnly)?.name ?? null
      return { usedName: used.name, otherNames: others.map((profile) => profile.name), lockedBy }
    }
    if (isDemo) {
      const id = await startDemo()
      // It begins locked without a person's decision, which would outrank the flags.
      return { id, isLocked: false, sharedAddress: null }
    }
    if (profileName !== null) {
      const profile = getNamedProfile(savedProfiles, profileName)
      return {
        id: await resolveProfileId(profile.baseUrl, profile),
        isLocked: isLocked(profile.baseUrl),
        sharedAddress: findSharedAddress(profile),
      }
    }
    if (baseUrl !== null) {
      const match = savedProfiles.find((profile) => profile.baseUrl === baseUrl)
      return {
        id: await resolveProfileId(baseUrl, match),
        isLocked: isLocked(baseUrl),
        sharedAddress: findSharedAddress(match),
      }
    }
    const lastUsed = profiles.getLastUsed()
    return lastUsed?.token.state === 'stored'
      ? { id: lastUsed.profile.id, isLocked: lastUsed.profile.readOnly, sharedAddress: null }
      : null
  }

  return { first: resolveFirstProfile, startDemo }
}

function getNamedProfile(savedProfiles: readonly Profile[], nameOrId: string): Profile {
  const byId = savedProfiles.find(({ id }) => id === nameOrId)
  const byName = savedProfiles.filter(({ name }) => name === nameOrId)
  const [profile] = byId ? [byId] : byName
  if (!profile) throw createNameError('No saved profile has this name or id')
  if (!byId && byName.length > 1) throw createNameError('More than one saved profile has this name: use its id')
  return profile
}

/** The profile used if several share an address, read-only if any of them is. */
export function createSharedAddressNotice({
  usedName,
  otherNames,
  lockedBy,
}: NonNullable<FirstProfile['sharedAddress']>) {
  const params = { counts: usedName, others: otherNames.join(', '), locked: lockedBy ?? '' }
  const lock = lockedBy === null ? '' : ` The address is read-only because “${lockedBy}” is.`
  const message = `Several saved profiles have this address. “${usedName}” counts, not: ${params.others}.${lock}`
  const code = lockedBy === null ? 'PROFILES_SHARE_ADDRESS' : 'PROFILES_SHARE_LOCK'
  return { level: 'info' as const, code, message, params }
}

const createNameError = (reason: string): AppError =>
  createRefusedError('PROFILE_NAME', `${reason}. The command "profiles" lists them.`)
