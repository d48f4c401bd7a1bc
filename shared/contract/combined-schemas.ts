import {
  isUnlooked,
  listKnownWords,
  type MemberModel,
  type ObjectModel,
  type SchemaModel,
  type TypeModel,
} from './schema-model.ts'

/**
 * Completes what the contract shows with what was recorded, so that every recorded response fits
 * and nothing that the contract shows is lost.
 */
export function combineSchemas(contract: SchemaModel, recorded: SchemaModel): SchemaModel {
  if (contract.types.length === 0 || recorded.types.length === 0) {
    return contract.types.length === 0 ? recorded : contract
  }
  const contractObjects = contract.types.filter((type) => type.kind === 'object')
  const recordedObjects = recorded.types.filter((type) => type.kind === 'object')
  const objects =
    contractObjects.length === 1 && contractObjects[0] && recordedObjects.length > 0
      ? recordedObjects.map((object) => combineObjects(contractObjects[0] as ObjectModel, object))
      : [...contractObjects, ...recordedObjects]
  const kinds = new Set([...contract.types, ...recorded.types].map(({ kind }) => kind))
  kinds.delete('object')
  const others = [...kinds].flatMap((kind) => {
    const isKind = (type: TypeModel): boolean => type.kind === kind
    return combineTypes(contract.types.filter(isKind), recorded.types.filter(isKind))
  })
  return { types: [...objects, ...others] }
}

function combineTypes(contract: readonly TypeModel[], recorded: readonly TypeModel[]): readonly TypeModel[] {
  const [first] = contract
  const [observed] = recorded
  if (!first || !observed) return first ? contract : recorded
  if (contract.length > 1) return contract
  const facts = { ...first, responses: observed.responses }
  if (facts.kind === 'list' && observed.kind === 'list') {
    const element = combineSchemas(facts.element, observed.element)
    return [{ ...facts, element, isSampled: observed.isSampled, observed: observed.observed }]
  }
  if (facts.kind === 'number' && observed.kind === 'number') {
    return [
      {
        ...facts,
        isInteger: facts.isInteger && observed.isInteger,
        min: isBelow(observed.observed?.min, facts.min) ? null : facts.min,
        max: isBelow(facts.max, observed.observed?.max) ? null : facts.max,
        observed: observed.observed,
      },
    ]
  }
  if (facts.kind === 'string' && observed.kind === 'string') {
    const formats =
      facts.formats.length > 0 ? facts.formats.filter((format) => observed.formats.includes(format)) : observed.formats
    const words = listKnownWords(observed)
    const values = facts.values && words ? [...new Set([...facts.values, ...words])] : null
    const examples = values ? [] : observed.examples
    return [{ ...facts, formats, values, pattern: null, examples, observed: observed.observed }]
  }
  if (facts.kind === 'boolean' && observed.kind === 'boolean' && facts.value !== observed.value) {
    return [{ ...facts, value: null }]
  }
  return [facts]
}

const isBelow = (first: number | null | undefined, second: number | null | undefined): boolean =>
  typeof first === 'number' && typeof second === 'number' && first < second

function combineObjects(contract: ObjectModel, recorded: ObjectModel): ObjectModel {
  if (isUnlooked(recorded)) return { ...contract, responses: recorded.responses, isSampled: true }
  const recordedByName = new Map(recorded.members.map((member) => [member.name, member]))
  const contractNames = new Set(contract.members.map(({ name }) => name))
  const combined = contract.members.map((member): MemberModel => {
    const observed = recordedByName.get(member.name)
    if (!observed) return { ...member, isRequired: false }
    return {
      ...member,
      isRequired: member.isRequired && observed.isRequired,
      schema: combineSchemas(member.schema, observed.schema),
    }
  })
  return {
    ...contract,
    responses: recorded.responses,
    members: [...combined, ...recorded.members.filter(({ name }) => !contractNames.has(name))],
    entries:
      contract.entries && recorded.entries ? combineSchemas(contract.entries, recorded.entries) : recorded.entries,
    tag: recorded.tag,
    isSampled: recorded.isSampled,
  }
}
