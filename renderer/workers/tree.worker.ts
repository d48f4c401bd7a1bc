import { config } from 'zod'
import { AppError, toWireError } from '../../shared/errors.ts'
import { ListingAccessExpiredError, ListingReader } from './listing-reader.ts'
import { UnknownNodesError, type TreeReply, type TreeRequest } from './tree-protocol.ts'
import { TreeSession } from './tree-session.ts'

config({ jitless: true })

let session = new TreeSession('')
let listing = new ListingReader()

const post = (reply: TreeReply, transfer: Transferable[] = []): void => {
  postMessage(reply, { transfer })
}

onmessage = ({ data }: MessageEvent<TreeRequest>) => {
  try {
    handleRequest(data)
  } catch (error) {
    fail(data.seq, error)
  }
}

function fail(seq: number, error: unknown): void {
  if (error instanceof UnknownNodesError) return post({ seq, kind: 'unknown', bytes: error.bytes }, [error.bytes])
  post({ seq, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
}

async function replyLater(seq: number, reply: () => Promise<TreeReply>): Promise<void> {
  try {
    post(await reply())
  } catch (error) {
    fail(seq, error)
  }
}

async function fetchPage({ seq, access, id, input, cursor }: Extract<TreeRequest, { task: 'fetch' }>): Promise<void> {
  try {
    const { meta, bytes } = await listing.readPage(access, id, input, cursor)
    post({ seq, kind: 'arrived', meta })
    add(seq, bytes)
  } catch (error) {
    if (error instanceof ListingAccessExpiredError) post({ seq, kind: 'unfetched', error: 'outdated' })
    else if (error instanceof AppError) post({ seq, kind: 'unfetched', error: toWireError(error) })
    else fail(seq, error)
  }
}

function add(seq: number, bytes: ArrayBuffer): void {
  // The header is sent first, so that the next page can be requested while this page is read.
  const chunk = session.addPage(bytes, (head) => post({ seq, kind: 'head', head }))
  const { parents, uuids, titles, titleEnds, flags, docPages, docBooks, resolvedParents } = chunk
  post(
    { seq, kind: 'chunk', chunk },
    [parents, uuids, titles, titleEnds, flags, docPages, docBooks, resolvedParents].map(({ buffer }) => buffer),
  )
}

function handleRequest(request: TreeRequest): void {
  const { seq } = request
  switch (request.task) {
    case 'open':
      session = new TreeSession(request.root, request.topicid)
      listing.close()
      listing = new ListingReader()
      post({ seq, kind: 'done' })
      break
    case 'page':
      add(seq, request.bytes)
      break
    case 'fetch':
      void fetchPage(request)
      break
    case 'stopFetching':
      if (request.isImmediate) listing.close()
      else void listing.finish()
      post({ seq, kind: 'done' })
      break
    case 'search': {
      const matches = session.search(request.text, request.limit)
      post({ seq, kind: 'matches', matches }, [matches.buffer])
      break
    }
    case 'indexesOf': {
      const indexes = Int32Array.from(request.noteids, (noteid) => session.indexOf(noteid))
      post({ seq, kind: 'indexes', indexes }, [indexes.buffer])
      break
    }
    case 'source':
      void replyLater(seq, async () => ({ seq, kind: 'source', text: await session.getNodeSource(request.index) }))
      break
    case 'retitle':
      post({ seq, kind: 'index', index: session.setTitle(request.noteid, request.title) })
      break
    case 'prepare':
      session.prepareSearch(request.page)
      post({ seq, kind: 'done' })
      break
    case 'audit':
      void replyLater(seq, async () => ({ seq, kind: 'audit', ...(await session.auditPage(request.page)) }))
      break
  }
}
