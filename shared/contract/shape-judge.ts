import { getMember, isObject } from '../json/object.ts'
import { getWeakerBasis, type Basis } from '../bridge/basis.ts'
import { parseBoolean, parseDecimal } from '../bridge/resources/shape-variants.ts'
import { getJsonType, getPlanBasis, type MemberPlan, type SchemaPlan } from '../bridge/resources/schema-plan.ts'
import { formatExample, inferType, type DeviationLog } from './deviation-log.ts'
import { looksLikeId } from './string-traits.ts'

/** If an object has more unknown members, their names are data, as in a dictionary. */
const MAX_NAMED_UNKNOWN_MEMBERS = 30
const MAX_DEPTH = 60
/** Entries without deviations that are remembered while a list is judged. */
const MAX_CLEAN_ENTRIES = 8
/** Text in place of a removed token; what stood there is unknown. */
const REDACTED = '[redacted]'

type Kind<K extends SchemaPlan['kind']> = Extract<SchemaPlan, { readonly kind: K }>

/** The statement that a value has the type of its schema. */
interface TypeStatement {
  readonly basis: Basis
  /** A value in another JSON type is not read as the type of the schema. */
  readonly isStrict: boolean
}

/** What the spec says of the type of a whole response, or of an entry of its list. */
export const getRootStatement = (plan: SchemaPlan): TypeStatement => ({ basis: getPlanBasis(plan), isStrict: false })

/** How the response as a whole differs lawfully from its schema. */
export interface RootShape {
  /** The request asked for members whose names the contract does not show. */
  readonly isOpen: boolean
  /** Where a member really is, by its name in the schema. */
  readonly movedMembers: Readonly<Record<string, readonly string[]>>
}

/**
 * Holds a JSON value against a schema. Shapes that readers accept as lawful variants are no
 * deviations: other names, an id instead of its object, and, in objects of which the contract does
 * not show all members, numbers and flags as texts.
 */
export class ShapeJudge {
  readonly #log: DeviationLog
  readonly #trail: string[]

  constructor(log: DeviationLog, trail: readonly string[] = []) {
    this.#log = log
    this.#trail = [...trail]
  }

  /** @param statement of the type of the value */
  judge(plan: SchemaPlan, value: unknown, statement: TypeStatement, root?: RootShape, expected = plan.expected): void {
    switch (plan.kind) {
      case 'leaf':
        return this.#judgeLeaf(plan, value, statement, expected)
      case 'optional':
        return value === undefined ? undefined : this.judge(plan.inner, value, statement, root, expected)
      case 'nullable':
        return value === null ? undefined : this.judge(plan.inner, value, statement, root, expected)
      case 'list':
        return this.#judgeList(plan, value, statement, expected)
      case 'object':
        return this.#judgeObject(plan, value, statement, expected, root)
      case 'union': {
        const option = plan.options.find((candidate) => matchesType(candidate, value, statement.isStrict))
        return option ? this.judge(option, value, statement) : this.#addWrongType(statement, expected, value)
      }
    }
  }

  #judgeLeaf(plan: Kind<'leaf'>, value: unknown, { basis, isStrict }: TypeStatement, expected: string): void {
    const { accepts, range, isCount, knownValues, format } = plan
    if (!accepts(value)) {
      if (isStrict || !canConvert(expected, value)) this.#addWrongType({ basis }, expected, value)
      return
    }
    if (range !== null && typeof value === 'number' && !(value >= range.min && value <= range.max))
      this.#addUnknownValue('observed', `${range.min}..${range.max}`, value)
    if (isCount && typeof value === 'number' && !isNaturalNumber(value)) this.#addUnknownValue(basis, '0, 1, 2…', value)
    if (typeof value === 'string' && value.includes(REDACTED)) return
    if (format !== null && typeof value === 'string' && !format.pattern.test(value))
      this.#addUnknownValue(basis, format.name, value)
    if (knownValues !== null && !knownValues.values.some((listedValue) => listedValue === value)) {
      const valueBasis = getWeakerBasis(basis, knownValues.basis)
      this.#addUnknownValue(
        valueBasis,
        knownValues.values.map((listedValue) => JSON.stringify(listedValue)).join(' | '),
        value,
      )
    }
  }

  #judgeList({ element }: Kind<'list'>, value: unknown, statement: TypeStatement, expected: string): void {
    if (!Array.isArray(value)) return this.#addWrongType(statement, expected, value)
    if (this.#trail.length >= MAX_DEPTH) return
    this.#trail.push('*')
    // Equal entries of a long list are the same object (`parseSharingShapes`).
    const cleanEntries: unknown[] = []
    for (const entry of value as unknown[]) {
      if (cleanEntries.includes(entry)) continue
      const previousCount = this.#log.placeCount
      this.judge(element, entry, statement)
      if (this.#log.placeCount > previousCount || !isObject(entry)) continue
      if (cleanEntries.length >= MAX_CLEAN_ENTRIES) cleanEntries.shift()
      cleanEntries.push(entry)
    }
    this.#trail.pop()
  }

  #judgeObject(
    plan: Kind<'object'>,
    value: unknown,
    statement: TypeStatement,
    expected: string,
    root?: RootShape,
  ): void {
    const { basis, isStrict } = statement
    if (!isObject(value)) {
      if (isStrict || !canStandFor(plan, value)) this.#addWrongType(statement, expected, value)
      return
    }
    if (this.#trail.length >= MAX_DEPTH) return
    const isInnerStrict = plan.isTable
    for (const member of plan.members) {
      const { name, type } = member
      const memberStatement = { basis: getWeakerBasis(basis, type), isStrict: isInnerStrict }
      if (Object.hasOwn(value, name)) this.#judgeMember([name], member, value[name], memberStatement, root)
      else this.#judgeAbsentMember(plan, member, value, basis)
    }
    if (plan.isTable && root?.isOpen !== true) this.#judgeOtherMembers(plan, value, root !== undefined)
  }

  #judgeMember(
    steps: readonly string[],
    { name, plan }: MemberPlan,
    value: unknown,
    statement: TypeStatement,
    root?: RootShape,
  ): void {
    const sentSteps = root?.movedMembers[name] ?? steps
    this.#trail.push(...sentSteps)
    this.judge(plan, value, statement)
    this.#trail.length -= sentSteps.length
  }

  #judgeAbsentMember({ variants }: Kind<'object'>, member: MemberPlan, value: object, basis: Basis): void {
    const { name, plan, presence } = member
    for (const otherName of variants.names?.[name] ?? []) {
      const steps = otherName.split('.')
      const sentValue = steps.reduce<unknown>((parent, step) => getMember(parent, step), value)
      if (sentValue === undefined || sentValue === null || !matchesType(plan, sentValue, false)) continue
      return this.#judgeMember(steps, member, sentValue, { basis: 'observed', isStrict: false })
    }
    this.#log.add({
      kind: 'missing',
      basis: getWeakerBasis(basis, presence),
      trail: [...this.#trail, name],
      expected: plan.expected,
    })
  }

  #judgeOtherMembers(plan: Kind<'object'>, value: Record<string, unknown>, isRoot: boolean): void {
    const knownNames = getKnownNames(plan)
    const unknownNames = Object.keys(value).filter(
      (name) => !knownNames.has(name) && !(isRoot && COMMON_NAMES.has(name)),
    )
    const addMember = (name: string, step: string, count: number): void =>
      this.#log.add({
        kind: 'unknown-member',
        // The spec does not say that its tables are complete.
        basis: 'observed',
        trail: [...this.#trail, step],
        actual: inferType(value[name]),
        value: value[name],
        count,
      })
    const [firstName] = unknownNames
    if (firstName !== undefined && unknownNames.length > MAX_NAMED_UNKNOWN_MEMBERS)
      addMember(firstName, '{key}', unknownNames.length)
    else for (const name of unknownNames) addMember(name, looksLikeId(name) ? '{key}' : name, 1)
  }

  #addWrongType({ basis }: Pick<TypeStatement, 'basis'>, expected: string, value: unknown): void {
    this.#log.add({ kind: 'wrong-type', basis, trail: this.#trail, expected, actual: getJsonType(value), value })
  }

  #addUnknownValue(basis: Basis, expected: string, value: unknown): void {
    this.#log.add({ kind: 'unknown-value', basis, trail: this.#trail, expected, actual: formatExample(value), value })
  }
}

