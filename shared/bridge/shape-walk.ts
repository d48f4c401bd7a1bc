import { getMember, isObject } from '../json/object.ts'
import type { ConversionKind } from '../json/findings.ts'
import { getWeakerBasis, type Basis } from './basis.ts'
import type { MemberPlan, SchemaPlan } from './resources/schema-plan.ts'
import { parseBoolean, parseDecimal } from './resources/shape-variants.ts'

/** In place of a value of which nothing can be used. */
export const UNUSABLE = Symbol('unusable')

export type PlanOf<K extends SchemaPlan['kind']> = Extract<SchemaPlan, { readonly kind: K }>

/** The statement that a value has the JSON types that its schema accepts. */
export interface TypeStatement {
  /** `string`, `number | null`. */
  readonly expected: string
  readonly basis: Basis
  /** The spec shows the type exactly, so that a value in another JSON type differs. */
  readonly isExact: boolean
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

  /** Returns what to use in place of a value that does not fit; `UNUSABLE` for nothing. */
  protected abstract rejectValue(value: unknown, statement: TypeStatement): unknown

  /** Returns `UNUSABLE` if the object cannot do without the member. */
  protected abstract rejectAbsence(member: MemberPlan, basis: Basis): unknown

  /** Called with a value that is read although it was sent in another shape. */
  protected abstract onConversion(
    kind: ConversionKind,
    name: string | number | undefined,
    value: unknown,
    statement: TypeStatement,
  ): void

  /** Called with a value of the right type, which may still be out of its range or unknown. */
  protected onValue?(plan: PlanOf<'leaf'>, value: unknown, basis: Basis): void

  protected onObject?(plan: PlanOf<'object'>, value: Readonly<Record<string, unknown>>): void

  /** Does something, and undoes it if nothing can be used of its result. */
  protected attempt(visit: () => unknown): unknown {
    return visit()
  }

  protected isExact({ isTable }: PlanOf<'object'>): boolean {
    return isTable
  }

  visit(plan: SchemaPlan, value: unknown, basis: Basis, isExact = false, expected = plan.expected): unknown {
    switch (plan.kind) {
      case 'leaf':
        return this.#visitLeaf(plan, value, { expected, basis, isExact })
      case 'optional':
        return value === undefined ? value : this.visit(plan.inner, value, basis, isExact, expected)
      case 'nullable':
        return value === null ? value : this.visit(plan.inner, value, basis, isExact, expected)
      case 'list':
        return Array.isArray(value)
          ? this.visitList(plan.element, value, basis, isExact)
          : this.rejectValue(value, { expected, basis, isExact })
      case 'object':
        return isObject(value)
          ? this.#visitMembers(plan, value, basis)
          : this.#visitSelf(plan, value, { expected, basis, isExact })
      case 'union': {
        const options = plan.options.filter((option) => matchesType(option, value))
        const option = options.length > 1 ? options.find(({ schema }) => schema.safeParse(value).success) : undefined
        const [first] = options
        const choice = option ?? first
        return choice
          ? this.visit(choice, value, basis, isExact, expected)
          : this.rejectValue(value, { expected, basis, isExact })
      }
    }
  }

  protected visitList(element: SchemaPlan, entries: readonly unknown[], basis: Basis, isExact: boolean): unknown {
    for (const [index, entry] of entries.entries()) this.visitStep(index, element, entry, basis, isExact)
    return entries
  }

  protected visitStep(
    step: string | number,
    plan: SchemaPlan,
    value: unknown,
    basis: Basis,
    isExact: boolean,
  ): unknown {
    this.trail.push(step)
    const result = this.visit(plan, value, basis, isExact)
    this.trail.pop()
    return result
  }

