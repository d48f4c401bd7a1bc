/* What this panel asks of the host. Every failure is a value with `error`; nothing here throws because of the host. */

/** Body and headers of a POST; `confirm` and `addon` are left to the host, which fills them in. */
const post = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const id = encodeURIComponent

export const uiState = () => host.api('/ui-state')
export const studySets = () => host.api('/library/study-sets')
export const template = () => host.api('/immersive/template')
export const writingContext = () => host.api('/writing/context')
export const readCards = (noteIds) => host.api('/notes/batch-get', post({ noteIds }))
export const giveVerdict = (noteid, verdict) => host.api(`/notes/${id(noteid)}/practice-verdict`, post(verdict))
export const appendBand = (noteid) =>
  host.api(`/notes/${id(noteid)}/blank-bands`, post({ role: 'practice', height: 240 }))
export const commitPencil = (request) => host.api('/writing/pencil-commit', post(request))
export const pencilResult = (requestId) => host.api('/writing/pencil-result', post({ requestId }))

/**
 * One page of the tree, by the template of the host's card listing: a short one first, so that there is something to see, then as much as
 * the host gives.
 */
export function treePage(template, topicid, cursor) {
  const query = cursor === null ? 'limit=100' : `cursor=${id(cursor)}`
  return host.api(`${template.replace(/\{\w+\}/, id(topicid))}?${query}`)
}

/** An image's bytes by plain `fetch`, because they are no JSON: `{ url }` of a blob, or `{ error }`. */
export async function image(noteid, contentId) {
  try {
    const response = await fetch(`/bridge/v1/notes/${id(noteid)}/content/${id(contentId)}?maxEdge=512`)
    if (response.ok) return { url: URL.createObjectURL(await response.blob()) }
    const said = await response.json().catch(() => null)
    return { error: said?.error ?? { code: String(response.status), message: 'The image was refused.' } }
  } catch (error) {
    return { error: { code: 'NETWORK', message: error.message } }
  }
}

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
