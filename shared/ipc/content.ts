import { z } from 'zod'
import { layersParameterSchema } from '../bridge/resources/notes.ts'
import { binaryEndpointIds } from '../bridge/endpoints/index.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod } from './method-definition.ts'

/** The endpoint that returns the bytes, and its parameters; together they identify the content. */
const contentRefSchema = z.strictObject({
  endpoint: z.enum(binaryEndpointIds),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** The host may have its own name for the parameter `layers`. */
  layersName: layersParameterSchema.optional(),
})
export type ContentRef = z.infer<typeof contentRefSchema>

const openContentInputSchema = contentRefSchema.extend({
  /** The content is requested again even if the cache has it. */
  fresh: z.boolean().optional(),
})
export type OpenContentInput = z.infer<typeof openContentInputSchema>

export const MAX_SLICE_BYTES = 8 * 1024 * 1024

/** Determined from the bytes; `text` includes SVG and HTML, which are never rendered. */
const contentKinds = ['image', 'audio', 'video', 'pdf', 'text', 'binary'] as const
export type ContentKind = (typeof contentKinds)[number]

/** Known once the first bytes of the content have arrived. */
const contentFactsSchema = z.strictObject({
  /** Unguessable; valid for the page that opened it, until it is released. */
  handle: z.string(),
  kind: z.enum(contentKinds),
  /** The page receives the content with this media type. */
  mediaType: z.string(),
  /** The media type that the host declared; empty if there is none. */
  declaredType: z.string(),
  /** The declared type does not match the bytes. */
  mismatch: z.boolean(),
  /** The bytes are those that were received: they do not decode as their Content-Encoding says. */
  undecodable: z.boolean(),
  /** Total size in bytes; null until the host has declared the size or sent all bytes. */
  byteLength: z.number().nullable(),
  /** The host supports Range requests; otherwise the gateway cuts the ranges out of the whole. */
  hostRanges: z.boolean(),
  fromCache: z.boolean(),
  /** The size in pixels comes from the file; it is null if the file has or declares none. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  status: z.number(),
  /** The path includes the query as sent, but neither scheme nor host. */
  path: z.string(),
  /** Milliseconds until the first bytes arrived. */
  durationMs: z.number(),
  receivedAt: z.number(),
  epoch: z.number().int(),
  exchangeId: z.string(),
  /** Safe on every file system, with the extension of the content's true type. */
  fileName: z.string(),
})
export type ContentFacts = z.infer<typeof contentFactsSchema>

const handleInputSchema = z.strictObject({ handle: z.string().max(100) })

export const contentMethods = {
  /**
   * Starts the request (or finds it in the cache) and returns after the first bytes; the page then
   * shows `host.contentUrl(handle)`. Fails with the host's error if the response is one. Cancelling
   * ends the request to the host.
   */
  'content.open': defineQueryMethod(openContentInputSchema, contentFactsSchema),
  /** Ends a request under way. The cache may keep content that is complete. */
  'content.release': defineCommandMethod(handleInputSchema, z.strictObject({})),
  /** Returns the bytes from `start` to `end` (exclusive), at most `MAX_SLICE_BYTES`. */
  'content.slice': defineBinaryQueryMethod(
    z.strictObject({
      handle: z.string().max(100),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), total: z.number().nullable() }),
  ),
  /** Writes to a file from a dialog of the desktop app; in a browser the page saves by URL. */
  'content.save': defineCommandMethod(handleInputSchema, z.strictObject({ saved: z.boolean() })),
}