  #visitLeaf(plan: PlanOf<'leaf'>, value: unknown, statement: TypeStatement): unknown {
    if (plan.accepts(value)) {
      this.onValue?.(plan, value, statement.basis)
      return value
    }
    const converted = convertText(plan, value)
    if (converted === undefined) return this.rejectValue(value, statement)
    this.#onConvertedText(converted, value, statement)
    return converted
  }

  #onConvertedText(converted: unknown, text: unknown, statement: TypeStatement): void {
    this.onConversion(typeof converted === 'number' ? 'number' : 'flag', this.trail.at(-1), text, statement)
  }

  #visitMembers(plan: PlanOf<'object'>, value: Record<string, unknown>, basis: Basis): unknown {
    let copy: Record<string, unknown> | null = null
    const isExact = this.isExact(plan)
    for (const member of plan.members) {
      const { name, isOptional } = member
      const isPresent = Object.hasOwn(value, name)
      const sentValue = isPresent ? value[name] : undefined
      const result = isPresent
        ? this.visitMember(member, sentValue, getWeakerBasis(basis, member.type), isExact)
        : this.#visitAbsentMember(plan, member, value, basis)
      if (result === UNUSABLE && !isOptional) return UNUSABLE
      if (result === sentValue || (result === UNUSABLE && !isPresent)) continue
      copy ??= { ...value }
      if (result === UNUSABLE) Reflect.deleteProperty(copy, name)
      else copy[name] = result
    }
    this.onObject?.(plan, value)
    return copy ?? value
  }

  protected visitMember({ name, plan }: MemberPlan, value: unknown, basis: Basis, isExact: boolean): unknown {
    return this.visitStep(name, plan, value, basis, isExact)
  }

  #visitAbsentMember({ variants }: PlanOf<'object'>, member: MemberPlan, value: object, basis: Basis): unknown {
    const { name, plan, presence, isOptional } = member
    for (const otherName of variants.names?.[name] ?? []) {
      const steps = otherName.split('.')
      const sentValue = steps.reduce<unknown>(getMember, value)
      if (sentValue === undefined || sentValue === null || !matchesType(plan, sentValue)) continue
      const statement = { expected: plan.expected, basis: 'observed', isExact: false } as const
      const result = this.attempt(() => {
        this.trail.push(...steps)
        const read = this.visit(plan, sentValue, statement.basis)
        if (read !== UNUSABLE) this.onConversion('name', name, sentValue, statement)
        this.trail.length -= steps.length
        return read
      })
      if (result !== UNUSABLE) return result
    }
    if (isOptional && presence === 'open') return undefined
    return this.rejectAbsence(member, getWeakerBasis(basis, presence))
  }

  /** Reads an id that was sent instead of its object. */
  #visitSelf(plan: PlanOf<'object'>, value: unknown, statement: TypeStatement): unknown {
    const self = findSelf(plan)
    const read = self && value !== '' ? readPlainValue(self.plan, value) : undefined
    if (!self || read === undefined) return this.rejectValue(value, statement)
    if (read !== value) this.#onConvertedText(read, value, { ...statement, isExact: false })
    this.onConversion('self', self.name, value, statement)
    return { [self.name]: read }
  }
}

/** The member that a plain value stands for; undefined if the object needs more than it. */
function findSelf({ variants, members }: PlanOf<'object'>): MemberPlan | undefined {
  const self = members.find(({ name }) => name === variants.self)
  return members.every(({ name, isOptional }) => isOptional || name === self?.name) ? self : undefined
}

/** Reads a text as the number or flag that the contract shows. */
function convertText({ accepts, expected }: PlanOf<'leaf'>, value: unknown): number | boolean | undefined {
  if (typeof value !== 'string') return undefined
  const converted =
    expected === 'number' ? parseDecimal(value) : expected === 'boolean' ? parseBoolean(value) : undefined
  return accepts(converted) ? converted : undefined
}

/** Returns undefined for anything but a text or number that fits. */
function readPlainValue(plan: SchemaPlan, value: unknown): unknown {
  if (plan.kind === 'optional' || plan.kind === 'nullable') return readPlainValue(plan.inner, value)
  if (plan.kind !== 'leaf' || (typeof value !== 'string' && typeof value !== 'number')) return undefined
  return plan.accepts(value) ? value : convertText(plan, value)
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
    case 'object': {
      const self = isObject(value) || value === '' ? undefined : findSelf(plan)
      return isObject(value) || (self !== undefined && readPlainValue(self.plan, value) !== undefined)
    }
    case 'union':
      return plan.options.some((option) => matchesType(option, value))
  }
}
