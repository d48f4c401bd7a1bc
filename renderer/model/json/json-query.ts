import { isJsonPointer, parsePointer } from '../../../shared/json/pointer.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  decodeJsonString,
  OPEN_LIST,
  OPEN_OBJECT,
  TokenCursor,
} from '../../../shared/json/token-cursor.ts'

interface QueryStep {
  /** A member's name or an index; null stands for every member and entry. */
  readonly name: string | null
  /** True if the step may be at any depth below the one before. */
  readonly isDeep: boolean
}

export interface JsonQuery {
  readonly steps: readonly QueryStep[]
  /** True if the query leads to one value at most, unless a name is repeated. */
  readonly isSingle: boolean
}

/** The state of a walk has one bit for each step. */
const MAX_STEPS = 30
const MAX_QUERY_CHARS = 1_000
const MAX_MATCHES = 10_000
/** Matches of a deep step contain each other, so together they may be much longer than the text. */
const MAX_SELECTED_CHARS = 4_000_000

/** `.name`, `.*`, `[0]`, `[*]`, `['name']` or `["name"]`, each also after `..`. */
const stepPattern = /(\.\.?)?(?:\[(?:(\d{1,15}|\*)|'([^']*)'|"([^"]*)")\]|(\*|[^.[\]'"*\s]+))/y

/**
 * Parses a JSON pointer (RFC 6901) or a JSONPath (RFC 9535). A JSONPath may have names, indexes,
 * `*` and `..`, but no filters, slices, unions, negative indexes or escapes in names.
 * @returns null for any other text
 */
export function parseJsonQuery(query: string): JsonQuery | null {
  const text = query.trim()
  if (text.length > MAX_QUERY_CHARS) return null
  const steps = text.startsWith('/')
    ? isJsonPointer(text) && parsePointer(text).map((name) => ({ name, isDeep: false }))
    : text.startsWith('$') && parseJsonPath(text)
  if (!steps || steps.length > MAX_STEPS) return null
  return { steps, isSingle: steps.every(({ name, isDeep }) => name !== null && !isDeep) }
}

function parseJsonPath(text: string): QueryStep[] | null {
  const steps: QueryStep[] = []
  let offset = 1
  while (offset < text.length) {
    stepPattern.lastIndex = offset
    const match = stepPattern.exec(text)
    if (!match) return null
    const [all, dots, index, singleQuoted, doubleQuoted, word] = match
    // A word needs a dot before it, and a bracket needs two or none.
    if (word === undefined ? dots === '.' : dots === undefined) return null
    const name = index ?? singleQuoted ?? doubleQuoted ?? word ?? ''
    const isQuoted = singleQuoted !== undefined || doubleQuoted !== undefined
    steps.push({ name: name === '*' && !isQuoted ? null : name, isDeep: dots === '..' })
    offset += all.length
  }
  return steps
}

interface OpenContainer {
  readonly isObject: boolean
  /** Bit n: the first n steps lead here. */
  readonly state: number
  readonly matchIndex: number
  name: string
  index: number
}

/**
 * Selects values of a JSON text as they were sent, in one pass: a single value by itself, others as
 * a list. Text that is incomplete or not JSON is read as far as it has JSON's tokens.
 */
export function selectJson(
  text: string,
  { steps, isSingle }: JsonQuery,
): { readonly text: string; readonly matchCount: number; readonly isTruncated: boolean } {
  const matches: { readonly start: number; end: number }[] = []
  const open: OpenContainer[] = []
  const tokens = new TokenCursor(text)
  let isTruncated = false
  while (tokens.next()) {
    const { kind, start, end } = tokens
    const parent = open.at(-1)
    if (kind === CLOSE_OBJECT || kind === CLOSE_LIST) {
      const match = matches[open.pop()?.matchIndex ?? -1]
      if (match) match.end = end
    } else if (kind === COMMA) {
      if (parent) parent.index += 1
    } else if (tokens.isName && parent) parent.name = decodeJsonString(text.slice(start + 1, end - 1))
    else if (kind !== COLON) {
      const state = parent ? advance(parent, steps) : 1
      const isEndOfQuery = (state & (1 << steps.length)) !== 0
      const isMatch = isEndOfQuery && matches.length < MAX_MATCHES
      if (isMatch) matches.push({ start, end })
      isTruncated ||= isEndOfQuery !== isMatch
      if (kind !== OPEN_OBJECT && kind !== OPEN_LIST) continue
      const matchIndex = isMatch ? matches.length - 1 : -1
      open.push({ isObject: kind === OPEN_OBJECT, state, matchIndex, name: '', index: 0 })
      // Its end is not known yet.
      const match = matches[matchIndex]
      if (match) match.end = text.length
    }
  }
  const texts: string[] = []
  let size = 0
  for (const { start, end } of matches) {
    if (texts.length > 0 && size + end - start > MAX_SELECTED_CHARS) break
    texts.push(text.slice(start, end))
    size += end - start
  }
  const isAlone = isSingle && texts.length === 1
  return {
    text: isAlone || texts.length === 0 ? texts.join('') : `[${texts.join(',')}]`,
    matchCount: texts.length,
    isTruncated: isTruncated || texts.length < matches.length,
  }
}

/** Returns which steps lead to the next value of a container. */
function advance(container: OpenContainer, steps: readonly QueryStep[]): number {
  const key = container.isObject ? container.name : String(container.index)
  let state = 0
  for (const [index, { name, isDeep }] of steps.entries()) {
    if ((container.state & (1 << index)) === 0) continue
    if (name === null || name === key) state |= 1 << (index + 1)
    if (isDeep) state |= 1 << index
  }
  return state
}
