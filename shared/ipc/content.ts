import { z } from 'zod'
import { layersParameterSchema } from '../bridge/resources/notes.ts'
import { binaryEndpointIds } from '../bridge/endpoints/index.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod } from './method-definition.ts'

/** What a page may ask to see: an endpoint that returns bytes, with its parameters. */
const contentRefSchema = z.strictObject({
  endpoint: z.enum(binaryEndpointIds),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** The host's own name for the parameter `layers`, where it is known. */
  layersName: layersParameterSchema.optional(),
})
export type ContentRef = z.infer<typeof contentRefSchema>

const openContentInputSchema = contentRefSchema.extend({
  /** Asks the host again, whatever is kept of an earlier answer. */
  fresh: z.boolean().optional(),
})
export type OpenContentInput = z.infer<typeof openContentInputSchema>

/** Maximum bytes of one slice. */
export const MAX_SLICE_BYTES = 8 * 1024 * 1024

/** What the content is, judged by its bytes; `text` includes SVG and HTML, which are never rendered as such. */
const contentKinds = ['image', 'audio', 'video', 'pdf', 'text', 'binary'] as const
export type ContentKind = (typeof contentKinds)[number]

/** An opened content: its handle and what is known after its first bytes. */
const contentFactsSchema = z.strictObject({
  /** Opaque and unguessable; valid for the page that opened it until it is released or the page goes. */
  handle: z.string(),
  kind: z.enum(contentKinds),
  /** The type that it is sent to the page as. */
  mediaType: z.string(),
  /** What the host called it; empty if it said nothing. */
  declaredType: z.string(),
  /** The declared type does not match the bytes; this is shown next to it. */
  mismatch: z.boolean(),
  /** The total, if the host said how many bytes there are or all have arrived. */
  byteLength: z.number().nullable(),
  /** Whether the host says that it supports Range requests, or was seen to; otherwise the gateway cuts the ranges. */
  hostRanges: z.boolean(),
  fromCache: z.boolean(),
  /** Size in pixels according to the file; null if it has none or does not say. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  status: z.number(),
  /** Path with query as sent, without scheme and host. */
  path: z.string(),
  /** Until the first bytes arrived. */
  durationMs: z.number(),
  receivedAt: z.number(),
  epoch: z.number().int(),
  exchangeId: z.string(),
  /** A name for saving it: safe on every file system, with the extension of its true type. */
  fileName: z.string(),
})
export type ContentFacts = z.infer<typeof contentFactsSchema>

const handleInputSchema = z.strictObject({ handle: z.string().max(100) })

export const contentMethods = {
  /**
   * Starts the request (or finds it in the cache) and returns after the first bytes; the page then shows `host.contentUrl(handle)`. Fails
   * with the host's error if it answers with one. Cancelling ends the request to the host.
   */
  'content.open': defineQueryMethod(openContentInputSchema, contentFactsSchema),
  /** The element is gone: what is under way ends, and the cache may keep what is complete. */
  'content.release': defineCommandMethod(handleInputSchema, z.strictObject({})),
  /**
   * Bytes `start` to `end` (exclusive) of an opened content, for viewers that need bytes (PDF, text, waveform, copy); at most `MAX_SLICE`
   * at once.
   */
  'content.slice': defineBinaryQueryMethod(
    z.strictObject({
      handle: z.string().max(100),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), total: z.number().nullable() }),
  ),
  /** Writes a content to a file that the user picks in a dialog of the desktop app; in a browser the page saves it through its URL. */
  'content.save': defineCommandMethod(handleInputSchema, z.strictObject({ saved: z.boolean() })),
}
