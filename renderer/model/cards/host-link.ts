/** The address in the host's app (observed-0.49), which is copied and never opened. */
export function buildHostLink(noteid: string): string {
  return `marginnote4app://note/${encodeURIComponent(noteid)}`
}
