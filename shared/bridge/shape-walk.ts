import { getMember, isObject } from '../json/object.ts'
import type { ConversionKind } from '../json/findings.ts'
import { getWeakerBasis, type Basis } from './basis.ts'
import type { MemberPlan, SchemaPlan } from './resources/schema-plan.ts'
import { parseBoolean, parseDecimal } from './resources/shape-variants.ts'

/** In place of a value of which nothing can be used. */
export const UNUSABLE = Symbol('unusable')
/** In place of a member that was not sent. */
const ABSENT = Symbol('absent')

export type PlanOf<K extends SchemaPlan['kind']> = Extract<SchemaPlan, { readonly kind: K }>

/** The statement that a value has the type of its schema. */
interface TypeStatement {
  readonly basis: Basis
  /** A value in another JSON type differs, even if it can be read. */
  readonly isExact: boolean
}

/** From an object to a member, or from a list to an entry. */
export interface Step extends TypeStatement {
  readonly name: string | number
  readonly plan: SchemaPlan
  readonly value: unknown
  /** The object or the list can do without it. */
  readonly isOmissible: boolean
}

export interface ShapeDifference {
  readonly kind: 'wrong-type' | 'missing'
  /** JSON types that the schema accepts: `string`, `number | null`. */
  readonly expected: string
  readonly basis: Basis
  /** Undefined if it is missing. */
  readonly value: unknown
}

/**
 * Walks through a foreign JSON value along its schema, with the lenience that hosts need: other
 * names, an id instead of its object, numbers and flags as texts. What becomes of a difference is
 * up to the subclass: `salvage` keeps what fits, `ShapeJudge` and `findBodyViolations` report what
 * does not.
 */
export abstract class ShapeWalk {
  /** Names and indexes that lead to the value that is being visited. */
  protected readonly trail: (string | number)[] = []
  readonly #exactness

  /** @param exactness where types are exact; `tables` are objects that the spec shows as such */
  constructor(exactness: 'nowhere' | 'tables' | 'everywhere') {
    this.#exactness = exactness
  }

  /** Returns what is used in place of the value. */
  protected abstract reject(difference: ShapeDifference): unknown

  /** Called with a value that is read although it was sent in another shape. */
  protected onConversion?(kind: ConversionKind, name: string | number | undefined): void

  /** Called with a value of the right type, which may still be out of its range or unknown. */
  protected onValue?(plan: PlanOf<'leaf'>, value: unknown, basis: Basis): void

  protected onObject?(plan: PlanOf<'object'>, value: Readonly<Record<string, unknown>>): void

  /** Called with the indexes of the other entries if some of a list are unusable. */
  protected onOmission?(keptPositions: readonly number[]): void

  protected isExpected({ isOptional, presence }: MemberPlan): boolean {
    return !isOptional || presence !== 'open'
  }

  protected visitStep(step: Step): unknown {
    this.trail.push(step.name)
    const result = this.visit(step.plan, step.value, step)
    this.trail.pop()
    return result
  }

  visit(plan: SchemaPlan, value: unknown, statement: TypeStatement, expected = plan.expected): unknown {
    const { basis } = statement
    if (value === ABSENT) return this.reject({ kind: 'missing', expected, basis, value: undefined })
    switch (plan.kind) {
      case 'leaf':
        if (!plan.accepts(value)) return this.#convert(plan, value, statement, expected)
        this.onValue?.(plan, value, basis)
        return value
      case 'optional':
        return value === undefined ? value : this.visit(plan.inner, value, statement, expected)
      case 'nullable':
        return value === null ? value : this.visit(plan.inner, value, statement, expected)
      case 'list':
        if (Array.isArray(value)) return this.#visitEntries(plan, value, statement)
        break
      case 'object':
        return isObject(value)
          ? this.#visitMembers(plan, value, basis)
          : this.#convert(plan, value, statement, expected)
      case 'union': {
        const options = plan.options.filter((option) => matchesType(option, value))
        const [option] =
          options.length > 1
            ? options.toSorted((first, second) => rateFit(second, value) - rateFit(first, value))
            : options
        if (option) return this.visit(option, value, statement, expected)
      }
    }
    return this.reject({ kind: 'wrong-type', expected, basis, value })
  }