const isNaturalNumber = (value: number): boolean => Number.isInteger(value) && value >= 0

/** Whether a text is read as a number or a flag. */
function canConvert(expected: string, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const types = expected.split(' | ')
  return (
    (types.includes('number') && parseDecimal(value) !== undefined) ||
    (types.includes('boolean') && parseBoolean(value) !== undefined)
  )
}

/** Whether a text or number is an id that was sent instead of its object. */
function canStandFor({ variants, members }: Kind<'object'>, value: unknown): boolean {
  const self = members.find(({ name }) => name === variants.self)
  const isPlain = (typeof value === 'string' && value !== '') || typeof value === 'number'
  const isSufficient = members.every(({ name, isOptional }) => isOptional || name === self?.name)
  return self !== undefined && isPlain && isSufficient && matchesType(self.plan, value, false)
}

/** Compares only the JSON type of a value, not what is inside it. */
function matchesType(plan: SchemaPlan, value: unknown, isStrict: boolean): boolean {
  switch (plan.kind) {
    case 'leaf':
      return plan.accepts(value) || (!isStrict && canConvert(plan.expected, value))
    case 'optional':
      return value === undefined || matchesType(plan.inner, value, isStrict)
    case 'nullable':
      return value === null || matchesType(plan.inner, value, isStrict)
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isObject(value) || (!isStrict && canStandFor(plan, value))
    case 'union':
      return plan.options.some((option) => matchesType(option, value, isStrict))
  }
}

/** Members that any response may have at its root (observed-0.49). */
const COMMON_NAMES: ReadonlySet<string> = new Set(['bridgeApiVersion', 'warnings', 'ignoredFields'])

/**
 * Whether all objects with these names and JSON types deviate alike, so that one of them can stand
 * for all.
 */
export function isDecidedByTypes(plan: SchemaPlan, entry: Readonly<Record<string, unknown>>): boolean {
  if (plan.kind !== 'object' || plan.variants.names || plan.variants.self !== undefined) return false
  return plan.members.every(({ name, plan: memberPlan }) => {
    if (!Object.hasOwn(entry, name)) return true
    let leaf = memberPlan
    while (leaf.kind === 'optional' || leaf.kind === 'nullable') leaf = leaf.inner
    if (leaf.kind !== 'leaf' || leaf.range !== null || leaf.knownValues !== null || leaf.format !== null) return false
    const value = entry[name]
    if (leaf.isCount && typeof value === 'number') return isNaturalNumber(value)
    return value === null || leaf.accepts(value) || typeof value !== 'string'
  })
}

const knownNamesByPlan = new WeakMap<SchemaPlan, ReadonlySet<string>>()

function getKnownNames(plan: Kind<'object'>): ReadonlySet<string> {
  const cached = knownNamesByPlan.get(plan)
  if (cached) return cached
  const names = new Set(plan.members.map(({ name }) => name))
  for (const otherNames of Object.values(plan.variants.names ?? {}))
    for (const otherName of otherNames) names.add(otherName.split('.', 1)[0] ?? '')
  knownNamesByPlan.set(plan, names)
  return names
}
