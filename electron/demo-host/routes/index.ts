/**
 * The demo host's routes, one file per area of the endpoint table.
 * Admission, parsing and faults are in `../request-handler.ts`.
 * Read this file first, then `../state/context.ts` for the parameters of a route.
 */
import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import type { DemoRoute } from '../state/context.ts'
import { bundleRoutes } from './bundles.ts'
import { cardMoveRoutes } from './card-moves.ts'
import { cardRemovalRoutes } from './card-removals.ts'
import { cardTextRoutes, cardWriteRoutes } from './card-writes.ts'
import { tocRoutes } from './toc.ts'
import { deckRoutes } from './decks.ts'
import { documentRoutes } from './documents.ts'
import { hashtagRoutes } from './hashtags.ts'
import { libraryRoutes } from './library.ts'
import { noteRoutes } from './notes.ts'
import { occlusionRoutes } from './occlusions.ts'
import { printRoutes } from './printing.ts'
import { searchRoutes } from './search.ts'
import { setupRoutes } from './setup.ts'
import { snapshotRoutes } from './snapshots.ts'
import { stateRoutes, syncRoutes } from './state.ts'
import { studySetRoutes } from './study-sets.ts'
import { bundleImportRoutes } from './bundle-imports.ts'
import { treeRoutes } from './tree.ts'

/** All routes except `status.get` and `pair.post`, which the request handler itself serves. */
export const demoRoutes: Readonly<Record<Exclude<EndpointId, 'status.get' | 'pair.post'>, DemoRoute>> = {
  ...stateRoutes,
  ...setupRoutes,
  ...libraryRoutes,
  ...studySetRoutes,
  ...snapshotRoutes,
  ...printRoutes,
  ...treeRoutes,
  ...hashtagRoutes,
  ...deckRoutes,
  ...documentRoutes,
  ...tocRoutes,
  ...searchRoutes,
  ...bundleRoutes,
  ...bundleImportRoutes,
  ...syncRoutes,
  ...noteRoutes,
  ...cardWriteRoutes,
  ...cardTextRoutes,
  ...cardMoveRoutes,
  ...cardRemovalRoutes,
  ...occlusionRoutes,
}
