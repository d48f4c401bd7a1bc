import { toNonEmptyText, isObject } from '../../../shared/json/object.ts'

const REASONS_KEY_PATTERN = /reason|cause|error/i
const TAG_PREFIX_KEY_PATTERN = /^(?:tag|hashtag)[_-]?prefix$/i
const MAX_VISITED_VALUES = 2_000

/** A cause of an error that a practice verdict can name. */
export interface ErrorReason {
  readonly value: string
  readonly label: string
}

/** Yields every member of a value of unknown shape; elements of a list have its name. */
function* walkMembers(root: unknown): Generator<{ readonly name: string; readonly value: unknown }> {
  const queue: { readonly name: string; readonly value: unknown }[] = [{ name: '', value: root }]
  for (let index = 0; index < queue.length && index < MAX_VISITED_VALUES; index += 1) {
    const entry = queue[index]
    if (entry === undefined) return
    yield entry
    const { name, value } = entry
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value))
      queue.push({ name: Array.isArray(value) ? name : key, value: member })
  }
}

/** The prefix with its `#`; null if the template names none (spec §7 `plugins[].config`). */
export function findTagPrefix(template: unknown): string | null {
  for (const { name, value } of walkMembers(template)) {
    const prefix = TAG_PREFIX_KEY_PATTERN.test(name) ? toNonEmptyText(value) : null
    if (prefix !== null && prefix.length <= 200) return `#${prefix.replace(/^#/, '').replace(/\/$/, '')}`
  }
  return null
}

/**
 * Finds error causes in `plugins[].config`, whose shape no document shows: under a name like
 * "reasons", a list of texts or of objects with an id, a map from id to label or object, or groups
 * of these.
 */
export function parseErrorReasons(template: unknown): ErrorReason[] {
  const labels = new Map<string, string>()
  for (const { name, value } of walkMembers(template)) {
    if (REASONS_KEY_PATTERN.test(name) && typeof value === 'object' && value !== null) collectReasons(value, labels, 0)
  }
  return [...labels].map(([value, label]) => ({
    value,
    label: label === '' || label === value ? value : `${value} · ${label}`,
  }))
}

function collectReasons(value: object, labels: Map<string, string>, depth: number): void {
  if (depth > 4 || labels.size > 200) return
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      if (typeof entry === 'string') labels.set(entry, labels.get(entry) ?? '')
      else if (isObject(entry)) collectReasons(entry, labels, depth + 1)
    }
    return
  }
  const members = value as Readonly<Record<string, unknown>>
  const id = findText(members, ['id', 'key', 'value', 'code', 'reason'])
  if (id !== null) {
    labels.set(id, findText(members, ['label', 'title', 'name', 'text', 'reasonLabel']) ?? labels.get(id) ?? '')
    for (const name of ['children', 'items', 'reasons', 'causes']) {
      const inner = members[name]
      if (typeof inner === 'object' && inner !== null) collectReasons(inner, labels, depth + 1)
    }
    return
  }
  for (const [key, member] of Object.entries(members).slice(0, 200)) {
    if (typeof member === 'string') {
      // The heading of a group is not a reason.
      if (!/^(?:label|title|name|text)$/i.test(key)) labels.set(key, member)
    } else if (member === true) labels.set(key, labels.get(key) ?? '')
    else if (isObject(member) && findText(member, ['id', 'key', 'value', 'code']) === null && isLabelled(member))
      labels.set(key, findText(member, ['label', 'title', 'name', 'text']) ?? '')
    else if (typeof member === 'object' && member !== null) collectReasons(member, labels, depth + 1)
  }
}

/** True if it has a label and otherwise only scalars: the name of its member is then its id. */
const isLabelled = (value: Readonly<Record<string, unknown>>): boolean =>
  findText(value, ['label', 'title', 'name', 'text']) !== null &&
  Object.values(value).every((member) => typeof member !== 'object' || member === null)

const findText = (value: Readonly<Record<string, unknown>>, names: readonly string[]): string | null =>
  names.map((name) => toNonEmptyText(value[name])).find((text) => text !== null) ?? null
