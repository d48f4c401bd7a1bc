import { parsePointer, toPointer } from '../../../shared/json/pointer.ts'
import { isInterfaceName } from './interface-names.ts'
import { getElementRule, getMemberRule, type ValueRule } from './value-rules.ts'
import { redactAddress } from './addresses.ts'
import { JsonRewriter } from './json-rewriter.ts'
import type { StringRedactor } from './string-redactor.ts'

const JSON_START = /^\s*(?:[[{"\d-]|(?:true|false|null)\b)/

/** @param isRequest dropped texts leave something behind, so that requests stay different */
export function createJsonRewriter(strings: StringRedactor, rule: ValueRule, isRequest = false): JsonRewriter {
  return new JsonRewriter(rule, strings, (text, place) => {
    if (place.kind === 'address') return redactAddress(strings, text)
    if (!isRequest) return strings.redact(text, place)
    return strings.redact(text, { ...place, kind: place.kind === 'grant' ? 'secret' : place.kind, isRequired: true })
  })
}

/** Redacts a text that is JSON, even if it is cut; replaces it if it is none. */
export function redactJsonText(strings: StringRedactor, text: string, rule: ValueRule): string {
  if (!JSON_START.test(text)) return strings.redactText(text)
  const rewriter = createJsonRewriter(strings, rule)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const decided = decoder.decode(rewriter.push(new TextEncoder().encode(text)))
  return decided + decoder.decode(rewriter.end())
}

export function redactJsonValue(strings: StringRedactor, value: unknown, rule: ValueRule): unknown {
  if (value === null || value === undefined) return value
  return JSON.parse(redactJsonText(strings, JSON.stringify(value), rule)) as unknown
}

/** Redacts the name of a member if it is data. */
export function redactMemberName(strings: StringRedactor, name: string, container = ''): string {
  return name === '' || isInterfaceName(name, container) ? name : strings.redactName(name)
}

export function redactPointer(strings: StringRedactor, pointer: string, root: ValueRule): string {
  let rule = root
  let isListEntry = false
  const steps = parsePointer(pointer).map((step) => {
    const container = rule
    rule = findStepRule(rule, step)
    const isPlain = isListStep(step) || step === '{key}' || container.members?.has(step) === true
    const holder = isListEntry ? '' : container.name
    isListEntry = isListStep(step)
    return isPlain ? step : redactMemberName(strings, step, holder)
  })
  return toPointer(steps)
}

const isListStep = (step: string): boolean => step === '*' || /^\d+$/.test(step)

const findStepRule = (rule: ValueRule, step: string): ValueRule =>
  isListStep(step) ? getElementRule(rule) : getMemberRule(rule, step)

export function findRule(pointer: string, root: ValueRule): ValueRule {
  return parsePointer(pointer).reduce(findStepRule, root)
}
