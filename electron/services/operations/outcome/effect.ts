import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import { getValueAtPointer } from '../../../../shared/json/pointer.ts'
import { isEqual, toTagKey } from '../../../../shared/snapshots/forecast.ts'
import type { EffectRule } from '../../../../shared/bridge/endpoints/read-back.ts'
import type { DerivedOperation } from './derived-operation.ts'
import { getNextSteps } from './next-steps.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'

type Facts = Readonly<Record<string, unknown>>

interface MemberChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** Members the command could touch: before it, after its end, as last read. Null is not read. */
export interface ReadBackFacts {
  readonly before: Facts | null
  readonly after: Facts | null
  readonly last: Facts | null
}

/**
 * Selects the read-backs of a record. If the end of the command is known, the first read-back after
 * that end counts, because an earlier one may have been too early and a later one shows what others
 * did since. If the end is unknown, the command may take effect at any time, and the last read-back
 * counts.
 */
export function collectReadBacks(
  { state, transitions }: DerivedOperation,
  events: readonly OperationEvent[],
): ReadBackFacts {
  const endIndex = getNextSteps(state).isConclusive ? (transitions.at(-1)?.event ?? 0) : Number.POSITIVE_INFINITY
  let before: Facts | null = null
  let after: Facts | null = null
  let last: Facts | null = null
  events.forEach((event, index) => {
    if (event.kind !== 'read-back' || !isObject(event.facts)) return
    if (event.when === 'before') before = event.facts
    else {
      last = event.facts
      if (index > endIndex) after ??= last
    }
  })
  return { before, after: endIndex === Number.POSITIVE_INFINITY ? last : after, last }
}

/** Compares the members before the command with those after its end. Empty if either is missing. */
export function findChanges({ before, after }: ReadBackFacts): readonly MemberChange[] {
  return compareFacts(before, after)
}

export function findLaterChanges({ after, last }: ReadBackFacts): readonly MemberChange[] {
  return compareFacts(after, last)
}

