import { isObject, getMember } from '../../../shared/json/object.ts'
import type { ExchangeRow, Origin } from '../../../shared/traffic/exchange.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'

const cardMembers = ['noteid', 'targetParentNoteId', 'cardNoteId', 'sourceNoteId', 'rootNoteId']
const topicMembers = ['topicid', 'topic', 'studySetId', 'deckId']

/** True if a request changes data; of those that fit no endpoint, every method except GET. */
export function isWrite({ endpoint, method }: ObservedExchange): boolean {
  const access = endpoint === null ? undefined : findEndpointById(endpoint)?.access
  return access === undefined ? !/^(?:GET|HEAD|OPTIONS)$/i.test(method) : access === 'write'
}

/** Collects ids in path, query and body, including `target`, `practice` and batches. */
export function getNamedIds({ params, query, body }: ObservedExchange) {
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

/** Longer values count as different from all others, because rules only compare short requests. */
const MAX_CANONICAL_CHARS = 20_000
const MAX_CANONICAL_DEPTH = 50
let largeValueCount = 0

/** Equal values give equal texts. A value that is too large or too deep is equal only to itself. */
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

/** An ended exchange as rules see it. What a caller or the host wrote is `unknown` or any text. */
export interface ObservedExchange {
  readonly seq: number
  /** Epoch milliseconds, like `endedAt`. */
  readonly startedAt: number
  readonly endedAt: number
  readonly origin: Origin
  readonly host: string
  /** Identifies the run of the host; null if unknown. */
  readonly instance: string | null
  /** Endpoint id; null if the request fits no endpoint. */
  readonly endpoint: string | null
  readonly method: string
  /** Includes the query as sent. */
  readonly path: string
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  /** If a name is repeated, only its first value. */
  readonly query: ReadonlyMap<string, string>
  /** The parsed request body; undefined if there is none or it is unknown. */
  readonly body: unknown
  /** False if the request has a body that is truncated, too long, or not JSON. */
  readonly isBodyKnown: boolean
  readonly state: ExchangeRow['state']
  readonly status: number | null
  readonly code: string | null
  /** Parsed; of a long response, only members that rules need. Undefined if unknown. */
  readonly response: unknown
  readonly attempt: number
  /** The way in which a panel's page called; null for other callers. */
  readonly via: 'host.api' | 'fetch' | 'element' | null
  /** Members of the page's body that only the host should fill in; null for other callers. */
  readonly sentMembers: { readonly confirm: boolean; readonly addon: boolean } | null
  /** True if a person held the call, so that its time and content may be the person's. */
  readonly isHeld: boolean
  /** False if a person, an override or the policy responded in place of the host. */
  readonly isHostResponse: boolean
  /** False if this program could not send the call: the response says nothing about the caller. */
  readonly isJudged: boolean
}

export function isSuccess({ state, status, code }: ObservedExchange): boolean {
  return state === 'answered' && status !== null && status >= 200 && status < 300 && code === null
}

/** The host refused it, or an override in its place. */
export function isRefused({ state, status, code }: ObservedExchange): boolean {
  return state === 'answered' && ((status !== null && status >= 400) || (code !== null && code !== ''))
}

/** Returns a member that is a non-empty text or a number, as text; null otherwise. */
export function getTextMember(value: unknown, name: string): string | null {
  const member = getMember(value, name)
  if (typeof member === 'number') return String(member)
  return typeof member === 'string' && member !== '' ? member : null
}

/** Returns the texts in a list; empty if the member is not a list. */
export function getTextListMember(value: unknown, name: string): string[] {
  const member = getMember(value, name)
  return Array.isArray(member) ? member.filter((text): text is string => typeof text === 'string' && text !== '') : []
}

/**
 * Returns a key that is equal for equal requests. A request with an unknown body is equal only to
 * itself. `confirm` and `addon` are left out, because the host fills them in (spec §4).
 */
export function toRequestKey({ seq, method, path, body, isBodyKnown }: ObservedExchange): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const ownBody = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${toCanonicalJson(ownBody)}`
}
