import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'
import { profileDraftSchema, profileSchema, profileViewSchema } from './profiles.ts'

const connectionPhases = ['none', 'connecting', 'online', 'unauthorized', 'offline'] as const

/** From `GET /status`, or else from `GET /capabilities`; each member is null if not reported. */
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

/** The host's state may have changed unseen. `until` is null while the gap lasts. */
const gapSchema = z.strictObject({
  id: z.number(),
  reason: z.enum(['host-restarted', 'unreachable', 'unauthorized', 'disconnected', 'app-suspended']),
  from: z.number(),
  until: z.number().nullable(),
})
export type ConnectionGap = z.infer<typeof gapSchema>

/** Shown as events: a new version is an update of the host, a new fingerprint new routes. */
const watchedFacts = ['appVersion', 'bridgeApiVersion', 'apiFingerprint'] as const

/** Differences from the heartbeat before. */
const hostChangeSchema = z.strictObject({
  /** Time of the heartbeat in epoch milliseconds, which is unique among the changes. */
  at: z.number(),
  /** The host was restarted: its nonce or, without a nonce, its version differs. */
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
  /** Epoch milliseconds when the phase began. */
  since: z.number(),
  /** Grows with each gap that ends: restart, reconnect, new profile. Older data is from before. */
  epoch: z.number().int(),
  /** Newest first. */
  gaps: z.array(gapSchema).max(50),
  /** Newest first. */
  changes: z.array(hostChangeSchema).max(50),
  error: wireErrorSchema.nullable(),
  /** Epoch milliseconds. */
  nextTryAt: z.number().nullable(),
  /** Epoch milliseconds of the last heartbeat that succeeded. */
  lastSeenAt: z.number().nullable(),
  /** The untrusted certificate that the server presented, which the user may compare and accept. */
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

/** The state before a host is chosen. */
export const NO_CONNECTION: ConnectionState = {
  phase: 'none',
  profile: null,
  host: null,
  latencyMs: null,
  since: 0,
  epoch: 0,
  gaps: [],
  changes: [],
  error: null,
  nextTryAt: null,
  lastSeenAt: null,
  certificate: null,
}

export const doctorSteps = ['address', 'tcp', 'tls', 'path', 'token', 'capabilities'] as const
export const doctorStepSchema = z.strictObject({
  step: z.enum(doctorSteps),
  result: z.enum(['ok', 'failed', 'warning', 'skipped']),
  /** Code, translated as `doctor.<code>`; `message` is the English, `action` the advice. */
  code: z.string(),
  message: z.string(),
  action: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  durationMs: z.number(),
})
export type DoctorStep = z.infer<typeof doctorStepSchema>

/**
 * Reasons why the token on this machine may not be meant for a discovered host: no `bridge.json`
 * names its port; it is not the instance in `bridge.json`; another user's process listens there.
 */
const tokenDoubts = ['not-announced', 'other-instance', 'other-user'] as const

export const discoveredHostSchema = z.strictObject({
  id: z.string(),
  baseUrl: z.string(),
  source: z.enum(['bridge.json', 'port-scan']),
  summary: hostSummarySchema,
  /** `same` is the user of this program; `unknown` if the system does not say. */
  listener: z.strictObject({ user: z.enum(['same', 'other', 'unknown']), name: z.string().nullable() }),
  /** The token itself stays in the service process. */
  tokenSource: z.enum(['environment', 'token-file']).nullable(),
  /** A `readable` file is used anyway, a file with any other problem is not. */
  tokenProblem: z.enum(['readable', 'writable', 'foreign', 'not-a-file', 'unreadable']).nullable(),
  /** Reasons why the token is sent only after a confirmation; if empty, _Use_ sends the token. */
  asks: z.array(z.enum(tokenDoubts)),
  latencyMs: z.number(),
})
export type DiscoveredHost = z.infer<typeof discoveredHostSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

/** A code for the host's command line tool. `expiresInSeconds` is null if not given. */
const installCodeSchema = z.strictObject({ code: z.string(), expiresInSeconds: z.number().nullable() })
export type InstallCode = z.infer<typeof installCodeSchema>

export const connectionMethods = {
  'connection.get': defineQueryMethod(z.strictObject({}), connectionStateSchema),
  /** Resolves when the first attempt has ended; `connection.changed` reports later states. */
  'connection.connect': defineCommandMethod(byProfile, connectionStateSchema),
  'connection.disconnect': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Does not wait for `nextTryAt`. */
  'connection.retry': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Pins the certificate with this fingerprint for the profile. */
  'connection.trustCertificate': defineCommandMethod(
    z.strictObject({ profileId: z.string().max(64), fingerprint: z.string().max(100) }),
    profileViewSchema,
  ),
  /** Sends `POST /install/code` once. Neither the code nor the response is recorded. */
  'connection.installCode': defineCommandMethod(z.strictObject({}), installCodeSchema),
  'connection.doctor': defineQueryMethod(byProfile, z.array(doctorStepSchema)),
  /** The connection stays. Without a `token`, the profile's is used if bound to this address. */
  'connection.test': defineQueryMethod(
    z.strictObject({ profile: profileDraftSchema, token: z.string().min(1).max(8192).nullable() }),
    z.array(doctorStepSchema),
  ),
  /** Scans only this machine: bridge.json and the ports 42340 to 42359. It does not connect. */
  'discovery.scan': defineQueryMethod(z.strictObject({}), z.array(discoveredHostSchema)),
  /**
   * Creates a profile for a discovered host; with `useToken` the service process reads the token on
   * this machine. If the host has `asks`, `confirmed` means that the user saw port, listener and
   * doubts, and agreed.
   */
  'discovery.adopt': defineCommandMethod(
    z.strictObject({ foundId: z.string().max(200), useToken: z.boolean(), confirmed: z.boolean().optional() }),
    profileViewSchema,
  ),
  /** Sends `POST /pair` (observed-0.49). The token goes straight into the vault. */
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
