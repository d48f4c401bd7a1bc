import { createId, createPost, showResult } from './page.js'

async function countCards({ largeSet, getListingPath }) {
  const { nodes } = await host.api(`${getListingPath(largeSet)}?limit=40`)
  showResult(`The study set has ${nodes.length} cards.`)
}

async function saveStrokes({ topicid, cards }) {
  const target = { topicid, noteid: cards[0], layerId: '' }
  const commit = { surfaceId: createId(), requestId: createId(), target }
  const { state } = await host.api('/writing/pencil-commit', createPost(commit))
  if (state === 'pending') showResult('The strokes are saved.')
}

async function pauseSession() {
  const command = { requestId: createId(), runId: createId() }
  const { state } = await host.api('/writing/session-pause', createPost(command))
  if (state === 'accepted') showResult('The session is paused.')
}

async function readCommitResult({ topicid, cards }) {
  const target = { topicid, noteid: cards[1], layerId: '' }
  const commit = { surfaceId: createId(), requestId: createId(), target }
  await host.api('/writing/pencil-commit', createPost(commit))
  const { error } = await host.api('/writing/pencil-result', createPost({ requestId: createId() }))
  showResult(`The result is unknown: ${error?.code}`)
}

async function exportDocument({ topicid, bookmd5 }) {
  for (let tries = 0; tries < 3; tries += 1) {
    const { error } = await host.api(`/documents/${bookmd5}/export`, createPost({ topicid }))
    showResult(error ? `Busy: ${error.code}` : 'The document is exported.')
  }
}

async function readGuide() {
  const guide = await host.api('/guide')
  showResult(guide.error?.code ?? guide.title)
}

async function readPalette({ topicid }) {
  const { error } = await host.api(`/study-sets/${topicid}/note-pallete`)
  showResult(`There is no palette: ${error?.code}`)
}

async function pairDevice() {
  const { error } = await host.api('/pair', createPost({ code: '000000' }))
  showResult(`Not paired: ${error?.code}`)
}

async function judgeTwice({ topicid, cards }) {
  const { items } = await host.api('/notes/batch-get', createPost({ noteIds: [cards[2]] }))
  const verdict = { expectedRevision: items[0].commentsRevision, practice: { topic: topicid }, self: 'again', reason: 'careless' }
  await host.api(`/notes/${cards[2]}/practice-verdict`, createPost(verdict))
  const { error } = await host.api(`/notes/${cards[2]}/practice-verdict`, createPost(verdict))
  showResult(`The second verdict was refused: ${error?.code}`)
}

async function showTitle() {
  const { items } = await host.api('/notes/batch-get', createPost({ noteIds: [createId()] }))
  showResult(items[0].title)
}

async function showSet(topicid, { getListingPath }) {
  const { nodes } = await host.api(`${getListingPath(topicid)}?limit=2000`)
  showResult(`Showing ${nodes.length} cards.`)
}

async function switchSets(library) {
  const first = showSet(library.largeSet, library)
  const second = showSet(library.smallSet, library)
  await Promise.all([first, second])
}

async function readCards({ cards }) {
  for (const noteid of cards.slice(0, 12)) {
    await host.api('/notes/batch-get', createPost({ noteIds: [noteid] }))
  }
  showResult('Twelve cards were read.')
}

export const bugs = [
  ['Count the cards', countCards],
  ['Save the strokes', saveStrokes],
  ['Pause the session', pauseSession],
  ['Read the commit’s result', readCommitResult],
  ['Export the document', exportDocument],
  ['Read the guide', readGuide],
  ['Read the palette', readPalette],
  ['Pair the device', pairDevice],
  ['Judge a card twice', judgeTwice],
  ['Show a title', showTitle],
  ['Switch the study set', switchSets],
  ['Read twelve cards', readCards],
]
