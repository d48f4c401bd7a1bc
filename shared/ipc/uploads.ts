import { z } from 'zod'
import { defineCommandMethod, defineTopic } from './method-definition.ts'

export const MAX_UPLOAD_BYTES = 4 * 1024 * 1024 * 1024
export const UPLOAD_CHUNK_BYTES = 512 * 1024

const id = z.string().min(1).max(100)

export const uploadMethods = {
  /** The file stays in the service process until it is sent or dropped, or the page closes. */
  'uploads.begin': defineCommandMethod(
    z.strictObject({ size: z.number().int().nonnegative() }),
    z.strictObject({ uploadId: z.string() }),
  ),
  /** Chunks arrive in order. Each is base64, because calls over HTTP are JSON. */
  'uploads.add': defineCommandMethod(
    z.strictObject({
      uploadId: id,
      offset: z.number().int().nonnegative(),
      data: z.base64().max(Math.ceil(UPLOAD_CHUNK_BYTES / 3) * 4),
    }),
    z.strictObject({ received: z.number().int() }),
  ),
  'uploads.drop': defineCommandMethod(z.strictObject({ uploadId: id }), z.strictObject({})),
  /** Closes the connection that sends: what the host did with its part stays unknown. */
  'uploads.cancel': defineCommandMethod(z.strictObject({ uploadId: id }), z.strictObject({})),
}

export const uploadTopics = {
  /** `sent` counts bytes that the connection took over. Sent a few times per second. */
  'uploads.progress': defineTopic(z.strictObject({ uploadId: z.string(), sent: z.number(), total: z.number() })),
}
