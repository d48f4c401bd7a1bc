import { host } from '#host'
import { fromWire } from '../../shared/errors.ts'
import { isObject } from '../../shared/json/object.ts'
import type { ListingDoor } from '../../shared/ipc/listing.ts'

/**
 * The way in for a worker that reads a listing; null where it is read by calls. `refused` is one that was refused as outdated. Throws
 * `AppError` if this page is not let in any more.
 */
export async function listingDoor(refused?: ListingDoor): Promise<ListingDoor | null> {
  try {
    return await host.listingDoor(refused)
  } catch (error) {
    throw fromWire(isObject(error) ? error['error'] : null)
  }
}
