interface ExternalPorts {
  /** Shows the address to the user; false means do not open it. */
  readonly confirm: (href: string) => Promise<boolean>
  /** False if opening failed. */
  readonly open: (href: string) => Promise<boolean>
  /** Called with the reason; never with the address, which may hold a secret. */
  readonly onRefused?: (reason: string) => void
}

/**
 * Returns the address as it would be opened, or null if it must not be. Only http and https: other
 * schemes (`file:`, `smb:`, `ms-msdt:`, `javascript:`) pass foreign text to a program on this
 * machine. No user name, because `https://bank.example@evil.example` is misread.
 * @see
 *   https://www.electronjs.org/docs/latest/tutorial/security#15-do-not-use-shellopenexternal-with-untrusted-content
 */
export function toExternalHref(text: string): string | null {
  if (text.length > 2048) return null
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null
  // The parsed URL is serialised again, so that exactly what was checked is opened.
  return url.href
}

/** Asks the user first. The function resolves with false if that was refused or failed. */
export function createExternalOpener({ confirm, open, onRefused }: ExternalPorts): (url: string) => Promise<boolean> {
  // Only one question is open at a time, so that a page cannot cover the screen with them.
  let isAsking = false
  return async (text) => {
    const href = toExternalHref(text)
    if (href === null || isAsking) {
      onRefused?.(isAsking ? 'another question is open' : 'not http(s)')
      return false
    }
    isAsking = true
    try {
      if (!(await confirm(href))) return false
      return await open(href)
    } catch {
      onRefused?.('the system could not open it')
      return false
    } finally {
      isAsking = false
    }
  }
}
