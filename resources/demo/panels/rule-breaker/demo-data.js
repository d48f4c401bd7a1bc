/*
 * Requests to the host, and the data on which the rules are broken: three study sets, so that
 * breaking one rule does not break another.
 */

const createPost = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const read = (path) => host.api(path)
export const send = (path, body) => host.api(path, createPost(body))

/**
 * Returns the result of a request that must succeed.
 *
 * @throws Error with the host's code and message.
 */
export function assertSuccess(result) {
  if (result?.error) throw new Error(`${result.error.code}: ${result.error.message ?? ''}`)
  return result
}

/** @throws Error unless the host refused the request with one of these codes. */
export function assertRefused(result, ...codes) {
  const code = result?.error?.code
  if (!codes.includes(code)) throw new Error(`${codes.join(' or ')} was expected, and ${code ?? 'success'} came.`)
}

/**
 * Returns the path template of the card listing. The contract shows the parameters of that route,
 * not its path.
 */
async function findListingPath() {
  const defaultPath = '/study-sets/{id}/tree'
  const { routes } = assertSuccess(await read('/capabilities'))
  const hasDefaultPath = routes.some(({ method, path }) => method === 'GET' && path === defaultPath)
  const parameters = ['root', 'cursor', 'sort']
  const hasListingParameters = (route) => parameters.every((name) => new RegExp(`\\b${name}\\b`).test(JSON.stringify(route)))
  const listingRoute = routes.find((route) => route.method === 'GET' && route.path.startsWith('/study-sets/') && hasListingParameters(route))
  return hasDefaultPath ? defaultPath : (listingRoute?.path ?? defaultPath)
}

/** Reads the open study set with its cards, and two others that are only listed. */
export async function readDemoData() {
  const { state } = assertSuccess(await read('/ui-state'))
  const sets = assertSuccess(await read('/library/study-sets'))
  const others = (sets.studySets ?? sets.items).filter(({ topicid }) => topicid !== state.topicid)
  if (!state.topicid || others.length < 2) throw new Error('An open study set and two others are needed.')
  const template = await findListingPath()
  const tree = (topicid, query) => read(`${template.replace(/\{\w+\}/, topicid)}${query}`)
  const cards = []
  let cursor = null
  do {
    const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const page = assertSuccess(await tree(state.topicid, query))
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
    card: (index) => cards[index],
    cards,
    /** Rules that leave a listing half read use this study set. */
    listed: others[0].topicid,
    written: others[1].topicid,
  }
}

/** Reads a card, with the revision that a verdict must name. */
export async function readCard(noteid) {
  const { items } = assertSuccess(await send('/notes/batch-get', { noteIds: [noteid] }))
  return items[0]
}

export const sendVerdict = (noteid, topic, expectedRevision, extraMembers = {}) =>
  send(`/notes/${noteid}/practice-verdict`, {
    expectedRevision,
    practice: { topic },
    self: 'again',
    reason: 'careless',
    ...extraMembers,
  })

/** Commits in a window of its own, so that no other rule's commit is in the way. */
export const commitPencil = (demoData, surfaceId, requestId, noteid) =>
  send('/writing/pencil-commit', { surfaceId, requestId, target: { topicid: demoData.topicid, noteid, layerId: '' } })

/** Polls at the allowed rate until the commit is settled. */
export async function waitUntilSettled(requestId) {
  for (;;) {
    await wait(600)
    if (assertSuccess(await send('/writing/pencil-result', { requestId })).settled) return
  }
}

export const createId = () => crypto.randomUUID()
