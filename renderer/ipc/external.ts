import { host } from '#host'

/** On the desktop, the main process asks in a system dialog; in a browser, the page must ask. */
export const mustAsk = host.kind === 'browser'

/** Opens a checked http(s) address outside; returns false if it was refused there. */
export const openOutside = (href: string): Promise<boolean> => host.openExternal(href)
