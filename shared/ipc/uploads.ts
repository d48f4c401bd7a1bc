import { z } from 'zod'
import { defineCommandMethod, defineTopic } from './method-definition.ts'

/** Bytes of a file at the most. */
export const MAX_UPLOAD_BYTES = 4 * 1024 * 1024 * 1024
/** Bytes of one piece. */
export const UPLOAD_CHUNK_BYTES = 512 * 1024

const id = z.string().min(1).max(100)

export const uploadMethods = {
  /**
   * A file will come piece by piece; it stays in the service process until it is sent or dropped,
   * or the page goes.
   */
  'uploads.begin': defineCommandMethod(
    z.strictObject({ size: z.number().int().nonnegative() }),
    z.strictObject({ uploadId: z.string() }),
  ),
  /** The next piece, in order; base64, because a call is JSON on one of its two ways. */
  'uploads.add': defineCommandMethod(
    z.strictObject({
      uploadId: id,
      offset: z.number().int().nonnegative(),
      data: z.base64().max(Math.ceil(UPLOAD_CHUNK_BYTES / 3) * 4),
    }),
    z.strictObject({ received: z.number().int() }),
  ),
  'uploads.drop': defineCommandMethod(z.strictObject({ uploadId: id }), z.strictObject({})),
  /**
   * Ends the sending: the connection is closed, and what the host made of the part that it has is
   * not known.
   */
  'uploads.cancel': defineCommandMethod(z.strictObject({ uploadId: id }), z.strictObject({})),
}

export const uploadTopics = {
  /** How much of a file has been handed to the connection; a few times a second. */
  'uploads.progress': defineTopic(z.strictObject({ uploadId: z.string(), sent: z.number(), total: z.number() })),
}
