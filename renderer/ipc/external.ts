import { host } from '#host'

/** Opens an http(s) address outside of the app. Everything else is refused before it reaches the host. */
export async function openExternal(url: string): Promise<boolean> {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return false
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return false
  return host.openExternal(parsed.href)
}
