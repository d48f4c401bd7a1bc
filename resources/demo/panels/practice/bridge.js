// @ts-check
/*
 * The requests of this panel to the host. A failure of the host is a value with `error`; no
 * function throws because of it.
 */

/** @import { BodyOf, ResultOf } from '../../../bridge.d.ts' */

/** Creates the options of a POST. The host fills in `confirm` and `addon`. */
const createPost = (/** @type {object} */ body) => ({
  method: /** @type {const} */ ('POST'),
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const encodeId = encodeURIComponent

export const readUiState = () => host.api('/ui-state')
export const readStudySets = () => host.api('/library/study-sets')
export const readDocuments = (topicid) => host.api(`/study-sets/${encodeId(topicid)}/documents`)
/** Reads what is written on a page of a document. The first page has the index 1. */
export const readPageParts = (bookmd5, index) => host.api(`/documents/${encodeId(bookmd5)}/pages/${index}/parts`)
export const readTemplate = () => host.api('/immersive/template')
export const readWritingContext = () => host.api('/writing/context')
export const readCards = (noteIds) => host.api('/notes/batch-get', createPost({ noteIds }))
/**
 * @param {string} noteid
 * @param {BodyOf<'POST /notes/{noteid}/practice-verdict'>} verdict
 */
export const saveVerdict = (noteid, verdict) => host.api(`/notes/${encodeId(noteid)}/practice-verdict`, createPost(verdict))
export const appendBand = (noteid) =>
  host.api(`/notes/${encodeId(noteid)}/blank-bands`, createPost({ role: 'practice', height: 240 }))
/** @param {BodyOf<'POST /writing/pencil-commit'>} request */
export const commitPencil = (request) => host.api('/writing/pencil-commit', createPost(request))
export const readPencilResult = (requestId) => host.api('/writing/pencil-result', createPost({ requestId }))

/**
 * Reads one page of the card listing, whose path template differs between hosts. The first page is
 * short, so that cards appear soon; later ones are as long as the host allows.
 *
 * @returns {Promise<ResultOf<'GET /study-sets/{topicid}/tree'>>}
 */
export function readTreePage(template, topicid, cursor) {
  const query = cursor === null ? 'limit=100' : `cursor=${encodeId(cursor)}`
  return /** @type {Promise<any>} */ (host.api(`${template.replace(/\{\w+\}/, encodeId(topicid))}?${query}`))
}

/**
 * Reads an image with plain `fetch`, because `host.api` only reads JSON. Returns `{ url }` of a
 * blob, or `{ error }`.
 */
export async function readImage(noteid, contentId) {
  try {
    const response = await fetch(`/bridge/v1/notes/${encodeId(noteid)}/content/${encodeId(contentId)}?maxEdge=512`)
    if (response.ok) return { url: URL.createObjectURL(await response.blob()) }
    const body = await response.json().catch(() => null)
    return { error: body?.error ?? { code: String(response.status), message: 'The image was refused.' } }
  } catch (error) {
    return { error: { code: 'NETWORK', message: String(error) } }
  }
}

/**
 * Returns the list of a response whose name the contract does not show: the whole response, or the
 * member of this name.
 *
 * @param {any} result
 * @param {string} name
 * @returns {any[]}
 */
export const listEntries = (result, name) => (Array.isArray(result) ? result : (result[name] ?? result.items ?? []))

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
