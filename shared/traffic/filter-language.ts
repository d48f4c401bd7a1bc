// The language in which exchanges are filtered: words, and tokens such as `status:4xx` or
// `-origin:panel`.
import { exchangeStates, originKinds } from './exchange.ts'
import { MAX_EXCLUSIONS, statusClasses, trafficFilterSchema, type TrafficFilter } from './traffic-filter.ts'

type FilterPart = Omit<TrafficFilter, 'excluded'>

interface TokenKind {
  /** Members of the filter of a value; null if the value means nothing. */
  parse(value: string): FilterPart | null
  /** Values of a filter's member, as `parse` takes them. */
  list(filter: FilterPart): readonly string[]
  /** The values that are offered while a token is typed; the rest is free. */
  readonly values: readonly string[]
}

const toList = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])
const createChoice = <Name extends 'states' | 'origins' | 'methods' | 'statuses'>(
  name: Name,
  values: readonly string[],
  pattern?: RegExp,
): TokenKind => ({
  parse: (value) =>
    values.includes(value) || pattern?.test(value) === true ? ({ [name]: [value] } as unknown as FilterPart) : null,
  list: (filter) => filter[name] ?? [],
  values,
})
const createText = (name: 'template' | 'code' | 'id' | 'host', values: readonly string[] = []): TokenKind => ({
  parse: (value) => ({ [name]: value }),
  list: (filter) => toList(filter[name]),
  values,
})
/** @param units by name, the largest first, in the unit of the filter; `''` for a number alone */
const createLimit = (
  name: 'slowerThanMs' | 'largerThanBytes' | 'lastMs',
  units: Readonly<Record<string, number>>,
  values: readonly string[],
): TokenKind => ({
  parse(value) {
    const [, number = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)([a-z]*)$/i.exec(value) ?? []
    const factor = units[unit.toLowerCase()] ?? (unit === '' ? 1 : Number.NaN)
    // A factor must not leave digits that cannot be typed.
    const limit = Math.round(Number(number) * factor * 1_000) / 1_000
    return number === '' || Number.isNaN(limit) ? null : { [name]: limit }
  },
  list: (filter) =>
    toList(filter[name]).map((limit) => {
      const [unit, factor] = Object.entries(units).find(([, size]) => limit % size === 0) ?? ['', 1]
      return `${limit / factor}${unit}`
    }),
  values,
})
const createFlag = (name: 'hasFinding' | 'pinned', word: string): TokenKind => ({
  parse: (value) => (value === word ? { [name]: true } : null),
  list: (filter) => (filter[name] === true ? [word] : []),
  values: [word],
})

/** A status class is written as people say it: `4xx`. */
const statusKind = createChoice('statuses', statusClasses, /^[1-5]\d\d$/)
const toStatusWord = (status: string): string => (status.length === 1 ? `${status}xx` : status)

export const filterTokenKinds = {
  method: createChoice('methods', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], /^[A-Z]{1,20}$/),
  status: {
    parse: (value) => statusKind.parse(value.replace(/^([1-5])xx$/i, '$1')),
    list: (filter) => statusKind.list(filter).map(toStatusWord),
    values: statusClasses.map(toStatusWord),
  },
  origin: createChoice('origins', originKinds),
  route: createText('template'),
  has: createFlag('hasFinding', 'finding'),
  larger: createLimit('largerThanBytes', { mb: 1_000_000, kb: 1_000, b: 1 }, ['10kb', '100kb', '1mb']),
  slower: createLimit('slowerThanMs', { s: 1_000, ms: 1 }, ['100ms', '1s', '10s']),
  last: createLimit('lastMs', { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1, '': Number.NaN }, [
    '10s',
    '1m',
    '10m',
    '1h',
  ]),
  code: createText('code'),
  id: createText('id'),
  host: createText('host'),
  state: createChoice('states', exchangeStates),
  is: createFlag('pinned', 'pinned'),
} satisfies Record<string, TokenKind>
export type FilterTokenName = keyof typeof filterTokenKinds

/** One condition of a filter, such as `-status:404`. */
export interface FilterToken {
  readonly name: FilterTokenName
  readonly value: string
  readonly isExcluded: boolean
}

const isTokenName = (name: string): name is FilterTokenName => Object.hasOwn(filterTokenKinds, name)

/** Reads one word of the language; null if it is text to search for. */
export function parseFilterToken(word: string): FilterToken | null {
  const [, minus, name = '', value = ''] = /^(-?)([a-z]+):(.+)$/.exec(word) ?? []
  if (!isTokenName(name) || value === '') return null
  const token = { name, value: name === 'method' ? value.toUpperCase() : value, isExcluded: minus === '-' }
  const part = filterTokenKinds[name].parse(token.value)
  return part !== null && trafficFilterSchema.safeParse(part).success ? token : null
}

export function formatFilterToken({ name, value, isExcluded }: FilterToken): string {
  return `${isExcluded ? '-' : ''}${name}:${value}`
}

/** Lists the tokens of a filter; `text` and members that no token stands for are left out. */
export function listFilterTokens({ excluded = [], ...filter }: TrafficFilter): readonly FilterToken[] {
  const list = (part: FilterPart, isExcluded: boolean): FilterToken[] =>
    Object.entries(filterTokenKinds).flatMap(([name, kind]) =>
      kind.list(part).map((value) => ({ name: name as FilterTokenName, value, isExcluded })),
    )
  return [...list(filter, false), ...excluded.flatMap((part) => list(part, true))]
}

/** Builds the members of the filter that tokens stand for. Tokens of one name are alternatives. */
export function toTokenFilter(tokens: readonly FilterToken[]): TrafficFilter {
  const parts = (isExcluded: boolean): FilterPart[] =>
    tokens
      .filter((token) => token.isExcluded === isExcluded)
      .flatMap(({ name, value }) => filterTokenKinds[name].parse(value) ?? [])
  const filter: Record<string, unknown> = {}
  for (const part of parts(false)) {
    for (const [member, value] of Object.entries(part)) {
      const earlier = filter[member]
      filter[member] = Array.isArray(earlier) ? [...new Set([...earlier, ...(value as unknown[])])] : value
    }
  }
  const excluded = parts(true).slice(0, MAX_EXCLUSIONS)
  return { ...(filter as TrafficFilter), ...(excluded.length > 0 ? { excluded } : {}) }
}

interface TypedFilter {
  readonly tokens: readonly FilterToken[]
  /** The text to search for. */
  readonly text: string
  /** Words that begin like a token and are none, such as `status:4`, which may be half typed. */
  readonly incomplete: readonly string[]
}

/** Returns the first word that filters nothing or asks for more than a store has, if any. */
export function findRefusedWord(
  { tokens, incomplete }: Pick<TypedFilter, 'tokens' | 'incomplete'>,
  refusedNames: readonly FilterTokenName[],
): string | undefined {
  return [...incomplete, ...tokens.filter(({ name }) => refusedNames.includes(name)).map(formatFilterToken)][0]
}

const startsLikeToken = (word: string): boolean =>
  word.includes(':') && isTokenName(word.replace(/^-/, '').split(':', 1)[0] ?? '')

export function splitFilterText(typed: string): TypedFilter {
  const words = typed.split(/\s+/).filter((word) => word !== '')
  const texts = words.filter((word) => !startsLikeToken(word))
  return {
    tokens: words.flatMap((word) => parseFilterToken(word) ?? []),
    // Without tokens, blanks within the text are part of it.
    text: texts.length === words.length ? typed.trim() : texts.join(' '),
    incomplete: words.filter((word) => startsLikeToken(word) && parseFilterToken(word) === null),
  }
}
