import { limits } from '../../../shared/bridge/endpoints/limits.ts'
import type { Routes } from '../context.ts'
import { json } from '../reply.ts'

/** Diagnostics of the older synchronisation (observed §10): none of them writes user data. */
export const syncRoutes = {
  'sync.status': ({ sync }) =>
    json({
      cloudKit: { state: 'idle', pending: 0, errorCount: 2, suspensionErrorCount: 0, suspensionNeedsAttention: false },
      documents: { state: 'idle', pending: 0 },
      diagnostic: { lastSequence: sync.last },
    }),

  'sync.events': ({ sync }, { query }) =>
    json(sync.page(Number(query['afterSequence'] ?? 0), Number(query['limit'] ?? limits.syncEvents.default))),

  'sync.recheck'({ sync }, { body }) {
    const lanes = ['database', 'documents'].filter((lane) => body[lane] !== false)
    return json({
      accepted: true,
      ...sync.start(lanes.flatMap((lane) => [`recheck-${lane}-begun`, `recheck-${lane}-ended`])),
    })
  },

  'sync.inventory': ({ sync }) =>
    json({
      accepted: true,
      observeOnly: true,
      ...sync.start(['inventory-begun', 'inventory-observed', 'inventory-ended']),
    }),
} satisfies Routes
