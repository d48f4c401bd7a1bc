import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** How the token is sent; spec §5 does not show it, so both parts can be set. */
const authSchema = z.strictObject({
  header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  scheme: z.string().regex(/^[A-Za-z0-9._~+/-]{0,32}$/),
})

/** The page shows this name in its own language. */
export const DEMO_PROFILE_NAME = 'Demo library'

/**
 * Paths that the user set for rows, by row id; they outrank the capabilities. Placeholders in
 * braces, relative to the base URL.
 */
const routePathsSchema = z.record(z.string().max(100), z.string().max(300))

export const profileSchema = z.strictObject({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(200),
  /** Normalised: `http(s)://host:port/bridge/v1`, no trailing slash, no user, query or fragment. */
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
  /** SHA-256 fingerprint of a self-signed certificate that the user accepted, `AB:CD:…`. */
  tlsFingerprint: z.string().max(100).nullable(),
  /** Created by the app for the demo library, with the app's own token. */
  demo: z.boolean(),
  lastConnectedAt: timestampSchema.nullable(),
  paths: routePathsSchema.optional(),
})
export type Profile = z.infer<typeof profileSchema>

/**
 * What the page may know about a token. `boundTo` is the only scheme, host and port to which the
 * token is sent.
 */
const tokenStatusSchema = z.strictObject({
  state: z.enum(['none', 'memory', 'stored', 'locked']),
  boundTo: z.string().nullable(),
  /** Name of the storage backend if it is stored or locked. */
  backend: z.string().nullable(),
})
export type TokenStatus = z.infer<typeof tokenStatusSchema>

export const profileViewSchema = z.strictObject({
  profile: profileSchema,
  token: tokenStatusSchema,
  /** Plain http to another machine, so the token would travel unencrypted. */
  plainRemote: z.boolean(),
})
export type ProfileView = z.infer<typeof profileViewSchema>

/**
 * What the user types; the service normalises the address and refuses schemes other than http and
 * https.
 */
export const profileDraftSchema = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  name: z.string().max(200),
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
  /** Absent: the paths stay unchanged. */
  paths: routePathsSchema.optional(),
})
export type ProfileDraft = z.infer<typeof profileDraftSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

export const profileMethods = {
  'profiles.list': defineQueryMethod(z.strictObject({}), z.array(profileViewSchema)),
  /** A changed scheme, host or port drops the token, because it was bound to the old address. */
  'profiles.save': defineCommandMethod(profileDraftSchema, profileViewSchema),
  'profiles.remove': defineCommandMethod(byProfile, z.strictObject({})),
  'vault.storage': defineQueryMethod(
    z.strictObject({}),
    z.strictObject({
      /**
       * `secure`: the operating system's keyring; `weak`: a file that other programs of this user
       * could decrypt; `none`.
       */
      grade: z.enum(['secure', 'weak', 'none']),
      backend: z.string(),
    }),
  ),
  'vault.set': defineCommandMethod(
    z.strictObject({
      profileId: z.string().max(64),
      token: z.string().min(1).max(8192),
      /** Store it beyond this run. With a `weak` grade the page asks for consent first. */
      remember: z.boolean(),
    }),
    tokenStatusSchema,
  ),
  'vault.forget': defineCommandMethod(byProfile, tokenStatusSchema),
}

export const profileTopics = {
  'profiles.changed': defineTopic(z.array(profileViewSchema)),
}
