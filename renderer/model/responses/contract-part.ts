import { z } from 'zod'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { isObject } from '../../../shared/json/object.ts'
import { parsePointer, toPointer } from '../../../shared/json/pointer.ts'

/** What the contract shows at a place of a response. */
export interface ContractPart {
  /** The innermost place on the way that the contract shows. */
  readonly pointer: string
  /** JSON schema. */
  readonly schema: string
}

type Schema = Readonly<Record<string, unknown>>

/**
 * Finds the part of an endpoint's response schema for a pointer whose lists are folded to `*` and
 * whose dictionaries to `{key}`. Null if the contract describes no JSON response.
 */
export function findContractPart(endpointId: string | null, pointer: string): ContractPart | null {
  const response = findEndpointById(endpointId ?? '')?.response
  if (response?.kind !== 'json') return null
  const root = z.toJSONSchema(response.schema, { io: 'input', unrepresentable: 'any' }) as Schema
  const steps = parsePointer(pointer)
  const { schema, depth } = descend(root, resolveReference(root, root), steps, 0)
  return { pointer: toPointer(steps.slice(0, depth)), schema: JSON.stringify(schema, null, 2) }
}

interface FoundSchema {
  readonly schema: Schema
  readonly depth: number
}

function descend(root: Schema, schema: Schema, steps: readonly string[], depth: number): FoundSchema {
  const current: FoundSchema = { schema, depth }
  const step = steps[depth]
  if (step === undefined) return current
  const next = findMemberSchema(schema, step)
  if (next) return descend(root, resolveReference(root, next), steps, depth + 1)
  return ['anyOf', 'oneOf', 'allOf']
    .flatMap((keyword) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : []))
    .filter(isObject)
    .map((variant) => descend(root, resolveReference(root, variant), steps, depth))
    .reduce((best, variant) => (variant.depth > best.depth ? variant : best), current)
}

function findMemberSchema(schema: Schema, step: string): Schema | null {
  const { properties, items, additionalProperties } = schema
  const candidates = [
    isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : null,
    step === '*' ? items : null,
    step === '{key}' ? additionalProperties : null,
  ]
  return candidates.filter(isObject).find((candidate) => Object.keys(candidate).length > 0) ?? null
}

function resolveReference(root: Schema, schema: Schema): Schema {
  const name = typeof schema['$ref'] === 'string' ? /^#\/\$defs\/(.+)$/.exec(schema['$ref'])?.[1] : undefined
  const definitions = root['$defs']
  const target = name !== undefined && isObject(definitions) ? definitions[name] : undefined
  return isObject(target) ? target : schema
}
