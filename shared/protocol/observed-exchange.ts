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
  const all = (names: readonly string[]): string[] =>
    parts.flatMap((part) => names.flatMap((one) => getText(part, one) ?? []))
  const cards = [...all(cardMembers), ...parts.flatMap((part) => getTexts(part, 'noteIds').slice(0, 500))]
  const topics = [...all(topicMembers), query.get('topicid') ?? '', query.get('studySet') ?? '']
  const documents = all(['bookmd5'])
  const once = (list: readonly string[]): string[] => [...new Set(list.filter((one) => one !== ''))]
  return { cards: once(cards), topics: once(topics), documents: once(documents) }
}

/** Characters of a value beyond which two count as different: comparing is for requests as people write them. */
const MAX_CANONICAL_CHARS = 20_000
const MAX_CANONICAL_DEPTH = 50
let count = 0

/** JSON with sorted members: equal values give equal texts. A value that is too large or too deep equals only itself. */
export function toCanonicalJson(value: unknown): string {
  const text = write(value, 0)
  if (text !== null && text.length <= MAX_CANONICAL_CHARS) return text
  count += 1
  return `too large ${count}`
}

function write(value: unknown, depth: number): string | null {
  if (depth > MAX_CANONICAL_DEPTH) return null
  if (Array.isArray(value))
    return joined(
      '[',
      value.map((one) => write(one, depth + 1)),
      ']',
    )
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => {
      const text = write(value[name], depth + 1)
      return text === null ? null : `${JSON.stringify(name)}:${text}`
    })
  return joined('{', members, '}')
}

const joined = (open: string, parts: readonly (string | null)[], close: string): string | null =>
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
  const found = getMember(value, name)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found : null
}

/** The texts of a member that is a list; empty otherwise. */
export function getTexts(value: unknown, name: string): string[] {
  const found = getMember(value, name)
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string' && one !== '') : []
}

/** A request in a form in which equal ones are equal; one that is not known whole equals only itself. `confirm` and `addon` are the host's to fill in (spec §4). */
export function toRequestKey({ seq, method, path, body, isBodyKnown }: ObservedExchange): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const own = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${toCanonicalJson(own)}`
}
