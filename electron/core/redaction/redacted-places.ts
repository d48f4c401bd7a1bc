import { isObject } from '../../../shared/json/object.ts'
import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { isInterfaceName } from './interface-names.ts'
import { contractWords, type StringKind } from './member-kinds.ts'
import { isIdOfKind, isMediaType, isNumberOrFlag, isOpaque, isTimeOrNumber, isUuid } from './string-shapes.ts'
import { getElementRule, getMemberRule, type ValueRule } from './value-rules.ts'

const REPLACED = '…'

/** One sign for all that a redaction may have replaced, so that the rest can be compared. */
export function foldRedactedPlaces(value: unknown, rule: ValueRule, policy: RedactionPolicy): unknown {
  if (Array.isArray(value)) return value.map((element) => foldRedactedPlaces(element, getElementRule(rule), policy))
  if (!isObject(value)) return mayStay(value, rule.kind, policy) ? value : REPLACED
  const isKept = (name: string): boolean =>
    policy.texts === 'keep' ||
    rule.members?.has(name) === true ||
    isInterfaceName(name, rule.name) ||
    (policy.ids === 'keep' && isUuid(name))
  const names = Object.keys(value)
  const members = names
    .filter(isKept)
    .map((name) => [name, foldRedactedPlaces(value[name], getMemberRule(rule, name), policy)])
  // Names that are data are replaced as well, so that only their number is known.
  const replacedCount = names.length - members.length
  return Object.fromEntries([...members, ...(replacedCount > 0 ? [[REPLACED, replacedCount]] : [])])
}

/** Only what surely stayed counts: a placeholder may look like a word by chance. */
function mayStay(value: unknown, kind: StringKind, { texts, ids }: RedactionPolicy): boolean {
  const isIdPlace = kind === 'id' || kind === 'looseId'
  if (typeof value === 'number') return !isIdPlace || ids === 'keep'
  if (typeof value !== 'string') return true
  if (isIdOfKind(value, kind)) return ids === 'keep'
  // Texts that stay lose the ids that they mention.
  if (texts === 'keep') return ids === 'keep'
  if (kind === 'opaque') return isOpaque(value)
  if (kind === 'number') return isNumberOrFlag(value)
  if (kind === 'time') return isTimeOrNumber(value)
  if (kind === 'media') return isMediaType(value)
  return (kind === 'word' || kind === 'code') && contractWords.has(value)
}
