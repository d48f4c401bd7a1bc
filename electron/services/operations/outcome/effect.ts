import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { getValueAtPointer } from '../../../../shared/json/pointer.ts'
import type { EffectRule } from '../../../../shared/bridge/endpoints/read-back.ts'
import type { DerivedOperation } from './derived-operation.ts'
import type { OperationEvent, OperationState } from '../../../../shared/operations/operation-events.ts'

type Facts = Readonly<Record<string, unknown>>

/** A member that differs between two reads. */
interface Change {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** What a command could have touched: before it, when it had ended, and as last read; null if it was not read. */
export interface ReadBackFacts {
  readonly before: Facts | null
  readonly after: Facts | null
  readonly last: Facts | null
}

/** States that say how the command ended: later changes are somebody else's doing. */
export const CONCLUSIVE_STATES: ReadonlySet<OperationState> = new Set([
  'settled',
  'persisted',
  'unconfirmed',
  'recorded',
  'conflict',
  'refused',
])

/**
 * The read-backs of a record. If the end is known, the first one after it counts: an earlier one may have been too early, and a later one
 * shows what others did since. If it is unknown, the command may take effect at any time, and the last one counts.
 */
export function collectReadBacks(
  { state, transitions }: DerivedOperation,
  events: readonly OperationEvent[],
): ReadBackFacts {
  const end = CONCLUSIVE_STATES.has(state) ? (transitions.at(-1)?.event ?? 0) : Number.POSITIVE_INFINITY
  let before: Facts | null = null
  let after: Facts | null = null
  let last: Facts | null = null
  events.forEach((event, place) => {
    if (event.kind !== 'read-back' || !isObject(event.facts)) return
    if (event.when === 'before') before = event.facts
    else {
      last = event.facts
      if (place > end) after ??= last
    }
  })
  return { before, after: end === Number.POSITIVE_INFINITY ? last : after, last }
}

/** What the command could have touched, before it and when it had ended; empty if either is missing. */
export const findChanges = ({ before, after }: ReadBackFacts): readonly Change[] => between(before, after)

/** What has changed since the command ended. */
export const findLaterChanges = ({ after, last }: ReadBackFacts): readonly Change[] => between(after, last)

function between(left: Facts | null, right: Facts | null): Change[] {
  if (!left || !right || left === right) return []
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names
    .map((field) => ({ field, before: own(left, field) ?? null, after: own(right, field) ?? null }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}

const own = (facts: Facts, name: string): unknown => (Object.hasOwn(facts, name) ? facts[name] : undefined)

/** What was sent, what was answered, and what was read afterwards. */
interface Seen {
  /** The body as it was sent, parsed; null if there was none. */
  readonly body: unknown
  readonly answer: unknown
  readonly before: Facts | null
  readonly after: Facts
}

type RuleName = EffectRule['rule']
type Rules = {
  readonly [Name in RuleName]: (effect: Extract<EffectRule, { readonly rule: Name }>, seen: Seen) => boolean | null
}

/**
 * Whether an independent read shows what the command asked for (spec §1: `persisted` is only the host's word), by the effect that its row
 * declares; null if the two cannot be compared.
 */
export function checkEffect(endpointId: string, seen: Seen): boolean | null {
  const effect = findEndpointById(endpointId)?.effect
  return effect ? ofEach(effect, seen) : null
}

/** Checks everything that the body names: with several, each fact is prefixed with its id (`read-back.ts`). */
function ofEach(effect: EffectRule, seen: Seen): boolean | null {
  const ids = effect.each === undefined ? [] : (texts(getMember(seen.body, effect.each)) ?? [])
  if (ids.length < 2) return held(effect, seen)
  const cut = (facts: Facts, id: string): Facts => {
    const mine = Object.entries(facts).filter(([name]) => name.startsWith(`${id}.`))
    return Object.fromEntries(mine.map(([name, value]) => [name.slice(id.length + 1), value]))
  }
  return all(
    [...new Set(ids)].map((id) =>
      held(effect, { ...seen, after: cut(seen.after, id), before: seen.before && cut(seen.before, id) }),
    ),
  )
}

/** The rules of `Effect`. */
const rules: Rules = {
  members: ({ readBackPointers }, { body, after }) =>
    all(
      Object.entries(readBackPointers)
        .map(([from, to]) => [getValueAtPointer(body, from), getValueAtPointer(after, to)] as const)
        .filter(([sent]) => sent !== undefined)
        .map(([sent, now]) => (now === undefined ? null : equal(now, sent))),
    ),
  // What was already missing before was deleted by nobody, as far as can be seen.
  gone: (_, { before, after }) =>
    typeof after['exists'] !== 'boolean' || before?.['exists'] === false ? null : !after['exists'],
  text({ bodyPointer, readBackPointer, index }, { body, answer, before, after }) {
    const wanted = getValueAtPointer(body, bodyPointer)
    const now = getValueAtPointer(after, readBackPointer)
    if (!Array.isArray(now) || wanted === undefined) return null
    const at = typeof index === 'number' ? index : getValueAtPointer(answer, index.responsePointer)
    if (at === undefined) return isAdded(getValueAtPointer(before, readBackPointer), now, wanted)
    const found = (now as unknown[]).find((one) => equal(getMember(one, 'index'), at))
    return found === undefined ? false : equal(getMember(found, 'text'), wanted)
  },
  tags({ operationPointer, bodyPointer, readBackPointer }, { body, after }) {
    const tags = texts(getValueAtPointer(after, readBackPointer))
    const named = texts(getValueAtPointer(body, bodyPointer))
    if (tags === null || named === null) return null
    // A tag keeps its first spelling, whatever is sent later (observed §5).
    const bare = (tag: string): string => tag.replace(/^#/, '').toLowerCase()
    const now = new Set(tags.map(bare))
    const wanted = new Set(named.map(bare))
    const every = (rule: (tag: string) => boolean): boolean => [...wanted].every(rule)
    switch (getValueAtPointer(body, operationPointer)) {
      case 'add':
        return wanted.size === 0 ? null : every((tag) => now.has(tag))
      case 'replace':
        return every((tag) => now.has(tag)) && now.size === wanted.size
      case 'remove':
        return wanted.size === 0 ? null : every((tag) => !now.has(tag))
      default:
        return null
    }
  },
  // The revision shows that this very write is there; the list shows what it contains (spec §2 Practice verdict).
  revision({ responsePointer, readBackPointer, contains }, { answer, after }) {
    const revision = word(getValueAtPointer(answer, responsePointer))
    const now = word(getValueAtPointer(after, readBackPointer))
    if (revision === null || now === null) return null
    if (revision !== now) {
      // A later revision includes this one, but only numbers tell which one is later.
      return Number(now) > Number(revision) || !isNumber(revision) || !isNumber(now) ? null : false
    }
    const promised = texts(getValueAtPointer(answer, contains.responsePointer))
    const found = texts(getValueAtPointer(after, contains.readBackPointer))
    return promised === null || found === null ? true : promised.every((one) => found.includes(one))
  },
  added({ readBackPointer, responsePointer, keys, members }, { body, before, answer, after }) {
    const now = getValueAtPointer(after, readBackPointer)
    if (!Array.isArray(now)) return null
    const then = getValueAtPointer(before, readBackPointer)
    const known = Array.isArray(then) ? (then as unknown[]) : []
    const created = getValueAtPointer(answer, responsePointer)
    const key = keys.find((one) => getMember(created, one) !== undefined)
    if (key === undefined) {
      const added = now.filter((entry) => !known.some((one) => equal(one, entry)))
      if (before === null || added.length === 0) return before === null ? null : false
      const wanted = added.map((entry: unknown) => holds(body, entry, members))
      // One with what was sent; if nothing was specified, any.
      const isBare = members.every((name) => getMember(body, name) === undefined)
      return wanted.includes(true) || (wanted.includes(null) ? (isBare ? true : null) : false)
    }
    const same = (entry: unknown): boolean => equal(getMember(entry, key), getMember(created, key))
    // An entry that was there before is not the requested one.
    if (known.some(same)) return false
    const found: unknown = now.find(same)
    return found !== undefined && holds(body, found, members) !== false
  },
}

/** What the rule of this effect says. */
function held<Name extends RuleName>(effect: Extract<EffectRule, { readonly rule: Name }>, seen: Seen): boolean | null {
  const rule: Rules[Name] = rules[effect.rule]
  return rule(effect, seen)
}

const equal = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
const texts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null

/** False if one is false; null if one is unknown, or there is nothing to compare. */
function all(found: readonly (boolean | null)[]): boolean | null {
  if (found.includes(false)) return false
  return found.length === 0 || found.includes(null) ? null : true
}

/** Whether every member that was sent is there now; null if none of it can be seen. */
function holds(sent: unknown, there: unknown, names: readonly string[]): boolean | null {
  const named = names.filter((name) => getMember(sent, name) !== undefined)
  if (named.length === 0 || !isObject(there)) return null
  return all(named.map((name) => (Object.hasOwn(there, name) ? equal(there[name], getMember(sent, name)) : null)))
}

/** Whether a text now appears more often than before. */
function isAdded(then: unknown, now: readonly unknown[], wanted: unknown): boolean | null {
  if (!Array.isArray(then)) return null
  const count = (list: readonly unknown[]): number => list.filter((one) => equal(getMember(one, 'text'), wanted)).length
  return count(now) > count(then)
}

/** A revision is a text or a number; nothing can be said about anything else. */
const word = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))
