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
  /** Starts the demo host unless it is running. */
  readonly startDemoHost: () => Promise<{ readonly baseUrl: string; readonly token: string }>
  readonly isDemo: boolean
  readonly baseUrl: string | null
  /** Name or id of a saved profile. */
  readonly profileName: string | null
  readonly token: Secret | null
}

/** The profile that the program begins with. */
export interface FirstProfile {
  readonly id: string
  /** A saved profile of this host is read-only, whatever the flags say. */
  readonly isLocked: boolean
  /** Names of saved profiles of the same address: which one of them counts, and the others. Null if there is no other one. */
  readonly sharedAddress: {
    readonly usedName: string
    readonly otherNames: readonly string[]
    readonly lockedBy: string | null
  } | null
}

/** Which profile the flags mean, and the one of the demo library. */
export function createProfileResolver({
  profiles,
  vault,
  startDemoHost: startHost,
  isDemo: demo,
  baseUrl,
  profileName: named,
  token,
}: Options) {
  const saved = (): readonly Profile[] => profiles.list().map(({ profile }) => profile)

  /** Starts the demo host unless it is running; it has the same profile in every run. */
  async function startDemo(): Promise<string> {
    const { baseUrl, token } = await startHost()
    const known = saved().find((profile) => profile.demo)
    const id = known ? { id: known.id } : {}
    const draft = { ...id, name: DEMO_PROFILE_NAME, baseUrl, auth: DEFAULT_AUTH, readOnly: known?.readOnly ?? false }
    const profile = known?.baseUrl === baseUrl ? known : profiles.save(draft, { demo: true }).profile
    await vault.setToken(profile.id, token, originOf(baseUrl), false)
    profiles.publishChange()
    return profile.id
  }

  /** The saved profile unchanged, or a copy for this run that has the token of the flags. */
  async function passing(baseUrl: string, known: Profile | undefined): Promise<string> {
    if (known && !token) return known.id
    const paths = known?.paths ? { paths: known.paths } : {}
    const draft = { name: '', baseUrl, auth: known?.auth ?? DEFAULT_AUTH, readOnly: true, ...paths }
    const { profile } = profiles.save(draft, { temporary: true })
    if (known?.tlsFingerprint) profiles.pinCertificate(profile.id, known.tlsFingerprint)
    if (token) await vault.setToken(profile.id, token.reveal(), originOf(baseUrl), false)
    profiles.publishChange()
    return profile.id
  }

  /** Throws `PROFILE_NAME` if no saved profile, or more than one, has the name that the flags give, and `TOKEN_MALFORMED`. */
  async function resolveFirstProfile(): Promise<FirstProfile | null> {
    const known = saved()
    const locked = (address: string): boolean => known.some((one) => one.baseUrl === address && one.readOnly)
    const shared = (found: Profile | undefined): FirstProfile['sharedAddress'] => {
      const others = known.filter((one) => one.baseUrl === found?.baseUrl && one.id !== found.id)
      if (found === undefined || others.length === 0) return null
      const lockedBy = [found, ...others].find((one) => one.readOnly)?.name ?? null
      return { usedName: found.name, otherNames: others.map((one) => one.name), lockedBy }
    }
    if (demo) {
      const id = await startDemo()
      return { id, isLocked: profiles.get(id).readOnly, sharedAddress: null }
    }
    if (named !== null) {
      const found = oneNamed(known, named)
      return {
        id: await passing(found.baseUrl, found),
        isLocked: locked(found.baseUrl),
        sharedAddress: shared(found),
      }
    }
    if (baseUrl !== null) {
      const found = known.find((profile) => profile.baseUrl === baseUrl)
      return { id: await passing(baseUrl, found), isLocked: locked(baseUrl), sharedAddress: shared(found) }
    }
    const last = profiles.getLastUsed()
    return last?.token.state === 'stored'
      ? { id: last.profile.id, isLocked: last.profile.readOnly, sharedAddress: null }
      : null
  }

  return { first: resolveFirstProfile, startDemo }
}

function oneNamed(known: readonly Profile[], named: string): Profile {
  const byId = known.find(({ id }) => id === named)
  const byName = known.filter(({ name }) => name === named)
  const [found] = byId ? [byId] : byName
  if (!found) throw unclear('No saved profile has this name or id')
  if (!byId && byName.length > 1) throw unclear('More than one saved profile has this name: use its id')
  return found
}

/** Which of several profiles of one address counts; the lock of any of them holds for the address. */
export function createSharedAddressNotice({
  usedName: counts,
  otherNames: others,
  lockedBy,
}: NonNullable<FirstProfile['sharedAddress']>) {
  const params = { counts, others: others.join(', '), locked: lockedBy ?? '' }
  const lock = lockedBy === null ? '' : ` The address is read-only because “${lockedBy}” is.`
  const message = `Several saved profiles have this address. “${counts}” counts, not: ${params.others}.${lock}`
  const code = lockedBy === null ? 'PROFILES_SHARE_ADDRESS' : 'PROFILES_SHARE_LOCK'
  return { level: 'info' as const, code, message, params }
}

const unclear = (why: string): AppError =>
  createRefusedError('PROFILE_NAME', `${why}. The command "profiles" lists them.`)
