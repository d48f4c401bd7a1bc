/**
 * The three channels between the page and the service process. This file must not import zod,
 * because it is bundled into the preload.
 */
export const CALL_CHANNEL = 'bridge-inspector:call'
export const CANCEL_CHANNEL = 'bridge-inspector:cancel'
export const EVENT_CHANNEL = 'bridge-inspector:event'
