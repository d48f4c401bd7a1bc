import { parsePointer, toPointer } from '../../../shared/json/pointer.ts'
import type { AddressRedactor } from './address-redactor.ts'
import { isInterfaceName } from '../../../shared/recordings/redaction/interface-names.ts'
import { JsonRewriter } from './json-rewriter.ts'
import type { StringRedactor } from './string-redactor.ts'
import { getElementRule, getMemberRule, type ValueRule } from '../../../shared/recordings/redaction/value-rules.ts'

const JSON_START = /^\s*(?:[[{"\d-]|(?:true|false|null)\b)/

/** Redacts JSON values, and texts and pointers that belong to them. */
export class JsonRedactor {
  readonly #strings: StringRedactor
  readonly #addresses: AddressRedactor

  constructor(strings: StringRedactor, addresses: AddressRedactor) {
    this.#strings = strings
    this.#addresses = addresses
  }

  /** @param isRequired dropped texts leave something behind, so that requests stay different */
  createRewriter(rule: ValueRule, isRequired = false): JsonRewriter {
    return new JsonRewriter(rule, this.#strings, (text, place) =>
      place.kind === 'address'
        ? this.#addresses.redactAddress(text)
        : this.#strings.redact(text, isRequired ? { ...place, isRequired } : place),
    )
  }

  /** Redacts a text that is JSON, even if it is cut; replaces it if it is none. */
  redactText(text: string, rule: ValueRule): string {
    if (!JSON_START.test(text)) return this.#strings.redactText(text)
    const rewriter = this.createRewriter(rule)
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const decided = decoder.decode(rewriter.push(new TextEncoder().encode(text)))
    return decided + decoder.decode(rewriter.end())
  }

  redactValue(value: unknown, rule: ValueRule): unknown {
    if (value === null || value === undefined) return value
    return JSON.parse(this.redactText(JSON.stringify(value), rule)) as unknown
  }

  /** Redacts the name of a member if it is data. */
  redactName(name: string, container = ''): string {
    return name === '' || isInterfaceName(name, container) ? name : this.#strings.redactName(name)
  }

  redactPointer(pointer: string, root: ValueRule): string {
    let rule = root
    let isListEntry = false
    const steps = parsePointer(pointer).map((step) => {
      const container = rule
      rule = findStepRule(rule, step)
      const isPlain = isListStep(step) || step === '{key}' || container.members?.has(step) === true
      const holder = isListEntry ? '' : container.name
      isListEntry = isListStep(step)
      return isPlain ? step : this.redactName(step, holder)
    })
    return toPointer(steps)
  }
}

const isListStep = (step: string): boolean => step === '*' || /^\d+$/.test(step)

const findStepRule = (rule: ValueRule, step: string): ValueRule =>
  isListStep(step) ? getElementRule(rule) : getMemberRule(rule, step)

/** The rule of the value at a pointer. */
export const findRule = (pointer: string, root: ValueRule): ValueRule =>
  parsePointer(pointer).reduce(findStepRule, root)
