/** The address at which the host's own app opens a card (observed-0.49). It is copied, never opened from here. */
export const buildHostLink = (noteid: string): string => `marginnote4app://note/${encodeURIComponent(noteid)}`
