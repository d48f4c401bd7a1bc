/*
 * Each function breaks one rule and no other. It gets the demo data, and throws if it could not
 * break the rule. The ids are those of the inspector's findings; four of them appear only half a
 * minute later, when an expected request has not followed.
 */
import { delayedRules } from './delayed-rules.js'
import {
  assertRefused,
  assertSuccess,
  commitPencil,
  createId,
  read,
  readCard,
  send,
  sendVerdict,
  wait,
  waitUntilSettled,
} from './demo-data.js'

async function readResultOfNewId(demoData) {
  const [surface, requestId] = [createId(), createId()]
  assertSuccess(await commitPencil(demoData, surface, requestId, demoData.card(1)))
  assertRefused(await send('/writing/pencil-result', { requestId: createId() }), 'OPERATION_NOT_FOUND')
  await waitUntilSettled(requestId)
}

async function reuseRequestId(demoData) {
  const [surface, requestId] = [createId(), createId()]
  assertSuccess(await commitPencil(demoData, surface, requestId, demoData.card(1)))
  assertRefused(await commitPencil(demoData, surface, requestId, demoData.card(2)), 'REQUEST_CONFLICT')
  await waitUntilSettled(requestId)
}

async function commitTwice(demoData) {
  const [surface, requestId] = [createId(), createId()]
  assertSuccess(await commitPencil(demoData, surface, requestId, demoData.card(1)))
  assertRefused(await commitPencil(demoData, surface, createId(), demoData.card(1)), 'OPERATION_UNFINISHED')
  await waitUntilSettled(requestId)
}

async function sendStaleRevision(demoData) {
  const noteid = demoData.card(3)
  const { commentsRevision } = await readCard(noteid)
  assertSuccess(await sendVerdict(noteid, demoData.topicid, commentsRevision))
  assertRefused(await sendVerdict(noteid, demoData.topicid, commentsRevision), 'COMMENT_CHANGED')
}

async function resendVerdict(demoData) {
  const noteid = demoData.card(4)
  const { commentsRevision } = await readCard(noteid)
  for (let round = 0; round < 2; round += 1) {
    assertRefused(await sendVerdict(noteid, demoData.listed, commentsRevision), 'PRACTICE_TOPIC_CHANGED')
  }
}

async function writeOnFailedId() {
  const noteid = createId()
  for (let round = 0; round < 2; round += 1) {
    assertRefused(await send(`/notes/${noteid}/blank-bands`, { role: 'practice', height: 240 }), 'NOTE_NOT_FOUND')
  }
}

async function inventCursor({ topicid, tree }) {
  const result = await tree(topicid, `?cursor=${createId()}`)
  if (!result.error) throw new Error('The host took a cursor that nobody told.')
}

async function readPageZero({ bookmd5 }) {
  const response = await fetch(`/bridge/v1/documents/${bookmd5}/pages/0/parts`)
  if (response.ok) throw new Error('The host has a page 0.')
}

/** The host may accept or refuse the second export; the third one is sent too early. */
async function retryTooEarly({ topicid, bookmd5 }) {
  const exportDocument = () => send(`/documents/${bookmd5}/export`, { topicid })
  assertSuccess(await exportDocument())
  assertRefused(await exportDocument(), 'EXPORT_BUSY')
  assertRefused(await exportDocument(), 'EXPORT_BUSY')
}

async function readInBurst({ topicid }) {
  const results = await Promise.all(Array.from({ length: 6 }, () => read(`/study-sets/${topicid}/note-palette`)))
  results.forEach(assertSuccess)
}

async function pollTooFast() {
  for (let round = 0; round < 12; round += 1) assertSuccess(await read('/ui-state'))
}

async function readMarkdownAsJson() {
  assertRefused(await read('/guide'), 'NOT_JSON')
}

async function sendConfirmAndAddon(demoData) {
  const noteid = demoData.card(5)
  const { commentsRevision } = await readCard(noteid)
  assertSuccess(await sendVerdict(noteid, demoData.topicid, commentsRevision, { addon: 'com.example.other', confirm: true }))
}

async function callForbiddenRoute() {
  assertRefused(await send('/pair', { code: '000000' }), 'IN_PROCESS_NOT_ALLOWED')
}

async function readCardsOneByOne({ cards }) {
  for (const noteid of cards.slice(0, 12)) assertSuccess(await readCard(noteid))
}

async function callMisspeltRoute() {
  assertRefused(await send('/notes/batch-gte', { noteIds: [] }), 'IN_PROCESS_NOT_ALLOWED')
}

/**
 * The commit of an earlier run stays in the page, because not every host gives a panel a storage.
 */
let earlierCommit = null

/** The user restarts the host between two clicks, because a panel cannot. */
async function useIdsOfOldRun(demoData) {
  const { instanceNonce } = assertSuccess(await read('/status'))
  if (earlierCommit === null || earlierCommit.instanceNonce === instanceNonce) {
    const requestId = createId()
    assertSuccess(await commitPencil(demoData, createId(), requestId, demoData.card(1)))
    await waitUntilSettled(requestId)
    earlierCommit = { requestId, instanceNonce }
    throw new Error('Restart the host, then press again.')
  }
  for (let round = 0; round < 2; round += 1) {
    assertRefused(await send('/writing/pencil-result', { requestId: earlierCommit.requestId }), 'OPERATION_NOT_FOUND')
    await wait(600)
  }
  earlierCommit = null
}

/** Each entry is `[id of the rule, text of the button, function that breaks it]`. */
export const rules = [
  ...delayedRules,
  ['result-of-new-id', 'Ask for the result with a new id', readResultOfNewId],
  ['request-id-other-target', 'Reuse a request id for another card', reuseRequestId],
  ['second-commit-of-window', 'Commit twice in one window', commitTwice],
  ['stale-revision', 'Verdict with an old revision', sendStaleRevision],
  ['verdict-resent', 'Resend a verdict as it was', resendVerdict],
  ['write-on-failed-id', 'Write on a card that failed', writeOnFailedId],
  ['cursor-invented', 'Invent a cursor', inventCursor],
  ['parameter-out-of-range', 'Count pages from 0', readPageZero],
  ['retry-too-early', 'Retry at once', retryTooEarly],
  ['read-burst', 'Read the same six times', readInBurst],
  ['polling-too-fast', 'Poll without a pause', pollTooFast],
  ['binary-through-api', 'Read Markdown by host.api', readMarkdownAsJson],
  ['confirm-or-addon-sent', 'Send confirm and addon', sendConfirmAndAddon],
  ['outside-allow-list', 'Call what no panel may', callForbiddenRoute],
  ['batch-of-one', 'Read twelve cards one by one', readCardsOneByOne],
  ['unknown-route', 'Misspell a route', callMisspeltRoute],
  ['ids-of-old-run', 'Use ids of an old run', useIdsOfOldRun],
]
