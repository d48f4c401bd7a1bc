import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { command, query, topic } from './define.ts'
import { profileSchema, profileViewSchema } from './profiles.ts'

export const connectionPhases = ['none', 'connecting', 'online', 'unauthorized', 'offline'] as const

/** What `GET /status` (or, without it, `GET /capabilities`) said of the host; null where the host did not say it. */
export const hostSummarySchema = z.strictObject({
  app: z.string().nullable(),
  appVersion: z.string().nullable(),
  bridgeApiVersion: z.string().nullable(),
  routeCount: z.number().nullable(),
  apiFingerprint: z.string().nullable(),
  guideHash: z.string().nullable(),
  instanceNonce: z.string().nullable(),
})
export type HostSummary = z.infer<typeof hostSummarySchema>

/** A time in which the host's state may have changed unseen. `until` is null while it lasts. */
export const gapSchema = z.strictObject({
  id: z.number(),
  reason: z.enum(['host-restarted', 'unreachable', 'unauthorized', 'disconnected', 'app-suspended']),
  from: z.number(),
  until: z.number().nullable(),
})
export type Gap = z.infer<typeof gapSchema>

export const connectionStateSchema = z.strictObject({
  phase: z.enum(connectionPhases),
  profile: profileSchema.nullable(),
  host: hostSummarySchema.nullable(),
  latencyMs: z.number().nullable(),
  /** Since when this phase lasts, epoch milliseconds. */
  since: z.number(),
  /**
   * Grows with every gap that ends (restart of the host, reconnect, other profile). Every answer carries the epoch it was
   * read in: an older one than the connection's is shown as read before the gap, never as current.
   */
  epoch: z.number().int(),
  /** The last gaps, newest first, at most 50. */
  gaps: z.array(gapSchema).max(50),
  error: wireErrorSchema.nullable(),
  /** When the next attempt is made, epoch milliseconds. */
  nextTryAt: z.number().nullable(),
  /** Last successful heartbeat, epoch milliseconds. */
  lastSeenAt: z.number().nullable(),
  /** Set when the server's certificate is not trusted: what the person is asked to compare and accept. */
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
  /** Code of the finding, translated by the page (`doctor.<code>`); `message` says the same in English, `action` what to do. */
  code: z.string(),
  message: z.string(),
  action: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  durationMs: z.number(),
})
export type DoctorStep = z.infer<typeof doctorStepSchema>

/**
 * Why a found host may not be the one that a token of this machine is for: no `bridge.json` names its port; it does not show the instance that
 * `bridge.json` names; another user listens there.
 */
export const tokenDoubts = ['not-announced', 'other-instance', 'other-user'] as const

export const foundHostSchema = z.strictObject({
  id: z.string(),
  baseUrl: z.string(),
  /** Where it was found. */
  source: z.enum(['bridge.json', 'port-scan']),
  summary: hostSummarySchema,
  /** Whose process listens on the port: `same` is the user that this program runs as; `unknown` where the system does not tell. */
  listener: z.strictObject({ user: z.enum(['same', 'other', 'unknown']), name: z.string().nullable() }),
  /** Where a token for it lies on this machine; the token itself stays in the service process. */
  tokenSource: z.enum(['environment', 'token-file']).nullable(),
  /** What is wrong with the token file: `readable` is used all the same, the others are not. */
  tokenProblem: z.enum(['readable', 'writable', 'foreign', 'not-a-file', 'unreadable']).nullable(),
  /** Why a token of this machine goes there only after a question; with none of these, _Use_ sends it. */
  asks: z.array(z.enum(tokenDoubts)),
  latencyMs: z.number(),
})
export type FoundHost = z.infer<typeof foundHostSchema>

const byProfile = z.strictObject({ profileId: z.string().max(64) })

export const connectionMethods = {
  'connection.get': query(z.strictObject({}), connectionStateSchema),
  /** Answers as soon as the first attempt is decided; the state travels by `connection.changed`. */
  'connection.connect': command(byProfile, connectionStateSchema),
  'connection.disconnect': command(z.strictObject({}), connectionStateSchema),
  /** Tries again now instead of at `nextTryAt`. */
  'connection.retry': command(z.strictObject({}), connectionStateSchema),
  /** Pins the certificate with this fingerprint for the profile. */
  'connection.trustCertificate': command(
    z.strictObject({ profileId: z.string().max(64), fingerprint: z.string().max(100) }),
    profileViewSchema,
  ),
  'connection.doctor': query(byProfile, z.array(doctorStepSchema)),
  /** Looks on this machine only: bridge.json, ports 42340-42359. Connects to nothing by itself. */
  'discovery.scan': query(z.strictObject({}), z.array(foundHostSchema)),
  /**
   * Makes a profile of a found host; with `useToken` its token source is read in the service process. Where the host `asks`, `confirmed` says
   * that a person was shown port, listener and doubts and wants it.
   */
  'discovery.adopt': command(
    z.strictObject({ foundId: z.string().max(200), useToken: z.boolean(), confirmed: z.boolean().optional() }),
    profileViewSchema,
  ),
  /** `POST /pair` of a host in the LAN (observed-0.49); the token goes straight into the vault. */
  'discovery.pair': command(
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
  'connection.changed': topic(connectionStateSchema),
}
