import { getWeakerBasis, type Basis } from '../../../shared/bridge/basis.ts'
import { getPlanBasis, getJsonType, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { ShapeWalk, type PlanOf, type ShapeDifference, type Step } from '../../../shared/bridge/shape-walk.ts'
import { isObject } from '../../../shared/json/object.ts'
import { formatExample, inferType, type DeviationLog, type NewDeviation } from './deviation-log.ts'
import { looksLikeId } from '../../../shared/contract/string-traits.ts'

/** If an object has more unknown members, their names are data, as in a dictionary. */
const MAX_NAMED_UNKNOWN_MEMBERS = 30
/** Text in place of a removed token; what stood there is unknown. */
const REDACTED = '[redacted]'

interface RootOptions {
  /** The request asked for members whose names the contract does not show. */
  readonly hasUnnamedMembers: boolean
}

/** Reports differences from a schema, except lawful variants where the spec shows no exact type. */
export class ShapeJudge extends ShapeWalk {
  readonly #log: DeviationLog
  readonly #toSentTrail: (trail: readonly string[]) => readonly string[]
  readonly #root: RootOptions | null
  /** Equal entries of a long list are the same object (`parseSharingShapes`). */
  readonly #cleanEntries = new WeakSet()

  /** `toSentTrail` leads to the place in the response as sent; `root` is null for a part. */
  constructor(
    log: DeviationLog,
    toSentTrail: (trail: readonly string[]) => readonly string[],
    root: RootOptions | null = null,
  ) {
    super('tables')
    this.#log = log
    this.#toSentTrail = toSentTrail
    this.#root = root
  }

  judge(plan: SchemaPlan, value: unknown): void {
    this.visit(plan, value, { basis: getPlanBasis(plan), isExact: false })
  }

  protected reject({ kind, expected, basis, value }: ShapeDifference): unknown {
    this.#add({ kind, basis, expected, actual: kind === 'missing' ? '' : getJsonType(value), value })
    return value
  }

  protected override visitStep(step: Step): unknown {
    const entry = typeof step.name === 'number' && isObject(step.value) ? step.value : null
    if (entry && this.#cleanEntries.has(entry)) return entry
    const previousCount = this.#log.placeCount
    const result = super.visitStep(step)
    if (entry && this.#log.placeCount === previousCount) this.#cleanEntries.add(entry)
    return result
  }

  protected override onValue(plan: PlanOf<'leaf'>, value: unknown, basis: Basis): void {
    const { range, isCount, knownValues, format } = plan
    if (typeof value === 'number') {
      if (range !== null && !(value >= range.min && value <= range.max))
        this.#addUnknownValue('observed', `${range.min}..${range.max}`, value)
      if (isCount && !isNaturalNumber(value)) this.#addUnknownValue(basis, '0, 1, 2…', value)
    }
    if (typeof value === 'string' && value.includes(REDACTED)) return
    if (format !== null && typeof value === 'string' && !format.pattern.test(value))
      this.#addUnknownValue(basis, format.name, value)
    if (knownValues !== null && !knownValues.values.some((knownValue) => knownValue === value)) {
      const expected = knownValues.values.map((knownValue) => JSON.stringify(knownValue)).join(' | ')
      this.#addUnknownValue(getWeakerBasis(basis, knownValues.basis), expected, value)
    }
  }

  /** Reports members that the spec does not show in its table of an object. */
  protected override onObject(plan: PlanOf<'object'>, value: Readonly<Record<string, unknown>>): void {
    const root = this.trail.length === 0 ? this.#root : null
    if (!plan.isTable || root?.hasUnnamedMembers === true) return
    const knownNames = getKnownNames(plan)
    const unknownNames = Object.keys(value).filter(
      (name) => !knownNames.has(name) && !(root !== null && COMMON_NAMES.has(name)),
    )
    const addMember = (name: string, step: string, count: number): void => {
      // The spec does not say that its tables are complete.
      const basis = 'observed'
      this.#add({ kind: 'unknown-member', basis, actual: inferType(value[name]), value: value[name], count }, step)
    }
    const [firstName] = unknownNames
    if (firstName !== undefined && unknownNames.length > MAX_NAMED_UNKNOWN_MEMBERS)
      addMember(firstName, '{key}', unknownNames.length)
    else for (const name of unknownNames) addMember(name, looksLikeId(name) ? '{key}' : name, 1)
  }

  #addUnknownValue(basis: Basis, expected: string, value: unknown): void {
    this.#add({ kind: 'unknown-value', basis, expected, actual: formatExample(value), value })
  }

  #add(deviation: Omit<NewDeviation, 'trail'>, ...steps: readonly string[]): void {
    const trail = this.trail.map((step) => (typeof step === 'number' ? '*' : step))
    this.#log.add({ ...deviation, trail: this.#toSentTrail([...trail, ...steps]) })
  }
}

const isNaturalNumber = (value: number): boolean => Number.isInteger(value) && value >= 0

/** Members that any response may have at its root (observed-0.49). */
const COMMON_NAMES: ReadonlySet<string> = new Set(['bridgeApiVersion', 'warnings', 'ignoredFields'])

/** True if one object can stand for all that have these names and JSON types. */
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

function getKnownNames(plan: PlanOf<'object'>): ReadonlySet<string> {
  const cached = knownNamesByPlan.get(plan)
  if (cached) return cached
  const names = new Set(plan.members.map(({ name }) => name))
  for (const otherNames of Object.values(plan.variants.names ?? {}))
    for (const otherName of otherNames) names.add(otherName.split('.', 1)[0] ?? '')
  knownNamesByPlan.set(plan, names)
  return names
}