function compareFacts(left: Facts | null, right: Facts | null): MemberChange[] {
  if (!left || !right || left === right) return []
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names
    .map((field) => ({ field, before: getOwnMember(left, field) ?? null, after: getOwnMember(right, field) ?? null }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}

const getOwnMember = (facts: Facts, name: string): unknown => (Object.hasOwn(facts, name) ? facts[name] : undefined)

interface EffectEvidence {
  /** The parsed body of the request; null if there was none. */
  readonly body: unknown
  readonly response: unknown
  readonly before: Facts | null
  readonly after: Facts
}

type RuleName = EffectRule['rule']
type Rules = {
  readonly [Name in RuleName]: (
    effect: Extract<EffectRule, { readonly rule: Name }>,
    evidence: EffectEvidence,
  ) => boolean | null
}

/** Compares by the declared effect with what was read: `persisted` is only the host's word. */
export function checkEffect(endpointId: string, evidence: EffectEvidence): boolean | null {
  const effect = findEndpointById(endpointId)?.effect
  return effect ? checkEachEntry(effect, evidence) : null
}

/** Checks every entry that the body names; of several, facts have the entry's id as prefix. */
function checkEachEntry(effect: EffectRule, evidence: EffectEvidence): boolean | null {
  const ids = effect.listMember === undefined ? [] : (toTextList(getMember(evidence.body, effect.listMember)) ?? [])
  if (ids.length < 2) return checkRule(effect, evidence)
  const selectEntryFacts = (facts: Facts, id: string): Facts => {
    const entryFacts = Object.entries(facts).filter(([name]) => name.startsWith(`${id}.`))
    return Object.fromEntries(entryFacts.map(([name, value]) => [name.slice(id.length + 1), value]))
  }
  return combineResults(
    [...new Set(ids)].map((id) =>
      checkRule(effect, {
        ...evidence,
        after: selectEntryFacts(evidence.after, id),
        before: evidence.before && selectEntryFacts(evidence.before, id),
      }),
    ),
  )
}

const rules: Rules = {
  members: ({ readBackPointers }, { body, after }) =>
    combineResults(
      Object.entries(readBackPointers)
        .map(([from, to]) => [getValueAtPointer(body, from), getValueAtPointer(after, to)] as const)
        .filter(([expected]) => expected !== undefined)
        .map(([expected, current]) => (current === undefined ? null : isEqual(current, expected))),
    ),
  // An entry that was already missing before may have been deleted by somebody else.
  gone: (_, { before, after }) =>
    typeof after['exists'] !== 'boolean' || before?.['exists'] === false ? null : !after['exists'],
  text({ bodyPointer, readBackPointer, index }, { body, response, before, after }) {
    const expected = getValueAtPointer(body, bodyPointer)
    const current = getValueAtPointer(after, readBackPointer)
    if (!Array.isArray(current) || expected === undefined) return null
    const isAdded = (): boolean | null => isTextAdded(getValueAtPointer(before, readBackPointer), current, expected)
    // The path is not known here, and the text may be the same as before.
    if (typeof index === 'object' && 'pathParameter' in index) return isAdded() || null
    const textIndex = typeof index === 'number' ? index : getValueAtPointer(response, index.responsePointer)
    if (textIndex === undefined) return isAdded()
    const entry = (current as unknown[]).find((candidate) => isEqual(getMember(candidate, 'index'), textIndex))
    return entry === undefined ? false : isEqual(getMember(entry, 'text'), expected)
  },
  // The indexes of the remaining texts may be others.
  textGone: () => null,
  computed: () => null,
  tags({ operationPointer, bodyPointer, readBackPointer }, { body, after }) {
    const tags = toTextList(getValueAtPointer(after, readBackPointer))
    const sentTags = toTextList(getValueAtPointer(body, bodyPointer))
    if (tags === null || sentTags === null) return null
    const currentTags = new Set(tags.map(toTagKey))
    const expectedTags = new Set(sentTags.map(toTagKey))
    const isEveryTag = (predicate: (tag: string) => boolean): boolean => [...expectedTags].every(predicate)
    switch (getValueAtPointer(body, operationPointer)) {
      case 'add':
        return expectedTags.size === 0 ? null : isEveryTag((tag) => currentTags.has(tag))
      case 'replace':
        return isEveryTag((tag) => currentTags.has(tag)) && currentTags.size === expectedTags.size
      case 'remove':
        return expectedTags.size === 0 ? null : isEveryTag((tag) => !currentTags.has(tag))
      default:
        return null
    }
  },
  // The revision shows that this write is stored, the list its content (spec §2).
  revision({ responsePointer, readBackPointer, contains }, { response, after }) {
    const revision = toRevisionText(getValueAtPointer(response, responsePointer))
    const currentRevision = toRevisionText(getValueAtPointer(after, readBackPointer))
    if (revision === null || currentRevision === null) return null
    if (revision !== currentRevision) {
      // A later revision includes the command's revision, but only numeric revisions have an order.
      return Number(currentRevision) > Number(revision) || !isNumeric(revision) || !isNumeric(currentRevision)
        ? null
        : false
    }
    const promised = toTextList(getValueAtPointer(response, contains.responsePointer))
    const current = toTextList(getValueAtPointer(after, contains.readBackPointer))
    return promised === null || current === null ? true : promised.every((item) => current.includes(item))
  },
  added({ readBackPointer, responsePointer, keys, members }, { body, before, response, after }) {
    const current = getValueAtPointer(after, readBackPointer)
    if (!Array.isArray(current)) return null
    const previous = getValueAtPointer(before, readBackPointer)
    const previousEntries = Array.isArray(previous) ? (previous as unknown[]) : []
    const created = getValueAtPointer(response, responsePointer)
    const key = keys.find((name) => getMember(created, name) !== undefined)
    if (key === undefined) {
      const addedEntries = current.filter((entry) => !previousEntries.some((other) => isEqual(other, entry)))
      if (before === null || addedEntries.length === 0) return before === null ? null : false
      const matches = addedEntries.map((entry: unknown) => hasSentMembers(body, entry, members))
      // If no member was specified, any new entry is the requested one.
      const isBare = members.every((name) => getMember(body, name) === undefined)
      return matches.includes(true) || (matches.includes(null) ? (isBare ? true : null) : false)
    }
    const isCreatedEntry = (entry: unknown): boolean => isEqual(getMember(entry, key), getMember(created, key))
    // An entry that existed before the command is not the requested one.
    if (previousEntries.some(isCreatedEntry)) return false
    const entry: unknown = current.find(isCreatedEntry)
    return entry !== undefined && hasSentMembers(body, entry, members) !== false
  },
}

function checkRule<Name extends RuleName>(
  effect: Extract<EffectRule, { readonly rule: Name }>,
  evidence: EffectEvidence,
): boolean | null {
  const rule: Rules[Name] = rules[effect.rule]
  return rule(effect, evidence)
}

const toTextList = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : null

/** False if any result is false; null if a result is unknown or there are no results. */
function combineResults(results: readonly (boolean | null)[]): boolean | null {
  if (results.includes(false)) return false
  return results.length === 0 || results.includes(null) ? null : true
}

/** Null if none of the members can be compared. */
function hasSentMembers(body: unknown, entry: unknown, names: readonly string[]): boolean | null {
  const sentNames = names.filter((name) => getMember(body, name) !== undefined)
  if (sentNames.length === 0 || !isObject(entry)) return null
  return combineResults(
    sentNames.map((name) => (Object.hasOwn(entry, name) ? isEqual(entry[name], getMember(body, name)) : null)),
  )
}

function isTextAdded(previous: unknown, current: readonly unknown[], text: unknown): boolean | null {
  if (!Array.isArray(previous)) return null
  const countText = (list: readonly unknown[]): number =>
    list.filter((entry) => isEqual(getMember(entry, 'text'), text)).length
  return countText(current) > countText(previous)
}

/** A revision is a text or a number. Other values cannot be compared. */
const toRevisionText = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null
const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))
