/**
 * The contract names these limits (spec §8, observed-0.49). They are only defaults, because a
 * host's capabilities may say otherwise.
 */
export const documentedLimits = {
  /** This is the number of nodes in one response of the card listing. */
  treeLimit: { min: 1, max: 5000, default: 5000 },
  /** This is the longest edge of an image in pixels. */
  maxEdge: { min: 64, max: 4096, default: 2048 },
  /** This is the number of ids in one `POST /notes/batch-get`. */
  batchNoteIds: 200,
  /**
   * This is the number of ids in one call that moves, copies or deletes cards, over all its
   * batches.
   */
  branchNoteIds: 50,
  /** This is the number of hashtags in one call. */
  hashtags: 100,
  /** This is the number of masks of one image. */
  masks: 200,
  /** This is the number of cards that one call adds to a deck. */
  deckCards: 50,
  /**
   * This is the number of pages in one `GET /documents/{id}/pages` or `/toc-candidates`, and in all
   * segments of one bundle.
   */
  documentPages: 60,
  /** This is the width of a rendered card in pixels. */
  renderWidth: { min: 320, max: 1200, default: 720 },
  /** This is the number of events in one `GET /sync/legacy/events`. */
  syncEvents: { min: 1, max: 200, default: 50 },
} as const
