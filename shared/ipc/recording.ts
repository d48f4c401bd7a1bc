import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})

/**
 * A loopback listener forwards other clients' requests to the connected host and records them. It
 * stops when another host is connected.
 */
const recordingStateSchema = z.strictObject({
  on: z.boolean(),
  /**
   * Clients use this base URL, which does not include the key: `http://127.0.0.1:41234/bridge/v1`.
   * It is null while the listener is off.
   */
  baseUrl: z.string().nullable(),
  /**
   * This key opens only this listener and is never the host's token. It is null while the listener
   * is off.
   */
  key: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** This counts the requests forwarded since the start. */
  passed: z.number().int().nonnegative(),
  /**
   * This counts the requests that the listener refused: a wrong key, a foreign `Host` or `Origin`,
   * or a write while writing is locked.
   */
  refused: z.number().int().nonnegative(),
  lastAt: z.number().nullable(),
  /** The next exchanges are recorded with this name as their origin. */
  label: z.string().max(100),
})
export type RecordingState = z.infer<typeof recordingStateSchema>

export const recordingMethods = {
  'recording.get': defineQueryMethod(emptySchema, recordingStateSchema),
  /**
   * Starts the listener on this port, or on any free one.
   * @throws PORT_TAKEN, PORT_FORBIDDEN
   */
  'recording.start': defineCommandMethod(
    z.strictObject({ port: z.number().int().min(0).max(65535).optional(), label: z.string().max(100).optional() }),
    recordingStateSchema,
  ),
  /** Names the clients from now on. Without a name, their `User-Agent` is used. */
  'recording.name': defineCommandMethod(z.strictObject({ label: z.string().max(100) }), recordingStateSchema),
  'recording.stop': defineCommandMethod(emptySchema, recordingStateSchema),
}

export const recordingTopics = {
  'recording.changed': defineTopic(recordingStateSchema),
}
