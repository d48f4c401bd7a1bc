import { getMember } from '../../shared/json/object.ts'
import { createRefusedError } from '../../shared/errors.ts'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { parseResponseList, parseEntry } from '../output/response-list.ts'
import { getTextAt } from '../output/entry-printer.ts'
import type { ConnectedSession } from '../base/session.ts'
import type { ResponseStore, ToolResult } from './response-store.ts'
import { toRequest } from './tools.ts'

const JSON_TYPE = 'application/json'
/** Study sets on one page of the list of resources, and characters of a title. */
const PAGE_LENGTH = 50
const MAX_TITLE_CHARS = 200

export const resourceTemplates = [
  {
    name: 'study-set',
    uriTemplate: 'bridge://study-sets/{topicid}',
    description: 'The first cards of a study set, in the order of the mind map',
    mimeType: JSON_TYPE,
  },
  {
    name: 'card',
    uriTemplate: 'bridge://cards/{noteid}',
    description: 'A card with its texts and parts',
    mimeType: JSON_TYPE,
  },
  {
    name: 'answer',
    uriTemplate: 'bridge://answers/{answer}/{start}/{end}',
    description: 'A range of a long answer that a tool gave, in characters; without start and end its first page',
    mimeType: 'text/plain',
  },
]

/** The study sets, page by page. Throws `CURSOR_INVALID`. */
export async function listResources({ call }: ConnectedSession, cursor = '0') {
  const { bytes } = await call('bridge.read', { endpoint: 'studySets.list', params: {}, query: {} })
  const { entries } = parseResponseList('studySets.list', new Uint8Array(bytes))
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : -1
  if (from < 0) throw createRefusedError('CURSOR_INVALID', 'A cursor is given back as it came.')
  const resources = entries.slice(from, from + PAGE_LENGTH).map((entry) => {
    const set = parseEntry(entry)
    const id = getTextAt(set, 'topicid')
    const count = getMember(set, 'noteCount')
    return {
      uri: `bridge://study-sets/${encodeURIComponent(id)}`,
      name: (getTextAt(set, 'title') || id).slice(0, MAX_TITLE_CHARS),
      ...(typeof count === 'number' ? { description: `${count} cards` } : {}),
      mimeType: JSON_TYPE,
    }
  })
  const next = from + PAGE_LENGTH
  return { resources, ...(next < entries.length ? { nextCursor: String(next) } : {}) }
}

/** Throws `RESOURCE_UNKNOWN`, and what the host answers. */
export async function readResource(session: ConnectedSession, answers: ResponseStore, uri: string) {
  const [kind, ...steps] = decodedSteps(uri)
  const [id = '', start, end] = steps
  if (kind === 'study-sets' && steps.length === 1) {
    const request = toRequest(getEndpoint('studySets.tree'), { topicid: id, limit: 500 })
    return asResource(uri, answers.createResult(uri, await textOf(session, request), { list: '/nodes' }))
  }
  if (kind === 'cards' && steps.length === 1) {
    const text = await textOf(session, toRequest(getEndpoint('notes.batchGet'), { body: { noteIds: [id] } }))
    const { entries } = parseResponseList('notes.batchGet', Buffer.from(text))
    // A host leaves out what it does not have.
    if (!entries.some((entry) => getTextAt(parseEntry(entry), 'noteid') === id)) throw unknown(uri)
    return asResource(uri, answers.createResult(uri, text))
  }
  if (kind === 'answers' && steps.length === 1) return asResource(uri, answers.readPart(id, {}))
  if (kind === 'answers' && steps.length === 3) return { contents: [rangeOf(uri, answers.getResponse(id), start, end)] }
  throw unknown(uri)
}

async function textOf({ call }: ConnectedSession, request: ReturnType<typeof toRequest>): Promise<string> {
  return new TextDecoder().decode((await call('bridge.read', request)).bytes)
}

/** The first text of a result; a part of it says so, and where the rest is. */
function asResource(uri: string, { content }: ToolResult) {
  const [first] = content
  return { contents: [{ uri, mimeType: JSON_TYPE, text: first?.type === 'text' ? first.text : '' }] }
}

/** Characters of one range. */
const MAX_RANGE_CHARS = 20_000
/** Its bytes as JSON: no result is longer than 40 KB. */
const MAX_RANGE_BYTES = 39_000

function rangeOf(uri: string, { text, isJson }: ReturnType<ResponseStore['getResponse']>, start = '', end = '') {
  const [from, to] = [Number(start), Number(end)]
  const isRange = /^\d{1,9}$/.test(start) && /^\d{1,9}$/.test(end) && from < to && from < text.length
  if (!isRange)
    throw createRefusedError('RANGE_INVALID', `A range has a start below its end, within ${text.length} characters.`)
  if (to - from > MAX_RANGE_CHARS)
    throw createRefusedError('RANGE_INVALID', `A range has at most ${MAX_RANGE_CHARS} characters.`)
  const bytes = Buffer.byteLength(JSON.stringify(text.slice(from, to)))
  if (bytes > MAX_RANGE_BYTES) {
    throw createRefusedError(
      'RANGE_INVALID',
      `This range has ${bytes} bytes, more than ${MAX_RANGE_BYTES}. Ask for fewer characters.`,
    )
  }
  const isWhole = from === 0 && to >= text.length
  return { uri, mimeType: isJson && isWhole ? JSON_TYPE : 'text/plain', text: text.slice(from, to) }
}

function decodedSteps(uri: string): string[] {
  try {
    const [, path] = /^bridge:\/\/(.+)$/.exec(uri) ?? []
    return (path ?? '').split('/').map(decodeURIComponent)
  } catch {
    throw unknown(uri)
  }
}

const unknown = (uri: string) => createRefusedError('RESOURCE_UNKNOWN', `There is no resource ${uri.slice(0, 200)}.`)
