import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'
import { profileDraftSchema, profileSchema, profileViewSchema } from './profiles.ts'

const connectionPhases = ['none', 'connecting', 'online', 'unauthorized', 'offline'] as const

/** Facts from `GET /status` (or else `GET /capabilities`); null if not reported. */
const hostSummarySchema = z.strictObject({
  app: z.string().nullable(),
  appVersion: z.string().nullable(),
  bridgeApiVersion: z.string().nullable(),
  routeCount: z.number().nullable(),
  apiFingerprint: z.string().nullable(),
  guideHash: z.string().nullable(),
  instanceNonce: z.string().nullable(),
})
export type HostSummary = z.infer<typeof hostSummarySchema>

/** A period in which the host's state may have changed unseen. `until` is null while it lasts. */
const gapSchema = z.strictObject({
  id: z.number(),
  reason: z.enum(['host-restarted', 'unreachable', 'unauthorized', 'disconnected', 'app-suspended']),
  from: z.number(),
  until: z.number().nullable(),
})
export type ConnectionGap = z.infer<typeof gapSchema>

/**
 * Facts whose change is shown as an event: a new version means an updated host, a new fingerprint
 * other routes.
 */
const watchedFacts = ['appVersion', 'bridgeApiVersion', 'apiFingerprint'] as const

/** Facts that differ between two heartbeats. */
const hostChangeSchema = z.strictObject({
  /** Epoch milliseconds of the heartbeat; unique among the changes. */
  at: z.number(),
  /** Another run of the host: another nonce or, without one, another version. */
  restarted: z.boolean(),
  facts: z
    .array(z.strictObject({ name: z.enum(watchedFacts), from: z.string(), to: z.string() }))
    .max(watchedFacts.length),
})
export type HostChange = z.infer<typeof hostChangeSchema>

export const connectionStateSchema = z.strictObject({
  phase: z.enum(connectionPhases),
  profile: profileSchema.nullable(),
  host: hostSummarySchema.nullable(),
  latencyMs: z.number().nullable(),
  /** When this phase began, in epoch milliseconds. */
  since: z.number(),
  /**
   * Grows with every gap that ends (restart of the host, reconnect, another profile). A response
   * of an older epoch is shown as read before the gap.
   */
  epoch: z.number().int(),
  /** The latest gaps, newest first, at most 50. */
  gaps: z.array(gapSchema).max(50),
  /** The latest changes of the host, newest first, at most 50. */
  changes: z.array(hostChangeSchema).max(50),
  error: wireErrorSchema.nullable(),
  /** When the next attempt is made, in epoch milliseconds. */
  nextTryAt: z.number().nullable(),
  /** Last successful heartbeat, in epoch milliseconds. */
  lastSeenAt: z.number().nullable(),
  /** The server's untrusted certificate, which the user may compare and accept. */
  certificate: z
    .strictObject({
      fingerprint: z.string(),
      subject: z.string(),
      issuer: z.string(),
      validTo: z.string(),
      reason: z.string(),
    })
    .nullable(),
})
export type ConnectionState = z.infer<typeof connectionStateSchema>

export const doctorSteps = ['address', 'tcp', 'tls', 'path', 'token', 'capabilities'] as const
export const doctorStepSchema = z.strictObject({
  step: z.enum(doctorSteps),
  result: z.enum(['ok', 'failed', 'warning', 'skipped']),
  /**
   * The finding's code, translated by the page (`doctor.<code>`); `message` says the same in
   * English, `action` what to do.
   */
  code: z.string(),
  message: z.string(),
  action: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  durationMs: z.number(),
})
export type DoctorStep = z.infer<typeof doctorStepSchema>

/**
 * Why this machine's token may not be meant for a discovered host: no `bridge.json` names its
 * port; it is not the instance in `bridge.json`; another user is listening there.
 */
const tokenDoubts = ['not-announced', 'other-instance', 'other-user'] as const

export const discoveredHostSchema = z.strictObject({
  id: z.string(),
  baseUrl: z.string(),
  source: z.enum(['bridge.json', 'port-scan']),
  summary: hostSummarySchema,
  /**
   * User of the listening process: `same` is the user of this program; `unknown` if the system
   * does not say.
   */
  listener: z.strictObject({ user: z.enum(['same', 'other', 'unknown']), name: z.string().nullable() }),
  /** Where this machine has a token for the host; the token stays in the service process. */
  tokenSource: z.enum(['environment', 'token-file']).nullable(),
  /** Problem of the token file: a `readable` one is used anyway, the others are not. */
  tokenProblem: z.enum(['readable', 'writable', 'foreign', 'not-a-file', 'unreadable']).nullable(),
  /** Why the token is sent only after a confirmation; if empty, _Use_ sends it. */
  asks: z.array(z.enum(tokenDoubts)),
  latencyMs: z.number(),
})
export type DiscoveredHost = z.infer<typeof discoveredHostSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

/** Code to install the host's command line tool; `expiresInSeconds` if the host gives it. */
const installCodeSchema = z.strictObject({ code: z.string(), expiresInSeconds: z.number().nullable() })
export type InstallCode = z.infer<typeof installCodeSchema>

export const connectionMethods = {
  'connection.get': defineQueryMethod(z.strictObject({}), connectionStateSchema),
  /** Resolves when the first attempt has ended; `connection.changed` carries later states. */
  'connection.connect': defineCommandMethod(byProfile, connectionStateSchema),
  'connection.disconnect': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Tries again immediately instead of at `nextTryAt`. */
  'connection.retry': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Pins the certificate with this fingerprint for the profile. */
  'connection.trustCertificate': defineCommandMethod(
    z.strictObject({ profileId: z.string().max(64), fingerprint: z.string().max(100) }),
    profileViewSchema,
  ),
  /** `POST /install/code`, once; neither code nor response is recorded. */
  'connection.installCode': defineCommandMethod(z.strictObject({}), installCodeSchema),
  'connection.doctor': defineQueryMethod(byProfile, z.array(doctorStepSchema)),
  /**
   * Tests a host before it is saved; the current connection stays. Without a `token`, the saved
   * profile's token is used if it is bound to this address.
   */
  'connection.test': defineQueryMethod(
    z.strictObject({ profile: profileDraftSchema, token: z.string().min(1).max(8192).nullable() }),
    z.array(doctorStepSchema),
  ),
  /** Scans only this machine: bridge.json, ports 42340-42359. Does not connect. */
  'discovery.scan': defineQueryMethod(z.strictObject({}), z.array(discoveredHostSchema)),
  /**
   * Creates a profile for a discovered host; with `useToken` the service process reads its token
   * source. If the host has `asks`, `confirmed` says that the user saw port, listener and doubts,
   * and agreed.
   */
  'discovery.adopt': defineCommandMethod(
    z.strictObject({ foundId: z.string().max(200), useToken: z.boolean(), confirmed: z.boolean().optional() }),
    profileViewSchema,
  ),
  /** `POST /pair` of a host on the LAN (observed-0.49); the token goes straight into the vault. */
  'discovery.pair': defineCommandMethod(
    z.strictObject({
      name: z.string().max(200),
      baseUrl: z.string().max(2048),
      code: z.string().regex(/^\d{6}$/),
      deviceName: z.string().min(1).max(100),
    }),
    profileViewSchema,
  ),
}

export const connectionTopics = {
  'connection.changed': defineTopic(connectionStateSchema),
}