  #visitEntries({ element }: PlanOf<'list'>, entries: readonly unknown[], statement: TypeStatement): unknown {
    const { basis, isExact } = statement
    const items: unknown[] = []
    const keptPositions: number[] = []
    let isChanged = false
    for (const [index, entry] of entries.entries()) {
      const item = this.visitStep({ name: index, plan: element, value: entry, basis, isExact, isOmissible: true })
      isChanged ||= item !== entry
      if (item === UNUSABLE) continue
      items.push(item)
      keptPositions.push(index)
    }
    if (items.length < entries.length) this.onOmission?.(keptPositions)
    return isChanged ? items : entries
  }

  #visitMembers(plan: PlanOf<'object'>, value: Record<string, unknown>, basis: Basis): unknown {
    let copy: Record<string, unknown> | null = null
    const isExact = this.#exactness === 'everywhere' || (this.#exactness === 'tables' && plan.isTable)
    for (const member of plan.members) {
      const { name, isOptional } = member
      const isPresent = Object.hasOwn(value, name)
      const sentValue: unknown = isPresent ? value[name] : ABSENT
      const result = isPresent
        ? this.visitStep({
            name,
            plan: member.plan,
            value: sentValue,
            basis: getWeakerBasis(basis, member.type),
            isExact,
            isOmissible: isOptional,
          })
        : this.#visitAbsentMember(plan, member, value, basis)
      if (result === UNUSABLE && !isOptional) return UNUSABLE
      if (result === sentValue) continue
      copy ??= { ...value }
      if (result === UNUSABLE) Reflect.deleteProperty(copy, name)
      else copy[name] = result
    }
    this.onObject?.(plan, value)
    return copy ?? value
  }

  /** Returns the value that was sent under another name, or `ABSENT`. */
  #visitAbsentMember({ variants }: PlanOf<'object'>, member: MemberPlan, value: object, basis: Basis): unknown {
    const { name, plan, presence, isOptional } = member
    for (const otherName of variants.names?.[name] ?? []) {
      const steps = otherName.split('.')
      const sentValue = steps.reduce<unknown>(getMember, value)
      if (sentValue === undefined || sentValue === null || !matchesType(plan, sentValue)) continue
      const result = this.visitOtherName(steps, plan, sentValue, name)
      if (result !== UNUSABLE) return result
    }
    if (!this.isExpected(member)) return ABSENT
    const statement = { basis: getWeakerBasis(basis, presence), isExact: false }
    const result = this.visitStep({ name, plan, value: ABSENT, ...statement, isOmissible: isOptional })
    return result === UNUSABLE && !isOptional ? UNUSABLE : ABSENT
  }

  protected visitOtherName(steps: readonly string[], plan: SchemaPlan, value: unknown, name: string): unknown {
    this.trail.push(...steps)
    const result = this.visit(plan, value, { basis: 'observed', isExact: false })
    if (result !== UNUSABLE) this.onConversion?.('name', name)
    this.trail.length -= steps.length
    return result
  }

  /** Reads a text as a number or flag, and an id that was sent instead of its object. */
  #convert(
    plan: PlanOf<'leaf' | 'object'>,
    value: unknown,
    { basis, isExact }: TypeStatement,
    expected: string,
  ): unknown {
    const self = plan.kind === 'object' ? findSelf(plan) : undefined
    const read = isExact ? undefined : plan.kind === 'leaf' ? convertText(plan, value) : readSelf(self, value)
    if (read === undefined) return this.reject({ kind: 'wrong-type', expected, basis, value })
    if (read !== value) this.onConversion?.(typeof read === 'number' ? 'number' : 'flag', this.trail.at(-1))
    if (!self) return read
    this.onConversion?.('bare-value', self.name)
    return { [self.name]: read }
  }
}

const rateFit = ({ schema }: SchemaPlan, value: unknown): number => (schema.safeParse(value).success ? 1 : 0)

/** The member that a plain value stands for; undefined if the object needs more than it. */
function findSelf({ variants, members }: PlanOf<'object'>): MemberPlan | undefined {
  const self = members.find(({ name }) => name === variants.self)
  return members.every(({ name, isOptional }) => isOptional || name === self?.name) ? self : undefined
}

/** Returns undefined for anything but a text or number that fits. */
function readSelf(self: MemberPlan | undefined, value: unknown): unknown {
  let plan = self?.plan
  while (plan?.kind === 'optional' || plan?.kind === 'nullable') plan = plan.inner
  if (plan?.kind !== 'leaf' || value === '' || (typeof value !== 'string' && typeof value !== 'number'))
    return undefined
  return plan.accepts(value) ? value : convertText(plan, value)
}

/** Reads a text as the number or flag that the contract shows. */
function convertText({ accepts, expected }: PlanOf<'leaf'>, value: unknown): number | boolean | undefined {
  if (typeof value !== 'string') return undefined
  const converted =
    expected === 'number' ? parseDecimal(value) : expected === 'boolean' ? parseBoolean(value) : undefined
  return accepts(converted) ? converted : undefined
}

/** Compares only the JSON type of a value, not what is inside it. */
function matchesType(plan: SchemaPlan, value: unknown): boolean {
  switch (plan.kind) {
    case 'leaf':
      return plan.accepts(value) || convertText(plan, value) !== undefined
    case 'optional':
      return value === undefined || matchesType(plan.inner, value)
    case 'nullable':
      return value === null || matchesType(plan.inner, value)
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isObject(value) || readSelf(findSelf(plan), value) !== undefined
    case 'union':
      return plan.options.some((option) => matchesType(option, value))
  }
}
