/** Whether a request for an update may go there: over TLS, or to this machine. */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Whether updates may be looked for there. The address is a folder: with a query, a fragment or a password it would be something else, and
 * would carry what does not belong into a settings file.
 */
export function isFeedUrl(text: string): boolean {
  if (!isSafeAddress(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
