import { host } from '#host'

/** Which of the two ways the page runs in. */
export const hostKind = host.kind

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
