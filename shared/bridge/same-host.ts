/**
 * Asks of the host of a record whether it is the one at this base URL (normalised, as profiles keep it). Records of earlier versions name
 * its origin alone. Made once for many records: an address is taken apart once.
 */
export function hostAt(baseUrl: string): (host: string) => boolean {
  const { origin } = new URL(baseUrl)
  return (host) => host === baseUrl || host === origin
}
