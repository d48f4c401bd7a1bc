import { CursorTrail } from '../../shared/bridge/listing-cursor.ts'
import { AppError } from '../../shared/errors.ts'
import type { ResponseMeta } from '../../shared/ipc/bridge.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { UnknownNodesError, type TreePageHeader } from '../workers/tree-protocol.ts'
import type { TreeWorker } from '../workers/tree-client.ts'
import { createUnknownShapeError } from './host-read.ts'
import { TreePages, type TreeKey } from './tree-pages.ts'

export type { TreeKey }

/** Facts about the whole listing, collected while its pages are read. */
export interface TreeFlags {
  readonly walkLimitReached: boolean
  /** True if the host called the last page incomplete but gave no cursor to continue. */
  readonly isTruncated: boolean
  readonly hasCursorLoop: boolean
  readonly hasMixedEpochs: boolean
  /** True if the host confirms that the listing is in document order. */
  readonly isSortConfirmed: boolean
}

export const initialTreeFlags: TreeFlags = {
  walkLimitReached: false,
  isTruncated: false,
  hasCursorLoop: false,
  hasMixedEpochs: false,
  isSortConfirmed: false,
}

export interface PageOrigin {
  readonly pageNumber: number
  /** The cursor with which the page was requested; null for the first page. */
  readonly cursor: string | null
  readonly meta: ResponseMeta
  readonly count: number
}

interface LoadSteps {
  onHead(head: TreePageHeader, meta: ResponseMeta): void
  onChunk(chunk: TreeChunk, origin: PageOrigin): void
}

/** Limits after which the user is asked whether to continue. */
interface LoadBudget {
  readonly cards: number
  /** Consecutive pages without a card. */
  readonly emptyPages: number
}

/** Each page costs a request and stays in memory, whatever it contains. */
const MAX_PAGES = 20_000
const MAX_BYTES = 1024 * 1024 * 1024

export type TreePauseReason = 'cards' | 'emptyPages' | 'pages' | 'bytes'

type LoadResult =
  | { readonly kind: 'whole' }
  /** The host repeated a cursor, so the remaining cards cannot be read. */
  | { readonly kind: 'looped' }
  | { readonly kind: 'paused'; readonly reason: TreePauseReason; readonly cursor: string }
  /** Reading failed or was cancelled. It can continue at `cursor`. */
  | { readonly kind: 'failed'; readonly error: AppError; readonly cursor: string | null }

function trackBudget({ cards, emptyPages }: LoadBudget) {
  const read = { cards: 0, empty: 0, pages: 0, bytes: 0 }
  return {
    /** Counts a page. Returns the reason to stop after it, or null to continue. */
    after(count: number, bytes: number): TreePauseReason | null {
      read.cards += count
      read.empty = count === 0 ? read.empty + 1 : 0
      read.pages += 1
      read.bytes += bytes
      if (read.empty >= emptyPages) return 'emptyPages'
      if (read.cards >= cards) return 'cards'
      if (read.pages >= MAX_PAGES) return 'pages'
      return read.bytes >= MAX_BYTES ? 'bytes' : null
    },
  }
}

/**
 * Follows the cursors of a listing from `from` to the end, or until the budget is used up, because
 * a host may send cursors forever. The next page is requested while the nodes of the current one
 * are still being linked; the service process has usually fetched it by then.
 */
export async function loadTreePages(
  worker: TreeWorker,
  key: TreeKey,
  from: string | null,
  firstNumber: number,
  budget: LoadBudget,
  steps: LoadSteps,
  signal: AbortSignal,
): Promise<LoadResult> {
  const pages = new TreePages(worker, key, signal)
  try {
    return await followCursors(pages, from, firstNumber, budget, steps)
  } finally {
    pages.close()
  }
}

async function followCursors(
  pages: TreePages,
  from: string | null,
  firstNumber: number,
  budget: LoadBudget,
  steps: LoadSteps,
): Promise<LoadResult> {
  const trail = new CursorTrail(from)
  const budgetTracker = trackBudget(budget)
  let cursor = from
  let number = firstNumber
  let reading: Promise<void> = Promise.resolve()
  for (;;) {
    try {
      const { meta, head, chunk } = await pages.fetchPage(cursor, reading)
      const header: TreePageHeader = await head.catch((error: unknown) => Promise.reject(createPageError(error, meta)))
      steps.onHead(header, meta)
      const origin = { cursor, pageNumber: number, meta }
      reading = chunk.then((nodes) => steps.onChunk(nodes, { ...origin, count: nodes.count }))
      number += 1
      const { nextCursor } = header
      const reason = budgetTracker.after(header.entryCount, meta.byteLength)
      const step = trail.follow(nextCursor)
      if (nextCursor === null || step !== 'next' || reason !== null) {
        await reading
        if (nextCursor === null) return { kind: 'whole' }
        return step === 'looped' || reason === null
          ? { kind: 'looped' }
          : { kind: 'paused', reason, cursor: nextCursor }
      }
      cursor = nextCursor
    } catch (error) {
      await reading.catch(() => undefined)
      return { kind: 'failed', error: toTreeError(error), cursor }
    }
  }
}

function createPageError(error: unknown, meta: ResponseMeta): AppError {
  if (error instanceof UnknownNodesError) return createUnknownShapeError(meta, error.bytes)
  const reason = error instanceof Error ? error.message : String(error)
  return new AppError({
    kind: 'malformed',
    code: 'TREE_PAGE_MALFORMED',
    message: `A page of the tree could not be read: ${reason}.`,
    retryable: true,
    exchangeId: meta.exchangeId,
    params: { reason },
  })
}

function toTreeError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new AppError({ kind: 'internal', code: 'INTERNAL', message, retryable: true })
}
