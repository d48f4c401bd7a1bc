import { config } from 'zod'
import type { TreeReply, TreeRequest } from './tree-protocol.ts'
import { TreeSession } from './tree-session.ts'

config({ jitless: true })

let session = new TreeSession('')

const post = (reply: TreeReply, transfer: Transferable[] = []): void => {
  postMessage(reply, { transfer })
}

onmessage = ({ data }: MessageEvent<TreeRequest>) => {
  try {
    answer(data)
  } catch (error) {
    post({ seq: data.seq, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

function answer(request: TreeRequest): void {
  const { seq } = request
  switch (request.task) {
    case 'open':
      session = new TreeSession(request.root)
      post({ seq, kind: 'done' })
      break
    case 'page': {
      // The head goes first, so that the next page can be requested while this one is still being read.
      const chunk = session.add(request.bytes, (head) => post({ seq, kind: 'head', head }))
      const { parents, uuids, titles, titleEnds, flags, docPages, resolved } = chunk
      post(
        { seq, kind: 'chunk', chunk },
        [parents, uuids, titles, titleEnds, flags, docPages, resolved].map(({ buffer }) => buffer),
      )
      break
    }
    case 'search': {
      const matches = session.search(request.text, request.limit)
      post({ seq, kind: 'matches', matches }, [matches.buffer])
      break
    }
    case 'indexOf':
      post({ seq, kind: 'index', index: session.indexOf(request.noteid) })
      break
    case 'source':
      post({ seq, kind: 'source', text: session.source(request.index) })
      break
    case 'retitle':
      post({ seq, kind: 'index', index: session.retitle(request.noteid, request.title) })
      break
    case 'audit':
      post({ seq, kind: 'audit', ...session.audit(request.page) })
      break
  }
}
