import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { responseMetaSchema, readInputSchema } from './bridge.ts'
import { defineQueryMethod } from './method-definition.ts'

export const MAX_LISTED_PAGES = 16

/**
 * Requests up to `maxPages` pages of a listing in one response, read in sequence. `input` requests
 * the first page; each further request has the cursor of the page before. The maximum exists
 * because the service cannot tell how many pages the reader consumed: small pages fit into buffers
 * and would be requested from the host for nothing.
 */
export const listingRequestSchema = z.strictObject({
  id: z.string().min(1).max(80),
  input: readInputSchema,
  maxPages: z.number().int().min(1).max(MAX_LISTED_PAGES),
})
export type ListingRequest = z.infer<typeof listingRequestSchema>

/**
 * The header before each page in the response: JSON after its length in four bytes (big-endian).
 * The `byteLength` bytes that the host sent follow. `cursor` is the request's cursor, taken from
 * the page before without parsing; the reader checks it. An error ends the listing.
 */
export const listingPageHeaderSchema = z.union([
  z.strictObject({
    cursor: z.string().nullable(),
    meta: responseMetaSchema,
    byteLength: z.number().int().nonnegative(),
  }),
  z.strictObject({ cursor: z.string().nullable(), error: wireErrorSchema }),
])

/** How a worker fetches a listing without the page. The headers identify the page. */
export interface ListingAccess {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export const listingMethods = {
  /**
   * Returns the key of the desktop app's page. The transport answers this call, because only the
   * transport knows which load of the page is calling. In the browser the page already has its key.
   */
  'listing.key': defineQueryMethod(z.strictObject({}), z.string()),
}

/** Used by the desktop app and in the browser. */
export const LISTING_PATH = '/ipc/listing'
/** The header with which a page identifies itself. */
export const PAGE_ID_HEADER = 'x-bridge-inspector-page'

export const LISTING_MEDIA_TYPE = 'application/vnd.bridge-inspector.listing'
/** Large enough for the host's response headers, which make up most of a listing header. */
export const MAX_LISTING_HEADER_BYTES = 1024 * 1024
