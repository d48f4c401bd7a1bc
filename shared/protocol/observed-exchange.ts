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

/** It changes something of the user's: not a read, whatever its method is. Without a row, a method other than GET counts as a write. */
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

/** Characters of a value beyond which two count as different: comparing is for requests as people write them. */
const MAX_CANONICAL_CHARS = 20_000
const MAX_CANONICAL_DEPTH = 50
let largeValueCount = 0

/** JSON with sorted members: equal values give equal texts. A value that is too large or too deep equals only itself. */
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

/** An exchange that has ended, with what rules look at. Whatever came from outside is `unknown`, or text of any content. */
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
  /** Of a repeated name the first value. */
  readonly query: ReadonlyMap<string, string>
  /** Value of the request's body; undefined if there is none or it is not known. */
  readonly body: unknown
  /** False if there was a body that is not known: it was cut, is too long, or is no JSON. */
  readonly isBodyKnown: boolean
  readonly state: ExchangeRow['state']
  readonly status: number | null
  readonly code: string | null
  /** Value of the answer; of a long one only the members that rules look at. Undefined if it is not known. */
  readonly response: unknown
  readonly attempt: number
  /** How a panel's page called; null for everybody else. */
  readonly via: 'host.api' | 'fetch' | 'element' | null
  /** Which members the page itself sent that the host fills in; null for everybody else. */
  readonly sentMembers: { readonly confirm: boolean; readonly addon: boolean } | null
}

/** It was answered, and with success. */
export const isSuccess = ({ state, status, code }: ObservedExchange): boolean =>
  state === 'answered' && status !== null && status >= 200 && status < 300 && code === null

/** The host (or whoever answered for it) refused it. */
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

/** A request in a form in which equal ones are equal; one that is not known whole equals only itself. `confirm` and `addon` are the host's to fill in (spec §4). */
export function toRequestKey({ seq, method, path, body, isBodyKnown }: ObservedExchange): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const own = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${toCanonicalJson(own)}`
}
