/* What the rules are broken on: three study sets, so that breaking one rule does not break another. */

const post = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const read = (path) => host.api(path)
export const send = (path, body) => host.api(path, post(body))

/** The value of an answer that must not fail. Throws what the host said. */
export function must(answer) {
  if (answer?.error) throw new Error(`${answer.error.code}: ${answer.error.message ?? ''}`)
  return answer
}

/** The error code of an answer that must be a refusal. */
export function refusedWith(answer, ...codes) {
  const code = answer?.error?.code
  if (!codes.includes(code)) throw new Error(`${codes.join(' or ')} was expected, and ${code ?? 'success'} came.`)
}

/** The template of the card listing: the contract shows the parameters of that route, not its path. */
async function listingPath() {
  const usual = '/study-sets/{id}/tree'
  const { routes } = must(await read('/capabilities'))
  const isThere = routes.some(({ method, path }) => method === 'GET' && path === usual)
  const parameters = ['root', 'cursor', 'sort']
  const takesThem = (route) => parameters.every((name) => new RegExp(`\\b${name}\\b`).test(JSON.stringify(route)))
  const found = routes.find((route) => route.method === 'GET' && route.path.startsWith('/study-sets/') && takesThem(route))
  return isThere ? usual : (found?.path ?? usual)
}

/** Reads what is there: the open study set with its cards, and two others that are only listed. */
export async function lookAround() {
  const { state } = must(await read('/ui-state'))
  const sets = must(await read('/library/study-sets'))
  const others = (sets.studySets ?? sets.items).filter(({ topicid }) => topicid !== state.topicid)
  if (!state.topicid || others.length < 2) throw new Error('An open study set and two others are needed.')
  const template = await listingPath()
  const tree = (topicid, query) => read(`${template.replace(/\{\w+\}/, topicid)}${query}`)
  const cards = []
  let cursor = null
  do {
    const at = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const page = must(await tree(state.topicid, at))
    cards.push(...page.nodes.map(({ noteid }) => noteid))
    cursor = page.nextCursor ?? null
  } while (cursor !== null)
  if (cards.length < 12) throw new Error('The open study set has too few cards.')
  return {
    topicid: state.topicid,
    bookmd5: state.bookmd5,
    /** Reads a page of a card listing. */
    tree,
    /** Each rule has a card of its own. */
    card: (n) => cards[n],
    cards,
    /** For what is left half read. */
    listed: others[0].topicid,
    written: others[1].topicid,
  }
}

/** The card as it is now, with the revision that a verdict must name. */
export async function cardNow(noteid) {
  const { items } = must(await send('/notes/batch-get', { noteIds: [noteid] }))
  return items[0]
}

export const verdict = (noteid, topic, expectedRevision, more = {}) =>
  send(`/notes/${noteid}/practice-verdict`, {
    expectedRevision,
    practice: { topic },
    self: 'again',
    reason: 'careless',
    ...more,
  })

/** Commits in a window of its own, so that no other rule's commit is in the way. */
export const commit = (scene, surfaceId, requestId, noteid) =>
  send('/writing/pencil-commit', { surfaceId, requestId, target: { topicid: scene.topicid, noteid, layerId: '' } })

/** Polls as it should be done, until the commit is settled. */
export async function settle(requestId) {
  for (;;) {
    await wait(600)
    if (must(await send('/writing/pencil-result', { requestId })).settled) return
  }
}

export const newId = () => crypto.randomUUID()
