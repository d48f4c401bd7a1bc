import { toNonEmptyText, isObject } from '../../../shared/json/object.ts'

const REASONS_KEY_PATTERN = /reason|cause|error/i
const TAG_PREFIX_KEY_PATTERN = /^(?:tag|hashtag)[_-]?prefix$/i
const MAX_VISITED_VALUES = 2_000

/** A cause of error that a verdict can name, and how it is shown. */
export interface ErrorReason {
  readonly value: string
  readonly label: string
}

/** Every member of a foreign value with its name; those of a list have the list's name. */
function* membersOf(root: unknown): Generator<{ readonly name: string; readonly value: unknown }> {
  const open: { readonly name: string; readonly value: unknown }[] = [{ name: '', value: root }]
  for (let index = 0; index < open.length && index < MAX_VISITED_VALUES; index += 1) {
    const entry = open[index]
    if (entry === undefined) return
    yield entry
    const { name, value } = entry
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value))
      open.push({ name: Array.isArray(value) ? name : key, value: member })
  }
}

/** The prefix of the tags that a verdict sets, with its `#`; null if the template names none (spec §7 `plugins[].config`). */
export function findTagPrefix(template: unknown): string | null {
  for (const { name, value } of membersOf(template)) {
    const prefix = TAG_PREFIX_KEY_PATTERN.test(name) ? toNonEmptyText(value) : null
    if (prefix !== null && prefix.length <= 200) return `#${prefix.replace(/^#/, '').replace(/\/$/, '')}`
  }
  return null
}

/**
 * Causes of error in `plugins[].config`, whose shape is not shown: under a name like "reasons" a list of texts or of things with an id, a
 * map from id to label or thing, or groups of any of these.
 */
export function parseErrorReasons(template: unknown): ErrorReason[] {
  const found = new Map<string, string>()
  for (const { name, value } of membersOf(template)) {
    if (REASONS_KEY_PATTERN.test(name) && typeof value === 'object' && value !== null) collect(value, found, 0)
  }
  return [...found].map(([value, label]) => ({
    value,
    label: label === '' || label === value ? value : `${value} · ${label}`,
  }))
}

function collect(value: object, found: Map<string, string>, depth: number): void {
  if (depth > 4 || found.size > 200) return
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      if (typeof entry === 'string') found.set(entry, found.get(entry) ?? '')
      else if (isObject(entry)) collect(entry, found, depth + 1)
    }
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  const id = textIn(members, ['id', 'key', 'value', 'code', 'reason'])
  if (id !== null) {
    found.set(id, textIn(members, ['label', 'title', 'name', 'text', 'reasonLabel']) ?? found.get(id) ?? '')
    for (const name of ['children', 'items', 'reasons', 'causes']) {
      const inner = members[name]
      if (typeof inner === 'object' && inner !== null) collect(inner, found, depth + 1)
    }
    return
  }
  for (const [key, member] of Object.entries(members).slice(0, 200)) {
    if (typeof member === 'string') {
      // The heading of a group is no reason.
      if (!/^(?:label|title|name|text)$/i.test(key)) found.set(key, member)
    } else if (member === true) found.set(key, found.get(key) ?? '')
    else if (isObject(member) && textIn(member, ['id', 'key', 'value', 'code']) === null && isLabelled(member))
      found.set(key, textIn(member, ['label', 'title', 'name', 'text']) ?? '')
    else if (typeof member === 'object' && member !== null) collect(member, found, depth + 1)
  }
}

/** A thing whose id is the name of its member: nothing but a label and plain facts. */
const isLabelled = (value: Readonly<Record<string, unknown>>): boolean =>
  textIn(value, ['label', 'title', 'name', 'text']) !== null &&
  Object.values(value).every((member) => typeof member !== 'object' || member === null)

const textIn = (value: Readonly<Record<string, unknown>>, names: readonly string[]): string | null =>
  names.map((name) => toNonEmptyText(value[name])).find((text) => text !== null) ?? null
