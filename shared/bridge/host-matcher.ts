/**
 * Returns a function that tells whether a record's host is the one at this base URL (normalised, as profiles keep it). Records of earlier
 * versions name only its origin. Made once for many records, so that the address is parsed only once.
 */
export function createHostMatcher(baseUrl: string): (host: string) => boolean {
  const { origin } = new URL(baseUrl)
  return (host) => host === baseUrl || host === origin
}
