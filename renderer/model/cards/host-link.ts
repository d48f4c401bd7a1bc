/**
 * Builds the address that opens the card in the host's app (observed-0.49). The page only copies
 * the address and never opens it.
 */
export function buildHostLink(noteid: string): string {
  return `marginnote4app://note/${encodeURIComponent(noteid)}`
}
