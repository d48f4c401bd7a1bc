import { z } from 'zod'
import { momentSchema } from '../format/moment.ts'
import { command, query, topic } from './define.ts'

/** How the token travels; spec §5 does not show it, so both parts can be set. */
export const authSchema = z.strictObject({
  header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  /** Word before the token (`Bearer`); empty = the bare token. */
  scheme: z.string().regex(/^[A-Za-z0-9._~+/-]{0,32}$/),
})

export const profileSchema = z.strictObject({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(200),
  /** Normalised: `http(s)://host:port/bridge/v1`, no trailing slash, no user, query or fragment. */
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
  /** SHA-256 fingerprint of a self-signed certificate that the person accepted, `AB:CD:…`. */
  tlsFingerprint: z.string().max(100).nullable(),
  /** Made by the app for the demo library; its token is the app's own. */
  demo: z.boolean(),
  lastConnectedAt: momentSchema.nullable(),
})
export type Profile = z.infer<typeof profileSchema>

/** What the page may know of a token: never the token. `boundTo` is the scheme+host+port it is sent to and nowhere else. */
export const tokenStatusSchema = z.strictObject({
  state: z.enum(['none', 'memory', 'stored', 'locked']),
  boundTo: z.string().nullable(),
  /** Name of the storage backend where it is stored or locked. */
  backend: z.string().nullable(),
})
export type TokenStatus = z.infer<typeof tokenStatusSchema>

export const profileViewSchema = z.strictObject({
  profile: profileSchema,
  token: tokenStatusSchema,
  /** Plain http to another machine: the token would travel readable. */
  plainRemote: z.boolean(),
})
export type ProfileView = z.infer<typeof profileViewSchema>

/** What a person types; the service normalises the address and refuses other schemes than http and https. */
export const profileDraftSchema = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  name: z.string().max(200),
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
})
export type ProfileDraft = z.infer<typeof profileDraftSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

export const profileMethods = {
  'profiles.list': query(z.strictObject({}), z.array(profileViewSchema)),
  /** A changed scheme, host or port drops the token: it was bound to the old address. */
  'profiles.save': command(profileDraftSchema, profileViewSchema),
  'profiles.remove': command(byProfile, z.strictObject({})),
  'vault.storage': query(
    z.strictObject({}),
    z.strictObject({
      /** `secure` = the operating system's keyring; `weak` = a file that other programs of this user could decrypt; `none`. */
      grade: z.enum(['secure', 'weak', 'none']),
      backend: z.string(),
    }),
  ),
  'vault.set': command(
    z.strictObject({
      profileId: z.string().max(64),
      token: z.string().min(1).max(8192),
      /** Keep it beyond this run. With a `weak` grade the page asks for consent first. */
      remember: z.boolean(),
    }),
    tokenStatusSchema,
  ),
  'vault.forget': command(byProfile, tokenStatusSchema),
}

export const profileTopics = {
  'profiles.changed': topic(z.array(profileViewSchema)),
}
