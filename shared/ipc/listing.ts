import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { responseMetaSchema, readInputSchema } from './bridge.ts'
import { defineQueryMethod } from './method-definition.ts'

/** Pages in one answer. */
export const MAX_LISTED_PAGES = 16

/**
 * Up to `most` pages of a listing, read one after the other, in one answer. `input` asks for the first; each further one has the cursor of the
 * page before. The service cannot tell how many of them were read: a few tiny pages fit into the buffers on the way, and would be asked of
 * the host for nothing when the reader stops.
 */
export const listingRequestSchema = z.strictObject({
  id: z.string().min(1).max(80),
  input: readInputSchema,
  most: z.number().int().min(1).max(MAX_LISTED_PAGES),
})
export type ListingRequest = z.infer<typeof listingRequestSchema>

/**
 * What stands in front of each page in that answer, as JSON after four bytes with its length (big-endian); `byteLength` bytes follow, as the
 * host sent them. `cursor` is what the page was asked for with, taken from the page before without parsing: whoever parses that page
 * checks it. An error ends the listing.
 */
export const listingPageHeaderSchema = z.union([
  z.strictObject({
    cursor: z.string().nullable(),
    meta: responseMetaSchema,
    byteLength: z.number().int().nonnegative(),
  }),
  z.strictObject({ cursor: z.string().nullable(), error: wireErrorSchema }),
])

/** Where a worker asks for a listing by itself, and with which headers; they identify the page. */
export interface ListingAccess {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export const listingMethods = {
  /**
   * The key with which this load of the page asks for listings where its sender cannot be seen: on
   * the scheme of the desktop app. It ends with the load. The browser host's page uses its session.
   */
  'listing.key': defineQueryMethod(z.strictObject({}), z.string()),
}

/** Where it is asked for, in both hosts. */
export const LISTING_PATH = '/ipc/listing'
/** The header with which a page identifies itself. */
export const PAGE_ID_HEADER = 'x-bridge-inspector-page'

/** The media type of the answer. */
export const LISTING_MEDIA_TYPE = 'application/vnd.bridge-inspector.listing'
/** No head is longer: its largest part are headers of the host's answer. */
export const MAX_LISTING_HEADER_BYTES = 1024 * 1024
