import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { responseMetaSchema, readInputSchema } from './bridge.ts'
import { defineQueryMethod } from './method-definition.ts'

/** Maximum pages in one response. */
export const MAX_LISTED_PAGES = 16

/**
 * Up to `most` pages of a listing in one response, read in sequence. `input` requests the first
 * page; each further request has the cursor of the page before. The maximum exists because the
 * service cannot tell how many pages the reader consumed: small pages fit into buffers and would
 * be requested from the host for nothing.
 */
export const listingRequestSchema = z.strictObject({
  id: z.string().min(1).max(80),
  input: readInputSchema,
  most: z.number().int().min(1).max(MAX_LISTED_PAGES),
})
export type ListingRequest = z.infer<typeof listingRequestSchema>

/**
 * Header of each page in the response: JSON after its length in four bytes (big-endian);
 * `byteLength` bytes follow as the host sent them. `cursor` is the request's cursor, taken from
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

/**
 * URL and headers with which a worker fetches a listing by itself; the headers identify the page.
 */
export interface ListingAccess {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export const listingMethods = {
  /**
   * Method by which the desktop app's page gets its key. The transport replies to it, because
   * only the transport knows which load of the page is calling. In the browser the page has its
   * key already.
   */
  'listing.key': defineQueryMethod(z.strictObject({}), z.string()),
}

/** Path of listings in both modes of the app. */
export const LISTING_PATH = '/ipc/listing'
/** The header with which a page identifies itself. */
export const PAGE_ID_HEADER = 'x-bridge-inspector-page'

/** The media type of the response. */
export const LISTING_MEDIA_TYPE = 'application/vnd.bridge-inspector.listing'
/** Headers of the host's response are its largest part. */
export const MAX_LISTING_HEADER_BYTES = 1024 * 1024
