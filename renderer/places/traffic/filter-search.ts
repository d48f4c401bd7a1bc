import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import {
  filterTokenKinds,
  formatFilterToken,
  listFilterTokens,
  splitFilterText,
  toTokenFilter,
  type FilterToken,
  type FilterTokenName,
} from '../../../shared/traffic/filter-language.ts'
import type { useTrafficRouteState } from './traffic-route-state.ts'

const MAX_SUGGESTIONS = 12
const routes = [...new Set(endpoints.map(({ path }) => path))].sort()
const tokenNames = Object.keys(filterTokenKinds) as FilterTokenName[]

/** The rest of a word that is typed: a token's name up to the colon, or a whole token. */
export interface FilterSuggestion {
  readonly text: string
  readonly name: FilterTokenName
}

/** Lists how the last word can go on; for an empty field, all names of the language. */
export function listFilterSuggestions(typed: string): readonly FilterSuggestion[] {
  const word = typed.split(/\s/).at(-1) ?? ''
  const minus = word.startsWith('-') ? '-' : ''
  const colonIndex = word.indexOf(':')
  const name = word.slice(minus.length, colonIndex === -1 ? undefined : colonIndex)
  if (colonIndex === -1) {
    return tokenNames
      .filter((candidate) => candidate.startsWith(name))
      .map((candidate) => ({ text: `${minus}${candidate}:`, name: candidate }))
  }
  const kind = tokenNames.find((candidate) => candidate === name)
  if (kind === undefined) return []
  const value = word.slice(colonIndex + 1)
  const values: readonly string[] = kind === 'route' ? routes : filterTokenKinds[kind].values
  return values
    .filter((candidate) => candidate.toLowerCase().includes(value.toLowerCase()) && candidate !== value)
    .slice(0, MAX_SUGGESTIONS)
    .map((candidate) => ({ text: `${minus}${kind}:${candidate}`, name: kind }))
}

export interface FilterSearch {
  /** What is typed; whole tokens in it filter, too. */
  readonly typed: Ref<string>
  /** The tokens of the filter that are not being typed. */
  readonly chips: Readonly<Ref<readonly FilterToken[]>>
  readonly suggestions: ComputedRef<readonly FilterSuggestion[]>
  /** True if a typed word begins like a token and filters nothing. */
  readonly hasIncomplete: ComputedRef<boolean>
  /** Puts what is typed into the filter. */
  apply(): void
  /** Turns the typed tokens into chips. */
  commit(): void
  /** Puts a suggestion in place of the last word. */
  complete(suggestion: FilterSuggestion): void
  remove(token: FilterToken): void
  /** Adds a chip in place of all tokens of its name. */
  replace(token: FilterToken): void
}

/** The members of the filter that tokens stand for. */
const NO_TOKENS = {
  methods: undefined,
  statuses: undefined,
  origins: undefined,
  template: undefined,
  hasFinding: undefined,
  largerThanBytes: undefined,
  slowerThanMs: undefined,
  lastMs: undefined,
  code: undefined,
  id: undefined,
  host: undefined,
  states: undefined,
  pinned: undefined,
  excluded: undefined,
}

/** Keeps the search field and its chips in step with the filter of the route. */
export function useFilterSearch(routeState: ReturnType<typeof useTrafficRouteState>): FilterSearch {
  const { filter } = routeState
  const typed = ref(filter.value.text ?? '')
  const chips = ref(listFilterTokens(filter.value))
  const describe = (tokens: readonly FilterToken[], text: string): string =>
    [...tokens.map(formatFilterToken).sort(), text].join(' ')
  const listAll = (): readonly FilterToken[] => [...chips.value, ...splitFilterText(typed.value).tokens]

  function apply(): void {
    const text = splitFilterText(typed.value).text
    routeState.updateFilter({ ...NO_TOKENS, ...toTokenFilter(listAll()), text: text || undefined })
  }
  function commit(): void {
    const { tokens, text, incomplete } = splitFilterText(typed.value)
    if (tokens.length === 0) return
    chips.value = listFilterTokens(toTokenFilter([...chips.value, ...tokens]))
    typed.value = [text, ...incomplete].filter((part) => part !== '').join(' ')
    apply()
  }
  // Another filter came with the address, a saved filter or a link.
  watch(filter, (next) => {
    const tokens = listFilterTokens(next)
    const current = listFilterTokens(toTokenFilter(listAll()))
    const { text } = splitFilterText(typed.value)
    if (describe(tokens, next.text ?? '') === describe(current, text)) return
    chips.value = tokens
    typed.value = next.text ?? ''
  })
  return {
    typed,
    chips,
    suggestions: computed(() => listFilterSuggestions(typed.value)),
    hasIncomplete: computed(() => splitFilterText(typed.value).incomplete.length > 0),
    apply,
    commit,
    complete({ text }) {
      const words = typed.value.split(/\s/)
      typed.value = [...words.slice(0, -1), text].join(' ')
      if (!text.endsWith(':')) commit()
    },
    remove(token) {
      chips.value = chips.value.filter((chip) => formatFilterToken(chip) !== formatFilterToken(token))
      apply()
    },
    replace(token) {
      commit()
      chips.value = [...chips.value.filter(({ name }) => name !== token.name), token]
      apply()
    },
  }
}
