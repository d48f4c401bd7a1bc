import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})

/**
 * Loopback listener that forwards other clients' requests to the connected host and records them.
 * It stops when another host is connected.
 */
const recordingStateSchema = z.strictObject({
  on: z.boolean(),
  /**
   * Base URL for the client, without the key: `http://127.0.0.1:41234/bridge/v1`; null while it is
   * off.
   */
  baseUrl: z.string().nullable(),
  /** A key for this listener only, never the host's token; null while it is off. */
  key: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** Requests forwarded since the start. */
  passed: z.number().int().nonnegative(),
  /** Requests refused here: a wrong key, a foreign `Host` or `Origin`, a write under the lock. */
  refused: z.number().int().nonnegative(),
  lastAt: z.number().nullable(),
  /** Name that is recorded as the origin of the next exchanges. */
  label: z.string().max(100),
})
export type RecordingState = z.infer<typeof recordingStateSchema>

export const recordingMethods = {
  'recording.get': defineQueryMethod(emptySchema, recordingStateSchema),
  /** Starts the listener, on any port or this one. Throws `PORT_TAKEN`, `PORT_FORBIDDEN`. */
  'recording.start': defineCommandMethod(
    z.strictObject({ port: z.number().int().min(0).max(65535).optional(), label: z.string().max(100).optional() }),
    recordingStateSchema,
  ),
  /** Names the clients from now on; without a name, their `User-Agent` is used. */
  'recording.name': defineCommandMethod(z.strictObject({ label: z.string().max(100) }), recordingStateSchema),
  'recording.stop': defineCommandMethod(emptySchema, recordingStateSchema),
}

export const recordingTopics = {
  'recording.changed': defineTopic(recordingStateSchema),
}
