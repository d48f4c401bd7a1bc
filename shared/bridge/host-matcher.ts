/**
 * Returns a predicate for records of the host at this normalised base URL. Records of earlier
 * versions hold only the origin. Call it once for many records, because it parses the address.
 */
export function createHostMatcher(baseUrl: string): (host: string) => boolean {
  const { origin } = new URL(baseUrl)
  return (host) => host === baseUrl || host === origin
}
