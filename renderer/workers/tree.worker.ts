import { config } from 'zod'
import type { ReadInput, ResponseMeta } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import { HandedOver, type WorkerCall } from '../../shared/workers/worker-methods.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { ListingReader } from './listing-reader.ts'
import { servePage } from './serve-page.ts'
import { UnknownNodesError, type TreePageHeader } from './tree-protocol.ts'
import { TreeSession } from './tree-session.ts'

config({ jitless: true })

let session = new TreeSession('')
let listing = new ListingReader()

/** `meta` comes when the bytes of a fetched page have arrived, `head` once they are parsed. */
type PagePart =
  | { readonly meta: ResponseMeta }
  | { readonly head: TreePageHeader }
  /** The page, if the shape of its nodes is not known. */
  | { readonly unreadBytes: ArrayBuffer }

/** `input` is the request for the first page of the listing. */
interface PageRequest {
  readonly access: ListingAccess
  readonly id: string
  readonly input: ReadInput
  readonly cursor: string | null
}

function addPage(bytes: ArrayBuffer, { report }: WorkerCall<PagePart>): HandedOver<TreeChunk> {
  const chunk = readPage(bytes, report)
  const { parents, uuids, titles, titleEnds, flags, docPages, docBooks, resolvedParents } = chunk
  const columns = [parents, uuids, titles, titleEnds, flags, docPages, docBooks, resolvedParents]
  return new HandedOver(
    chunk,
    columns.map(({ buffer }) => buffer),
  )
}

function readPage(bytes: ArrayBuffer, report: WorkerCall<PagePart>['report']): TreeChunk {
  try {
    // The header is sent first, so that the next page can be requested while this page is read.
    return session.addPage(bytes, (head) => report({ head }))
  } catch (error) {
    if (error instanceof UnknownNodesError) report({ unreadBytes: error.bytes }, [error.bytes])
    throw error
  }
}

const methods = {
  open({ root, topicid }: { readonly root: string; readonly topicid: string }) {
    session = new TreeSession(root, topicid, session)
    listing.close()
    listing = new ListingReader()
  },
  addPage,
  async fetchPage({ access, id, input, cursor }: PageRequest, call: WorkerCall<PagePart>) {
    const { meta, bytes } = await listing.readPage(access, id, input, cursor)
    call.report({ meta })
    return addPage(bytes, call)
  },
  stopFetching(isImmediate: boolean) {
    if (isImmediate) listing.close()
    else void listing.finish()
  },
  search({ text, limit }: { readonly text: string; readonly limit: number }) {
    const matches = session.search(text, limit)
    return new HandedOver(matches, [matches.buffer])
  },
  /** The index of each card, or -1 where the tree does not contain it. */
  findIndexes(noteids: readonly string[]) {
    const indexes = Int32Array.from(noteids, (noteid) => session.indexOf(noteid))
    return new HandedOver(indexes, [indexes.buffer])
  },
  getNodeSource: (index: number) => session.getNodeSource(index),
  /** Returns the index of a card that was renamed, or -1 if the tree does not contain it. */
  setTitle: ({ noteid, title }: { readonly noteid: string; readonly title: string }) => session.setTitle(noteid, title),
  prepareSearch: (page: number) => session.prepareSearch(page),
  auditPage: (page: number) => session.auditPage(page),
}

export type TreeMethods = typeof methods

servePage(methods)
