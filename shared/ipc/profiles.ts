import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** The spec does not show how the token is sent (§5), so the user can set both parts. */
const authSchema = z.strictObject({
  header: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  scheme: z.string().regex(/^[A-Za-z0-9._~+/-]{0,32}$/),
})

/** The page translates this name. */
export const DEMO_PROFILE_NAME = 'Demo library'

/** Paths by endpoint id, relative, placeholders in braces; they outrank the capabilities. */
const routePathsSchema = z.record(z.string().max(100), z.string().max(300))

export const profileSchema = z.strictObject({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(200),
  /** `http(s)://host:port/bridge/v1`, without slash, user, query or fragment. */
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
  /** SHA-256 fingerprint (`AB:CD:…`) of a self-signed certificate that the user accepted. */
  tlsFingerprint: z.string().max(100).nullable(),
  /** The app created this profile for the demo library, with its own token. */
  demo: z.boolean(),
  lastConnectedAt: timestampSchema.nullable(),
  paths: routePathsSchema.optional(),
})
export type Profile = z.infer<typeof profileSchema>

/** All that the page may know. `boundTo` is the only scheme, host and port that gets the token. */
const tokenStatusSchema = z.strictObject({
  state: z.enum(['none', 'memory', 'stored', 'locked']),
  boundTo: z.string().nullable(),
  /** The storage backend of a token that is stored or locked. */
  backend: z.string().nullable(),
})
export type TokenStatus = z.infer<typeof tokenStatusSchema>

export const profileViewSchema = z.strictObject({
  profile: profileSchema,
  token: tokenStatusSchema,
  /** The address is plain http on another machine, so the token would travel unencrypted. */
  plainRemote: z.boolean(),
})
export type ProfileView = z.infer<typeof profileViewSchema>

/** The typed values. The service normalises the address and refuses all but http and https. */
export const profileDraftSchema = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  name: z.string().max(200),
  baseUrl: z.string().max(2048),
  auth: authSchema,
  readOnly: z.boolean(),
  /** If absent, the saved paths stay. */
  paths: routePathsSchema.optional(),
})
export type ProfileDraft = z.infer<typeof profileDraftSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

export const profileMethods = {
  'profiles.list': defineQueryMethod(z.strictObject({}), z.array(profileViewSchema)),
  /** A change of scheme, host or port deletes the token, which was bound to them. */
  'profiles.save': defineCommandMethod(profileDraftSchema, profileViewSchema),
  'profiles.remove': defineCommandMethod(byProfile, z.strictObject({})),
  'vault.storage': defineQueryMethod(
    z.strictObject({}),
    z.strictObject({
      /** `secure`: the system's keyring. `weak`: other programs of this user could decrypt. */
      grade: z.enum(['secure', 'weak', 'none']),
      backend: z.string(),
    }),
  ),
  'vault.set': defineCommandMethod(
    z.strictObject({
      profileId: z.string().max(64),
      token: z.string().min(1).max(8192),
      /** Stores the token beyond this run. With a `weak` grade the page asks for consent first. */
      remember: z.boolean(),
    }),
    tokenStatusSchema,
  ),
  'vault.forget': defineCommandMethod(byProfile, tokenStatusSchema),
}

export const profileTopics = {
  'profiles.changed': defineTopic(z.array(profileViewSchema)),
}
