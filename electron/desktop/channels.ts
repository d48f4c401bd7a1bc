/** Names of the three channels between page and service process. Kept free of zod, because the preload is bundled with this file. */
export const CALL_CHANNEL = 'bridge-inspector:call'
export const CANCEL_CHANNEL = 'bridge-inspector:cancel'
export const EVENT_CHANNEL = 'bridge-inspector:event'
