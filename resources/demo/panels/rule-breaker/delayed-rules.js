/*
 * These rules are broken because an expected request does not follow. The inspector reports them
 * half a minute later.
 */
import { assertSuccess, commitPencil, createId, read, send, waitUntilSettled } from './demo-data.js'

async function commitWithoutPolling(demoData) {
  assertSuccess(await commitPencil(demoData, createId(), createId(), demoData.card(0)))
}

async function stopPaging({ listed, tree }) {
  assertSuccess(await tree(listed, '?limit=2'))
}

/** Writes a card that is in none of the pages that were read. */
async function writeAfterIncompleteListing({ written, tree }) {
  assertSuccess(await tree(written, '?limit=2'))
  const [subMap] = assertSuccess(await read(`/study-sets/${written}/sub-maps`)).subMaps
  const requestId = createId()
  assertSuccess(await commitPencil({ topicid: written }, createId(), requestId, subMap.noteid))
  await waitUntilSettled(requestId)
}

async function reserveWithoutChecking({ card }) {
  const command = { requestId: createId(), runId: createId(), questionId: card(0), carrier: 'focus' }
  assertSuccess(await send('/writing/session-reserve', command))
}

/** Each entry is `[id of the rule, text of the button, function that breaks it]`. */
export const delayedRules = [
  ['commit-not-polled', 'Commit and never ask again', commitWithoutPolling],
  ['paging-stopped', 'Stop after the first page', stopPaging],
  ['incomplete-listing-then-write', 'Write after half a listing', writeAfterIncompleteListing],
  ['session-not-confirmed', 'Reserve an attempt and never look', reserveWithoutChecking],
]
