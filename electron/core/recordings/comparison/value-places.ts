import { isObject } from '../../../../shared/json/object.ts'
import { getKindOfMember, type StringKind } from '../../redaction/member-kinds.ts'
import { isIdOfKind, isUuid } from '../../redaction/string-shapes.ts'
import { getElementRule, getMemberRule, type ValueRule } from '../../redaction/value-rules.ts'

/**
 * The role of a value in the comparison of two runs. `id`: paired with an id of the other run.
 * `moment`: it differs from run to run, as times, revisions and cursors do. `text`: text of the
 * library, which two redactions replace differently. `value`: everything else.
 */
export type PlaceKind = 'id' | 'moment' | 'text' | 'value'

const momentKinds: ReadonlySet<StringKind> = new Set<StringKind>(['time', 'opaque', 'cursor'])
const textKinds: ReadonlySet<StringKind> = new Set<StringKind>([
  ...(['text', 'address', 'file', 'message', 'secret', 'grant'] as const),
])

/** The kind of a value that is no object and no list. */
export function getPlaceKind(value: unknown, kind: StringKind): PlaceKind {
  if (momentKinds.has(kind)) return value === null || typeof value === 'boolean' ? 'value' : 'moment'
  if (typeof value !== 'string') return 'value'
  if (isIdOfKind(value, kind)) return 'id'
  return textKinds.has(kind) || kind === 'id' || kind === 'looseId' ? 'text' : 'value'
}

export function getParameterKind(name: string, value: string): PlaceKind {
  return getPlaceKind(value, getKindOfMember(name, ''))
}

type MapPlace = (value: unknown, kind: PlaceKind) => unknown

/** Replaces the values in a parsed JSON value, and ids that are names of members. Sorts members. */
export function mapPlaces(value: unknown, rule: ValueRule, map: MapPlace): unknown {
  if (Array.isArray(value)) return value.map((element) => mapPlaces(element, getElementRule(rule), map))
  if (!isObject(value)) return map(value, getPlaceKind(value, rule.kind))
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [
        isUuid(name) ? String(map(name, 'id')) : name,
        mapPlaces(value[name], getMemberRule(rule, name), map),
      ]),
  )
}
