import { host } from '#host'

/** The desktop's main process asks the person itself, in a dialog of the system; in a browser the page must. */
export const mustAsk = host.kind === 'browser'

/** Leads out to a checked http(s) address; false when it was refused there. */
export const openOutside = (href: string): Promise<boolean> => host.openExternal(href)
