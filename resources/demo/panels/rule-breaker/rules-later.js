/* Rules that are broken by what does not follow: the inspector says so half a minute later. */
import { commit, must, newId, send } from './scene.js'

async function notPolled(scene) {
  must(await commit(scene, newId(), newId(), scene.card(0)))
}

async function stoppedPaging({ listed, tree }) {
  must(await tree(listed, '?limit=2'))
}

async function incompleteThenWrite({ written, tree }) {
  const { nodes } = must(await tree(written, '?limit=2'))
  must(await send(`/notes/${nodes[0].noteid}/blank-bands`, { role: 'practice', height: 240 }))
}

async function sessionTakenAsDone() {
  must(await send('/writing/session-pause', { requestId: newId(), runId: newId() }))
}

export const breakLater = [
  ['commit-not-polled', 'Commit and never ask again', notPolled],
  ['paging-stopped', 'Stop after the first page', stoppedPaging],
  ['incomplete-listing-then-write', 'Write after half a listing', incompleteThenWrite],
  ['session-not-confirmed', 'Pause a session and never look', sessionTakenAsDone],
]
