import { z } from 'zod'

/** A saved request is plain JSON with `{{variable}}` placeholders and never contains a token. */
export const savedRequestSchema = z.strictObject({
  name: z.string().min(1).max(200),
  method: z.string().max(20),
  /** The path includes the query and is relative to the base URL. */
  path: z.string().max(8000),
  /** The body is JSON text; it is null if there is none, which a file may leave out. */
  body: z.string().max(1_000_000).nullable().default(null),
  note: z.string().max(10_000).optional(),
  /** Values for later requests of a run: a variable's name, and a JSON pointer into the body. */
  takes: z
    .array(z.strictObject({ variable: z.string().regex(/^\w{1,60}$/), pointer: z.string().max(500) }))
    .max(50)
    .optional(),
  /**
   * A list of `assertionSchema`. Any value is accepted, so that an entry of another program or a
   * mistake in it makes neither the request nor its file unusable; `parseAssertions` reports it.
   */
  assertions: z.json().optional(),
})
export type SavedRequest = z.infer<typeof savedRequestSchema>
