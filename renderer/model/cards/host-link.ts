/**
 * The address that opens a card in the host's app (observed-0.49). It is only copied, never opened
 * from here.
 */
export const buildHostLink = (noteid: string): string => `marginnote4app://note/${encodeURIComponent(noteid)}`
