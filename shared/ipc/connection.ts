import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'
import { profileDraftSchema, profileSchema, profileViewSchema } from './profiles.ts'

const connectionPhases = ['none', 'connecting', 'online', 'unauthorized', 'offline'] as const

/** What `GET /status` (or, without it, `GET /capabilities`) said about the host; null for what it did not say. */
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

/** Facts about the host whose change is an event: another version is a host that was updated, another fingerprint other routes. */
const watchedFacts = ['appVersion', 'bridgeApiVersion', 'apiFingerprint'] as const

/** What one heartbeat found changed about the host since the last one that said something about it. */
const hostChangeSchema = z.strictObject({
  /** When it was noticed, in epoch milliseconds; no two have the same. */
  at: z.number(),
  /** It is another run of the host: it names another nonce or, without one, another version. */
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
   * Grows with every gap that ends (the host restarted, a reconnect, another profile). Every answer carries the epoch it was read in: one
   * older than the connection's is shown as read before the gap, never as current.
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
  /** Set if the server's certificate is not trusted: what the user is asked to compare and accept. */
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
  /** The finding's code, translated by the page (`doctor.<code>`); `message` says the same in English, `action` what to do. */
  code: z.string(),
  message: z.string(),
  action: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  durationMs: z.number(),
})
export type DoctorStep = z.infer<typeof doctorStepSchema>

/**
 * Why this machine's token may not be meant for a found host: no `bridge.json` names its port; it is not the instance that `bridge.json`
 * names; another user is listening there.
 */
const tokenDoubts = ['not-announced', 'other-instance', 'other-user'] as const

export const discoveredHostSchema = z.strictObject({
  id: z.string(),
  baseUrl: z.string(),
  /** Where it was found. */
  source: z.enum(['bridge.json', 'port-scan']),
  summary: hostSummarySchema,
  /** Whose process is listening on the port: `same` is the user that this program runs as; `unknown` if the system does not say. */
  listener: z.strictObject({ user: z.enum(['same', 'other', 'unknown']), name: z.string().nullable() }),
  /** Where this machine has a token for it; the token itself stays in the service process. */
  tokenSource: z.enum(['environment', 'token-file']).nullable(),
  /** What is wrong with the token file: a `readable` one is used anyway, the others are not. */
  tokenProblem: z.enum(['readable', 'writable', 'foreign', 'not-a-file', 'unreadable']).nullable(),
  /** Why this machine's token goes there only after a question; if the list is empty, _Use_ sends it. */
  asks: z.array(z.enum(tokenDoubts)),
  latencyMs: z.number(),
})
export type DiscoveredHost = z.infer<typeof discoveredHostSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

/** A code with which the host's command line tool can be installed; `expiresInSeconds` where the host says it. */
const installCodeSchema = z.strictObject({ code: z.string(), expiresInSeconds: z.number().nullable() })
export type InstallCode = z.infer<typeof installCodeSchema>

export const connectionMethods = {
  'connection.get': defineQueryMethod(z.strictObject({}), connectionStateSchema),
  /** Returns as soon as the first attempt is decided; `connection.changed` carries the state from then on. */
  'connection.connect': defineCommandMethod(byProfile, connectionStateSchema),
  'connection.disconnect': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Tries again now instead of at `nextTryAt`. */
  'connection.retry': defineCommandMethod(z.strictObject({}), connectionStateSchema),
  /** Pins the certificate with this fingerprint for the profile. */
  'connection.trustCertificate': defineCommandMethod(
    z.strictObject({ profileId: z.string().max(64), fingerprint: z.string().max(100) }),
    profileViewSchema,
  ),
  /** `POST /install/code`, once; neither the code nor the answer is written down. */
  'connection.installCode': defineCommandMethod(z.strictObject({}), installCodeSchema),
  'connection.doctor': defineQueryMethod(byProfile, z.array(doctorStepSchema)),
  /**
   * The same for a host that is being entered: nothing is saved, and the current connection stays. Without a `token`, that of the saved
   * profile is used if the address is still the one it is bound to.
   */
  'connection.test': defineQueryMethod(
    z.strictObject({ profile: profileDraftSchema, token: z.string().min(1).max(8192).nullable() }),
    z.array(doctorStepSchema),
  ),
  /** Looks only on this machine: bridge.json, ports 42340-42359. Connects to nothing. */
  'discovery.scan': defineQueryMethod(z.strictObject({}), z.array(discoveredHostSchema)),
  /**
   * Creates a profile for a found host; with `useToken` its token source is read in the service process. If the host `asks`, `confirmed`
   * says that the user was shown port, listener and doubts, and agreed.
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
