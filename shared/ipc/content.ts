import { z } from 'zod'
import { layersParameterSchema } from '../bridge/resources/notes.ts'
import { binaryEndpointIds } from '../bridge/endpoints/index.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod } from './method-definition.ts'

/** Content to show: an endpoint that returns bytes, with its parameters. */
const contentRefSchema = z.strictObject({
  endpoint: z.enum(binaryEndpointIds),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** The host's own name for the parameter `layers`, if known. */
  layersName: layersParameterSchema.optional(),
})
export type ContentRef = z.infer<typeof contentRefSchema>

const openContentInputSchema = contentRefSchema.extend({
  /** Requests the content again instead of using the cache. */
  fresh: z.boolean().optional(),
})
export type OpenContentInput = z.infer<typeof openContentInputSchema>

/** Maximum bytes of one slice. */
export const MAX_SLICE_BYTES = 8 * 1024 * 1024

/**
 * Kind of content, judged by its bytes; `text` includes SVG and HTML, which are never rendered as
 * such.
 */
const contentKinds = ['image', 'audio', 'video', 'pdf', 'text', 'binary'] as const
export type ContentKind = (typeof contentKinds)[number]

/** An opened content: its handle, and facts known after its first bytes. */
const contentFactsSchema = z.strictObject({
  /**
   * Opaque and unguessable; valid for the page that opened it until it is released or the page
   * closes.
   */
  handle: z.string(),
  kind: z.enum(contentKinds),
  /** Media type with which the page gets it. */
  mediaType: z.string(),
  /** Media type that the host declared; empty if none. */
  declaredType: z.string(),
  /** The declared type does not match the bytes. */
  mismatch: z.boolean(),
  /** Total bytes; null until the host has said or sent all of them. */
  byteLength: z.number().nullable(),
  /** Whether the host supports Range requests; otherwise the gateway cuts the ranges. */
  hostRanges: z.boolean(),
  fromCache: z.boolean(),
  /** Size in pixels according to the file; null if it has none or does not say. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  status: z.number(),
  /** Path with query as sent, without scheme and host. */
  path: z.string(),
  /** Milliseconds until the first bytes arrived. */
  durationMs: z.number(),
  receivedAt: z.number(),
  epoch: z.number().int(),
  exchangeId: z.string(),
  /** File name that is safe on every file system, with the extension of its true type. */
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
  /** Ends a request under way; the cache may keep complete content. */
  'content.release': defineCommandMethod(handleInputSchema, z.strictObject({})),
  /** Bytes `start` to `end` (exclusive) of an opened content, at most `MAX_SLICE_BYTES`. */
  'content.slice': defineBinaryQueryMethod(
    z.strictObject({
      handle: z.string().max(100),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), total: z.number().nullable() }),
  ),
  /**
   * Writes a content to a file that the user picks in a dialog of the desktop app; in a browser the
   * page saves it through its URL.
   */
  'content.save': defineCommandMethod(handleInputSchema, z.strictObject({ saved: z.boolean() })),
}
