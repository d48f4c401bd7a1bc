/** Names of the three doors between page and service process. Free of zod, because the preload is bundled with it. */
export const CALL_CHANNEL = 'bridge-inspector:call'
export const CANCEL_CHANNEL = 'bridge-inspector:cancel'
export const EVENT_CHANNEL = 'bridge-inspector:event'
