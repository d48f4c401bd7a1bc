/** The channels between page and service process. Bundled into the preload, hence without zod. */
export const CALL_CHANNEL = 'bridge-inspector:call'
export const CANCEL_CHANNEL = 'bridge-inspector:cancel'
export const EVENT_CHANNEL = 'bridge-inspector:event'
