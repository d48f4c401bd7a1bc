import { z } from 'zod'
import { command, topic } from './define.ts'

/** Bytes of a file at the most. */
export const MAX_UPLOAD = 4 * 1024 * 1024 * 1024
/** Bytes of one piece. */
export const UPLOAD_PIECE = 512 * 1024

const id = z.string().min(1).max(100)

export const uploadMethods = {
  /** A file will come piece by piece; it stays in the service process until it is sent or dropped, or the page goes. */
  'uploads.begin': command(
    z.strictObject({ size: z.number().int().nonnegative() }),
    z.strictObject({ uploadId: z.string() }),
  ),
  /** The next piece, in order; base64, because a call is JSON on one of its two ways. */
  'uploads.add': command(
    z.strictObject({
      uploadId: id,
      offset: z.number().int().nonnegative(),
      data: z.base64().max(Math.ceil(UPLOAD_PIECE / 3) * 4),
    }),
    z.strictObject({ received: z.number().int() }),
  ),
  'uploads.drop': command(z.strictObject({ uploadId: id }), z.strictObject({})),
  /** Ends the sending: the connection is closed, and what the host made of the part that it has is not known. */
  'uploads.cancel': command(z.strictObject({ uploadId: id }), z.strictObject({})),
}

export const uploadTopics = {
  /** How much of a file has been handed to the connection; a few times a second. */
  'uploads.progress': topic(z.strictObject({ uploadId: z.string(), sent: z.number(), total: z.number() })),
}
