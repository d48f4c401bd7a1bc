import { isObject, getMember } from '../json/object.ts'
import type { ExchangeRow, Origin } from '../traffic/exchange.ts'
import { findEndpointById } from '../bridge/endpoints/index.ts'

/** These are the ids that a request names, by their kind. */
interface NamedIds {
  readonly cards: readonly string[]
  readonly topics: readonly string[]
  readonly documents: readonly string[]
}

const cardMembers = ['noteid', 'targetParentNoteId', 'cardNoteId', 'sourceNoteId', 'rootNoteId']
const topicMembers = ['topicid', 'topic', 'studySetId', 'deckId']

/**
 * Whether a request changes the user's data, whatever its method is. Without a row, any method
 * other than GET counts as a write.
 */
export function isWrite({ endpoint, method }: ObservedExchange): boolean {
  const access = endpoint === null ? undefined : findEndpointById(endpoint)?.access
  return access === undefined ? !/^(?:GET|HEAD|OPTIONS)$/i.test(method) : access === 'write'
}

/**
 * Collects the ids in path, query and body, including `target`, `practice` and batches in the body.
 */
export function getNamedIds({ params, query, body }: ObservedExchange): NamedIds {
  const lists = ['moves', 'copies', 'cards'].flatMap((name) => {
    const list = getMember(body, name)
    return Array.isArray(list) ? (list.slice(0, 500) as unknown[]) : []
  })
  const parts: unknown[] = [params, body, getMember(body, 'target'), getMember(body, 'practice'), ...lists]
  const collectTexts = (names: readonly string[]): string[] =>
    parts.flatMap((part) => names.flatMap((name) => getTextMember(part, name) ?? []))
  const cards = [
    ...collectTexts(cardMembers),
    ...parts.flatMap((part) => getTextListMember(part, 'noteIds').slice(0, 500)),
  ]
  const topics = [...collectTexts(topicMembers), query.get('topicid') ?? '', query.get('studySet') ?? '']
  const documents = collectTexts(['bookmd5'])
  const removeDuplicates = (list: readonly string[]): string[] => [...new Set(list.filter((entry) => entry !== ''))]
  return { cards: removeDuplicates(cards), topics: removeDuplicates(topics), documents: removeDuplicates(documents) }
}

/**
 * Longer values count as different from all others: only requests that people write are compared.
 */
const MAX_CANONICAL_CHARS = 20_000
const MAX_CANONICAL_DEPTH = 50
let largeValueCount = 0

/**
 * Serialises with sorted members, so that equal values give equal texts. A value that is too
 * large or too deep equals only itself.
 */
export function toCanonicalJson(value: unknown): string {
  const text = serialize(value, 0)
  if (text !== null && text.length <= MAX_CANONICAL_CHARS) return text
  largeValueCount += 1
  return `too large ${largeValueCount}`
}

function serialize(value: unknown, depth: number): string | null {
  if (depth > MAX_CANONICAL_DEPTH) return null
  if (Array.isArray(value))
    return joinParts(
      '[',
      value.map((element) => serialize(element, depth + 1)),
      ']',
    )
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => {
      const text = serialize(value[name], depth + 1)
      return text === null ? null : `${JSON.stringify(name)}:${text}`
    })
  return joinParts('{', members, '}')
}

const joinParts = (open: string, parts: readonly (string | null)[], close: string): string | null =>
  parts.includes(null) ? null : `${open}${parts.join(',')}${close}`

/**
 * An ended exchange with the facts that rules need. Members from outside are `unknown`, or text
 * of any content.
 */
export interface ObservedExchange {
  readonly seq: number
  /** Both times are in epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  readonly origin: Origin
  readonly host: string
  /** This identifies the host's run; it is null if unknown. */
  readonly instance: string | null
  /** This is the id of the endpoint's row; it is null if no row fits. */
  readonly endpoint: string | null
  readonly method: string
  /** The path includes the query as sent. */
  readonly path: string
  /** The values of the placeholders are decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Only the first value of each name is kept. */
  readonly query: ReadonlyMap<string, string>
  /** This is the parsed request body; it is undefined if there is none or it is not known. */
  readonly body: unknown
  /** This is false if the request has a body that is unknown: truncated, too long, or not JSON. */
  readonly isBodyKnown: boolean
  readonly state: ExchangeRow['state']
  readonly status: number | null
  readonly code: string | null
  /**
   * This is the parsed response, or only the members that rules need if it is long. It is undefined
   * if unknown.
   */
  readonly response: unknown
  readonly attempt: number
  /** A panel's page called in this way; it is null for other callers. */
  readonly via: 'host.api' | 'fetch' | 'element' | null
  /** The host fills in these members of the page's body; it is null for other callers. */
  readonly sentMembers: { readonly confirm: boolean; readonly addon: boolean } | null
}

export const isSuccess = ({ state, status, code }: ObservedExchange): boolean =>
  state === 'answered' && status !== null && status >= 200 && status < 300 && code === null

/** The host, or an override in its place, refused the request. */
export const isRefused = ({ state, status, code }: ObservedExchange): boolean =>
  state === 'answered' && ((status !== null && status >= 400) || (code !== null && code !== ''))

/** Returns a member that is a non-empty text or a number, as text; null otherwise. */
export function getTextMember(value: unknown, name: string): string | null {
  const member = getMember(value, name)
  if (typeof member === 'number') return String(member)
  return typeof member === 'string' && member !== '' ? member : null
}

/** Returns the texts in a member that is a list; the list is empty otherwise. */
export function getTextListMember(value: unknown, name: string): string[] {
  const member = getMember(value, name)
  return Array.isArray(member) ? member.filter((text): text is string => typeof text === 'string' && text !== '') : []
}

/**
 * Returns a key that is equal for equal requests. A request with an unknown body equals only
 * itself. `confirm` and `addon` are left out, because the host fills them in (spec §4).
 */
export function toRequestKey({ seq, method, path, body, isBodyKnown }: ObservedExchange): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const ownBody = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${toCanonicalJson(ownBody)}`
}
