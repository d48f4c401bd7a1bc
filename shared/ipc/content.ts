import { z } from 'zod'
import { binaryQuery, command, query } from './define.ts'

/** What a page may ask to see: a row of the endpoint table that answers bytes, with its parameters. */
export const contentRefSchema = z.strictObject({
  endpoint: z.enum(['notes.content', 'notes.render', 'documents.pageContent', 'bundles.files']),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
})
export type ContentRef = z.infer<typeof contentRefSchema>

export const openInputSchema = contentRefSchema.extend({
  /** Asks the host again, whatever is kept of an earlier answer. */
  fresh: z.boolean().optional(),
})
export type OpenInput = z.infer<typeof openInputSchema>

/** Bytes of one slice at the most. */
export const MAX_SLICE = 8 * 1024 * 1024

/** What the bytes are, by the bytes themselves; `text` also stands for SVG and HTML, which are never rendered as such. */
export const contentKinds = ['image', 'audio', 'video', 'pdf', 'text', 'binary'] as const
export type ContentKind = (typeof contentKinds)[number]

/** A content that was opened: its handle and what is known after its first bytes. */
export const contentFactsSchema = z.strictObject({
  /** Opaque, unguessable, valid for the page that opened it until it is released or the page goes. */
  handle: z.string(),
  kind: z.enum(contentKinds),
  /** What it is sent to the page as. */
  mediaType: z.string(),
  /** What the host called it; empty where it said nothing. */
  declaredType: z.string(),
  /** The declared type does not fit the bytes: said beside it. */
  mismatch: z.boolean(),
  /** All bytes, where the host said how many or all have arrived. */
  byteLength: z.number().nullable(),
  /** Whether the host says that it answers Range requests, or was seen to; otherwise the gateway cuts the ranges. */
  hostRanges: z.boolean(),
  fromCache: z.boolean(),
  /** Pixels as the file says; null for what has none or does not say. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  status: z.number(),
  /** Path with query as sent, without scheme and host. */
  path: z.string(),
  /** Until the first bytes were here. */
  durationMs: z.number(),
  receivedAt: z.number(),
  epoch: z.number().int(),
  exchangeId: z.string(),
  /** A name for saving it: safe on every file system, with the extension of its true type. */
  fileName: z.string(),
})
export type ContentFacts = z.infer<typeof contentFactsSchema>

const handle = z.strictObject({ handle: z.string().max(100) })

export const contentMethods = {
  /**
   * Starts the request (or finds it in the cache) and answers after the first bytes; the page then shows `host.contentUrl(handle)`.
   * A host that answers an error makes this fail with that error. Cancelling ends the request to the host.
   */
  'content.open': query(openInputSchema, contentFactsSchema),
  /** The element has gone: what is under way ends, the cache may keep what is complete. */
  'content.release': command(handle, z.strictObject({})),
  /** Bytes `start` to `end` (exclusive) of an opened content, for viewers that take bytes (PDF, text, waveform, copy); at most `MAX_SLICE` at once. */
  'content.slice': binaryQuery(
    z.strictObject({
      handle: z.string().max(100),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), total: z.number().nullable() }),
  ),
  /** Writes a content to a file that the person chooses in a dialog of the desktop app; in a browser the page saves by its URL. */
  'content.save': command(handle, z.strictObject({ saved: z.boolean() })),
}
