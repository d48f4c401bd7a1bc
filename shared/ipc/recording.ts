import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})

/**
 * A listener on this machine that forwards other clients' requests to the connected host and
 * records them. It stops when another host is connected.
 */
const recordingStateSchema = z.strictObject({
  on: z.boolean(),
  /** URL for clients, without the key: `http://127.0.0.1:41234/bridge/v1`. Null while off. */
  baseUrl: z.string().nullable(),
  /** Opens only this listener and is never the host's token. Null while the listener is off. */
  key: z.string().nullable(),
  startedAt: z.number().nullable(),
  /** Number of requests forwarded since the start. */
  passed: z.number().int().nonnegative(),
  /**
   * Number of requests that the listener refused because of a wrong key, a foreign `Host` or
   * `Origin`, or a write while writing is locked.
   */
  refused: z.number().int().nonnegative(),
  lastAt: z.number().nullable(),
  /** The origin under which the next exchanges are recorded. */
  label: z.string().max(100),
})
export type RecordingState = z.infer<typeof recordingStateSchema>

export const recordingMethods = {
  'recording.get': defineQueryMethod(emptySchema, recordingStateSchema),
  /**
   * Without a port, any free port is used.
   * @throws PORT_TAKEN, PORT_FORBIDDEN
   */
  'recording.start': defineCommandMethod(
    z.strictObject({ port: z.number().int().min(0).max(65535).optional(), label: z.string().max(100).optional() }),
    recordingStateSchema,
  ),
  /** Names requests from now on. If it is empty, the client's `User-Agent` is used. */
  'recording.name': defineCommandMethod(z.strictObject({ label: z.string().max(100) }), recordingStateSchema),
  'recording.stop': defineCommandMethod(emptySchema, recordingStateSchema),
}

export const recordingTopics = {
  'recording.changed': defineTopic(recordingStateSchema),
}
