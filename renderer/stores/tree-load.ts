import { AppError } from '../../shared/errors.ts'
import type { AnswerMeta } from '../../shared/ipc/bridge.ts'
import { call } from '../ipc/call.ts'
import type { TreeChunk } from '../../shared/tree/chunk.ts'
import type { TreeHead } from '../workers/tree-protocol.ts'
import type { TreeWorker } from '../workers/tree-client.ts'

/** Which listing: a study set, perhaps one sub-map of it, in the host's order or sorted by document (spec §4 card listing). */
export interface TreeKey {
  readonly topicid: string
  readonly root: string
  readonly sort: '' | 'document'
  readonly pageSize: number
}

/** Where a page of the listing came from. */
export interface PageOrigin {
  readonly number: number
  /** Cursor it was asked for with; null = the first. */
  readonly cursor: string | null
  readonly meta: AnswerMeta
  readonly count: number
}

export interface LoadSteps {
  onHead(head: TreeHead, meta: AnswerMeta): void
  onChunk(chunk: TreeChunk, origin: PageOrigin): void
}

export interface LoadResult {
  /** A cursor came back that had been followed before: the rest cannot be reached. */
  readonly looped: boolean
}

/** Failed on the way; `cursor` is where to go on. */
export class LoadStopped extends Error {
  readonly reason: AppError
  readonly cursor: string | null

  constructor(reason: AppError, cursor: string | null) {
    super(reason.message)
    this.reason = reason
    this.cursor = cursor
  }
}

/**
 * Follows the cursors of a listing from `cursor` to the end. The next page is asked for as soon as this one's cursor is known,
 * while its nodes are still being read. Throws `LoadStopped`.
 */
export async function loadPages(
  worker: TreeWorker,
  key: TreeKey,
  from: string | null,
  firstNumber: number,
  steps: LoadSteps,
  signal: AbortSignal,
): Promise<LoadResult> {
  const seen = new Set<string>()
  let cursor = from
  let number = firstNumber
  let reading: Promise<void> = Promise.resolve()
  for (;;) {
    try {
      const { meta, bytes } = await call('bridge.read', request(key, cursor), { signal })
      const { head, chunk } = worker.page(bytes)
      const found = await head.catch((error: unknown) => Promise.reject(malformed(error, meta)))
      steps.onHead(found, meta)
      const at = { cursor, number, meta }
      reading = chunk.then((nodes) => steps.onChunk(nodes, { ...at, count: nodes.count }))
      number += 1
      if (found.nextCursor === null) {
        await reading
        return { looped: false }
      }
      if (seen.has(found.nextCursor)) {
        await reading
        return { looped: true }
      }
      seen.add(found.nextCursor)
      cursor = found.nextCursor
    } catch (error) {
      await reading.catch(() => undefined)
      throw new LoadStopped(asError(error), cursor)
    }
  }
}

function request({ topicid, root, sort, pageSize }: TreeKey, cursor: string | null) {
  return {
    endpoint: 'studySets.tree',
    params: { topicid },
    query: {
      limit: pageSize,
      ...(root === '' ? {} : { root }),
      ...(sort === '' ? {} : { sort }),
      ...(cursor === null ? {} : { cursor }),
    },
  }
}

function malformed(error: unknown, meta: AnswerMeta): AppError {
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

function asError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new AppError({ kind: 'internal', code: 'INTERNAL', message, retryable: true })
}
