/*
 * One way to break each rule, and none of the others. Each function gets the scene, and throws if it did not come to it. The ids are those
 * of the inspector's findings; four of them show only half a minute later, when nothing followed.
 */
import { breakLater } from './rules-later.js'
import { cardNow, commit, must, newId, read, refusedWith, send, settle, verdict, wait } from './scene.js'

async function resultOfNewId(scene) {
  const [surface, requestId] = [newId(), newId()]
  must(await commit(scene, surface, requestId, scene.card(1)))
  refusedWith(await send('/writing/pencil-result', { requestId: newId() }), 'OPERATION_NOT_FOUND')
  await settle(requestId)
}

async function otherTarget(scene) {
  const [surface, requestId] = [newId(), newId()]
  must(await commit(scene, surface, requestId, scene.card(1)))
  refusedWith(await commit(scene, surface, requestId, scene.card(2)), 'REQUEST_CONFLICT')
  await settle(requestId)
}

async function secondCommit(scene) {
  const [surface, requestId] = [newId(), newId()]
  must(await commit(scene, surface, requestId, scene.card(1)))
  refusedWith(await commit(scene, surface, newId(), scene.card(1)), 'OPERATION_UNFINISHED')
  await settle(requestId)
}

async function staleRevision(scene) {
  const noteid = scene.card(3)
  const { commentsRevision } = await cardNow(noteid)
  must(await verdict(noteid, scene.topicid, commentsRevision))
  refusedWith(await verdict(noteid, scene.topicid, commentsRevision), 'COMMENT_CHANGED')
}

async function resentVerdict(scene) {
  const noteid = scene.card(4)
  const { commentsRevision } = await cardNow(noteid)
  for (let round = 0; round < 2; round += 1) {
    refusedWith(await verdict(noteid, scene.listed, commentsRevision), 'PRACTICE_TOPIC_CHANGED')
  }
}

async function failedId() {
  const noteid = newId()
  for (let round = 0; round < 2; round += 1) {
    refusedWith(await send(`/notes/${noteid}/blank-bands`, { role: 'practice', height: 240 }), 'NOTE_NOT_FOUND')
  }
}

async function inventedCursor({ topicid, tree }) {
  const answer = await tree(topicid, `?cursor=${newId()}`)
  if (!answer.error) throw new Error('The host took a cursor that nobody told.')
}

async function outOfRange({ bookmd5 }) {
  const response = await fetch(`/bridge/v1/documents/${bookmd5}/pages/0/parts`)
  if (response.ok) throw new Error('The host has a page 0.')
}

/** The first may be taken or not; what counts is the one that is sent too early. */
async function earlyRetry({ topicid, bookmd5 }) {
  const exported = () => send(`/documents/${bookmd5}/export`, { topicid })
  must(await exported())
  refusedWith(await exported(), 'EXPORT_BUSY')
  refusedWith(await exported(), 'EXPORT_BUSY')
}

async function burst({ topicid }) {
  const answers = await Promise.all(Array.from({ length: 6 }, () => read(`/study-sets/${topicid}/note-palette`)))
  answers.forEach(must)
}

async function fastPolling() {
  for (let round = 0; round < 12; round += 1) must(await read('/ui-state'))
}

async function binaryAsJson() {
  refusedWith(await read('/guide'), 'NOT_JSON')
}

async function ownConfirm(scene) {
  const noteid = scene.card(5)
  const { commentsRevision } = await cardNow(noteid)
  must(await verdict(noteid, scene.topicid, commentsRevision, { addon: 'com.example.other', confirm: true }))
}

async function notAllowed() {
  refusedWith(await send('/pair', { code: '000000' }), 'IN_PROCESS_NOT_ALLOWED')
}

async function oneByOne({ cards }) {
  for (const noteid of cards.slice(0, 12)) must(await cardNow(noteid))
}

async function misspelt() {
  refusedWith(await send('/notes/batch-gte', { noteIds: [] }), 'IN_PROCESS_NOT_ALLOWED')
}

/** What was committed in the run before: kept in the page, because not every host gives a panel a storage. */
let old = null

/** Needs a restart of the host between two presses: a panel cannot cause one. */
async function oldRun(scene) {
  const { instanceNonce } = must(await read('/status'))
  if (old === null || old.instanceNonce === instanceNonce) {
    const requestId = newId()
    must(await commit(scene, newId(), requestId, scene.card(1)))
    await settle(requestId)
    old = { requestId, instanceNonce }
    throw new Error('Restart the host, then press again.')
  }
  for (let round = 0; round < 2; round += 1) {
    refusedWith(await send('/writing/pencil-result', { requestId: old.requestId }), 'OPERATION_NOT_FOUND')
    await wait(600)
  }
  old = null
}

/** `[id of the rule, what the button says, how]`. */
export const rules = [
  ...breakLater,
  ['result-of-new-id', 'Ask for the result with a new id', resultOfNewId],
  ['request-id-other-target', 'Reuse a request id for another card', otherTarget],
  ['second-commit-of-window', 'Commit twice in one window', secondCommit],
  ['stale-revision', 'Verdict with an old revision', staleRevision],
  ['verdict-resent', 'Resend a verdict as it was', resentVerdict],
  ['write-on-failed-id', 'Write on a card that failed', failedId],
  ['cursor-invented', 'Invent a cursor', inventedCursor],
  ['parameter-out-of-range', 'Count pages from 0', outOfRange],
  ['retry-too-early', 'Retry at once', earlyRetry],
  ['read-burst', 'Read the same six times', burst],
  ['polling-too-fast', 'Poll without a pause', fastPolling],
  ['binary-through-api', 'Read Markdown by host.api', binaryAsJson],
  ['confirm-or-addon-sent', 'Send confirm and addon', ownConfirm],
  ['outside-allow-list', 'Call what no panel may', notAllowed],
  ['batch-of-one', 'Read twelve cards one by one', oneByOne],
  ['unknown-route', 'Misspell a route', misspelt],
  ['ids-of-old-run', 'Use ids of an old run', oldRun],
]
