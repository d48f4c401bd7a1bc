import { z } from 'zod'
import { profileSchema, type Profile } from '../../../shared/ipc/profiles.ts'
import { normaliseBaseUrl } from './base-url.ts'
import { isObject } from '../../../shared/json/object.ts'

export const DEFAULT_AUTH: Profile['auth'] = { header: 'Authorization', scheme: 'Bearer' }

/** The usable contents of `profiles.json`. */
interface StoredProfiles {
  readonly profiles: Profile[]
  /** The profile that was connected when the program ended. */
  readonly lastUsed: string | null
  /** Members of each profile that a newer version wrote, by id: they survive a write. */
  readonly foreign: ReadonlyMap<string, Record<string, unknown>>
  /** Entries that are not profiles: not used, but not thrown away either. */
  readonly unknownEntries: readonly unknown[]
  /** Whether anything could not be used as it was. */
  readonly isDamaged: boolean
}

/** Parses the file entry by entry, so that a bad one does not cost the others. */
export function parseProfiles(file: unknown): StoredProfiles {
  const { profiles: list, lastUsed } = isObject(file) ? file : {}
  const profiles: Profile[] = []
  const foreign = new Map<string, Record<string, unknown>>()
  const unread: unknown[] = []
  let damaged = false
  for (const entry of Array.isArray(list) ? list : []) {
    const found = salvage(entry)
    if (found === null || foreign.has(found.profile.id)) {
      unread.push(entry)
      damaged = true
      continue
    }
    damaged ||= found.repaired
    profiles.push(found.profile)
    foreign.set(found.profile.id, found.foreign)
  }
  return {
    profiles,
    lastUsed: typeof lastUsed === 'string' ? lastUsed : null,
    foreign,
    unknownEntries: unread,
    isDamaged: damaged,
  }
}

/** An entry must have an id and an address; everything else falls back to a safe value. */
const essential = z.object({ id: profileSchema.shape.id, baseUrl: profileSchema.shape.baseUrl })

function salvage(entry: unknown): { profile: Profile; foreign: Record<string, unknown>; repaired: boolean } | null {
  const parsed = essential.safeParse(entry)
  if (!parsed.success || !isObject(entry) || !isNormalised(parsed.data.baseUrl)) return null
  const safe: Profile = {
    ...parsed.data,
    name: new URL(parsed.data.baseUrl).host,
    auth: DEFAULT_AUTH,
    readOnly: true,
    tlsFingerprint: null,
    demo: false,
    lastConnectedAt: null,
  }
  const good: Record<string, unknown> = {}
  let repaired = false
  for (const [key, schema] of Object.entries(profileSchema.shape)) {
    if (!Object.hasOwn(entry, key)) continue
    const value = schema.safeParse(entry[key])
    if (value.success) good[key] = value.data
    else repaired = true
  }
  const foreign = Object.entries(entry).filter(([key]) => !Object.hasOwn(profileSchema.shape, key))
  return { profile: { ...safe, ...good, demo: false }, foreign: Object.fromEntries(foreign), repaired }
}

function isNormalised(baseUrl: string): boolean {
  try {
    return normaliseBaseUrl(baseUrl) === baseUrl
  } catch {
    return false
  }
}
