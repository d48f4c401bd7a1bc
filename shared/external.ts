export interface ExternalPorts {
  /** Shows the address to the person; false = do not open it. */
  readonly confirm: (href: string) => Promise<boolean>
  /** The way out: the operating system's own, or a new tab. False = it was not opened. */
  readonly open: (href: string) => Promise<boolean>
  /** Hears why an address was not opened; never the address, which may hold a secret. */
  readonly refused?: (reason: string) => void
}

/**
 * The address as it would be opened, or null when it must not be. Only http and https: everything else (`file:`, `smb:`,
 * `ms-msdt:`, `javascript:`) hands text from a foreign page to some program of this machine. No user name either, because
 * `https://bank.example@evil.example` is read as the wrong place.
 */
export function externalHref(text: string): string | null {
  if (text.length > 2048) return null
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return null
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null
  // Re-serialised: what was checked is what is opened, not what another parser makes of the text.
  return url.href
}

/**
 * Opens an http(s) address outside, after the person agreed; the same in both ways to run. False when it was refused by us,
 * by the person, or failed.
 */
export function createOpenExternal({ confirm, open, refused }: ExternalPorts): (url: string) => Promise<boolean> {
  // One question at a time: a page must not be able to cover the screen with them.
  let asking = false
  return async (text) => {
    const href = externalHref(text)
    if (href === null || asking) {
      refused?.(asking ? 'another question is open' : 'not http(s)')
      return false
    }
    asking = true
    try {
      if (!(await confirm(href))) return false
      return await open(href)
    } catch {
      refused?.('the system could not open it')
      return false
    } finally {
      asking = false
    }
  }
}
