/*
 * These rules are broken because an expected request does not follow. The inspector reports them
 * half a minute later.
 */
import { assertSuccess, commitPencil, createId, send } from './demo-data.js'

async function commitWithoutPolling(demoData) {
  assertSuccess(await commitPencil(demoData, createId(), createId(), demoData.card(0)))
}

async function stopPaging({ listed, tree }) {
  assertSuccess(await tree(listed, '?limit=2'))
}

async function writeAfterIncompleteListing({ written, tree }) {
  const { nodes } = assertSuccess(await tree(written, '?limit=2'))
  assertSuccess(await send(`/notes/${nodes[0].noteid}/blank-bands`, { role: 'practice', height: 240 }))
}

async function pauseWithoutChecking() {
  assertSuccess(await send('/writing/session-pause', { requestId: createId(), runId: createId() }))
}

/** Each entry is `[id of the rule, text of the button, function that breaks it]`. */
export const delayedRules = [
  ['commit-not-polled', 'Commit and never ask again', commitWithoutPolling],
  ['paging-stopped', 'Stop after the first page', stopPaging],
  ['incomplete-listing-then-write', 'Write after half a listing', writeAfterIncompleteListing],
  ['session-not-confirmed', 'Pause a session and never look', pauseWithoutChecking],
]
