/** Limits in the contract (spec §8, observed-0.49), used if the capabilities give no others. */
export const documentedLimits = {
  /** Nodes in one response of the card listing. */
  treeLimit: { min: 1, max: 5000, default: 5000 },
  /** Longest edge of an image in pixels. */
  maxEdge: { min: 64, max: 4096, default: 2048 },
  /** Ids in one request to `POST /notes/batch-get`. */
  batchNoteIds: 200,
  /** Ids in one call that moves, copies or deletes cards, over all its batches. */
  branchNoteIds: 50,
  /** Tags in one request. */
  hashtags: 100,
  /** Masks on one image. */
  masks: 200,
  /** Cards that one call adds to a deck. */
  deckCards: 50,
  /** Pages in one `GET /documents/{id}/pages` or `/toc-candidates`, and in a bundle's segments. */
  documentPages: 60,
  /** Width of a rendered card in pixels. */
  renderWidth: { min: 320, max: 1200, default: 720 },
  /** Events in one `GET /sync/legacy/events`. */
  syncEvents: { min: 1, max: 200, default: 50 },
} as const
