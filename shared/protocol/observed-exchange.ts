import { isObject, getMember } from '../json/object.ts'
import type { ExchangeRow, Origin } from '../traffic/exchange.ts'
import { findEndpointById } from '../bridge/endpoints/index.ts'

/** Ids that a request names, by what they name. */
interface NamedIds {
  readonly cards: readonly string[]
  readonly topics: readonly string[]
  readonly documents: readonly string[]
}

const cardMembers = ['noteid', 'targetParentNoteId', 'cardNoteId', 'sourceNoteId', 'rootNoteId']
const topicMembers = ['topicid', 'topic', 'studySetId', 'deckId']

/**
 * Whether it changes the user's data, whatever its method is. Without a row, a method other than
 * GET counts as a write.
 */
export function isWrite({ endpoint, method }: ObservedExchange): boolean {
  const access = endpoint === null ? undefined : findEndpointById(endpoint)?.access
  return access === undefined ? !/^(?:GET|HEAD|OPTIONS)$/i.test(method) : access === 'write'
}

/** The ids in path, query and body, the body's `target`, `practice` and batches included. */
export function getNamedIds({ params, query, body }: ObservedExchange): NamedIds {
  const lists = ['moves', 'copies', 'cards'].flatMap((name) => {
    const list = getMember(body, name)
    return Array.isArray(list) ? (list.slice(0, 500) as unknown[]) : []
  })
  const parts: unknown[] = [params, body, getMember(body, 'target'), getMember(body, 'practice'), ...lists]
  const collectTexts = (names: readonly string[]): string[] =>
    parts.flatMap((part) => names.flatMap((name) => getText(part, name) ?? []))
  const cards = [...collectTexts(cardMembers), ...parts.flatMap((part) => getTexts(part, 'noteIds').slice(0, 500))]
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
  /** When it began and ended, in milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  readonly origin: Origin
  readonly host: string
  /** The host's run; null where unknown. */
  readonly instance: string | null
  /** Id of the endpoint's row; null if no row fits. */
  readonly endpoint: string | null
  readonly method: string
  /** With the query as sent. */
  readonly path: string
  /** Decoded values of the placeholders. */
  readonly params: Readonly<Record<string, string>>
  /** The first value of each name. */
  readonly query: ReadonlyMap<string, string>
  /** Value of the request's body; undefined if there is none or it is not known. */
  readonly body: unknown
  /** False if there is a body that is unknown: truncated, too long, or not JSON. */
  readonly isBodyKnown: boolean
  readonly state: ExchangeRow['state']
  readonly status: number | null
  readonly code: string | null
  /**
   * The parsed response; of a long one only the members that rules need. Undefined if unknown.
   */
  readonly response: unknown
  readonly attempt: number
  /** How a panel's page called; null for everybody else. */
  readonly via: 'host.api' | 'fetch' | 'element' | null
  /** Members in the page's body that the host fills in; null for other callers. */
  readonly sentMembers: { readonly confirm: boolean; readonly addon: boolean } | null
}

export const isSuccess = ({ state, status, code }: ObservedExchange): boolean =>
  state === 'answered' && status !== null && status >= 200 && status < 300 && code === null

/** Refused by the host, or by whoever responded for it. */
export const isRefused = ({ state, status, code }: ObservedExchange): boolean =>
  state === 'answered' && ((status !== null && status >= 400) || (code !== null && code !== ''))

/** A member that is a text with something in it, or a number; null otherwise. */
export function getText(value: unknown, name: string): string | null {
  const member = getMember(value, name)
  if (typeof member === 'number') return String(member)
  return typeof member === 'string' && member !== '' ? member : null
}

/** The texts of a member that is a list; empty otherwise. */
export function getTexts(value: unknown, name: string): string[] {
  const member = getMember(value, name)
  return Array.isArray(member) ? member.filter((text): text is string => typeof text === 'string' && text !== '') : []
}

/**
 * A key that is equal for equal requests; a request with an unknown body equals only itself.
 * `confirm` and `addon` are left out, because the host fills them in (spec §4).
 */
export function toRequestKey({ seq, method, path, body, isBodyKnown }: ObservedExchange): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const ownBody = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${toCanonicalJson(ownBody)}`
}
