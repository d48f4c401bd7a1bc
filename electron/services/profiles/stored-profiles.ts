import { z } from 'zod'
import { profileSchema, type Profile } from '../../../shared/ipc/profiles.ts'
import { normaliseBaseUrl } from './base-url.ts'
import { isObject } from '../../../shared/json/object.ts'

export const DEFAULT_AUTH: Profile['auth'] = { header: 'Authorization', scheme: 'Bearer' }

/** Parses the file entry by entry, so that a bad entry does not affect the others. */
export function parseProfiles(file: unknown) {
  const { profiles: list, lastUsed, demoUnlocked } = isObject(file) ? file : {}
  const profiles: Profile[] = []
  /** Members of each profile that a newer version wrote, by id. They are written back. */
  const foreign = new Map<string, Record<string, unknown>>()
  /** Entries that are not profiles. They are written back. */
  const unknownEntries: unknown[] = []
  /** True if any part of the file was invalid and had to be left out or replaced. */
  let isDamaged = false
  for (const entry of Array.isArray(list) ? list : []) {
    const salvaged = salvage(entry)
    if (salvaged === null || foreign.has(salvaged.profile.id)) {
      unknownEntries.push(entry)
      isDamaged = true
      continue
    }
    isDamaged ||= salvaged.isRepaired
    profiles.push(salvaged.profile)
    foreign.set(salvaged.profile.id, salvaged.foreign)
  }
  return {
    profiles,
    /** The profile that was connected when the program ended. */
    lastUsed: typeof lastUsed === 'string' ? lastUsed : null,
    isDemoUnlocked: demoUnlocked === true,
    foreign,
    unknownEntries,
    isDamaged,
  }
}

/** An entry needs an id and an address; everything else falls back to a safe value. */
const essentialSchema = z.object({ id: profileSchema.shape.id, baseUrl: profileSchema.shape.baseUrl })

function salvage(entry: unknown): { profile: Profile; foreign: Record<string, unknown>; isRepaired: boolean } | null {
  const parsed = essentialSchema.safeParse(entry)
  if (!parsed.success || !isObject(entry) || !isNormalised(parsed.data.baseUrl)) return null
  const fallback: Profile = {
    ...parsed.data,
    name: new URL(parsed.data.baseUrl).host,
    auth: DEFAULT_AUTH,
    readOnly: true,
    tlsFingerprint: null,
    demo: false,
    lastConnectedAt: null,
  }
  const validMembers: Record<string, unknown> = {}
  let isRepaired = false
  for (const [key, schema] of Object.entries(profileSchema.shape)) {
    if (!Object.hasOwn(entry, key)) continue
    const value = schema.safeParse(entry[key])
    if (value.success) validMembers[key] = value.data
    else isRepaired = true
  }
  const foreign = Object.entries(entry).filter(([key]) => !Object.hasOwn(profileSchema.shape, key))
  return {
    profile: { ...fallback, ...validMembers, demo: false },
    foreign: Object.fromEntries(foreign),
    isRepaired,
  }
}

function isNormalised(baseUrl: string): boolean {
  try {
    return normaliseBaseUrl(baseUrl) === baseUrl
  } catch {
    return false
  }
}
