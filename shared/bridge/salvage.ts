import type { z } from 'zod'
import { parseBoolean, parseDecimal } from './resources/shape-variants.ts'
import { getMember } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { getWeakerBasis, isBinding, type Basis } from './basis.ts'
import { ConversionLog, MAX_DATA_PROBLEMS, type DataProblem, type SalvageResult } from './salvage-result.ts'
import { getPlanBasis, getSchemaPlan, getJsonType, type MemberPlan, type SchemaPlan } from './resources/schema-plan.ts'

/**
 * Extracts the part of a foreign JSON value that matches `schema`. List entries and optional
 * members that do not match are omitted. A required member that does not match makes its object
 * unusable. Of a union, the first matching option counts, otherwise the option with the fewest
 * problems. Unknown members stay. A value that matches as a whole is returned unchanged. What
 * differs from an open statement is no problem.
 */
export function salvage<S extends z.ZodType>(schema: S, value: unknown): SalvageResult<z.input<S>> {
  const plan = getSchemaPlan(schema)
  const walk = new SalvageWalk()
  const basis = getPlanBasis(plan)
  if (fits(schema, value)) {
    const usable = plan.needsWalk ? walk.read(plan, value, basis) : value
    return { value: usable !== value && fits(schema, usable) ? usable : value, ...walk.getResult() }
  }
  const usable = walk.read(plan, value, basis)
  if (usable !== NOTHING && fits(schema, usable)) return { value: usable, ...walk.getResult() }
  if (usable !== NOTHING) walk.rejectValue(plan, value, basis)
  return { value: undefined, ...walk.createUnusableResult() }
}

/** Response schemas do not transform, so a value that passes has their type. */
function fits<S extends z.ZodType>(schema: S, value: unknown): value is z.input<S> {
  return schema.safeParse(value).success
}

const NOTHING = Symbol('nothing usable')

interface Cause {
  readonly trail: readonly (string | number)[]
  readonly plan: SchemaPlan | null
  readonly value: unknown
  /** Basis of the statement that the value differs from. */
  readonly basis: Basis
}
interface Checkpoint {
  readonly keptProblemCount: number
  readonly bindingProblemCount: number
  readonly differenceCount: number
  readonly conversionCount: number
  readonly problemCount: number
  readonly omittedCount: number
}
type Kind<K extends SchemaPlan['kind']> = Extract<SchemaPlan, { readonly kind: K }>

/**
 * A walk through one value; `#trail` is the current path. Problems inside an omitted part are
 * dropped.
 */
class SalvageWalk {
  readonly #trail: (string | number)[] = []
  readonly #problems: DataProblem[] = []
  readonly #keptPositions = new Map<string, readonly number[]>()
  readonly #conversions = new ConversionLog()
  #problemCount = 0
  #bindingProblemCount = 0
  /** Number of problems and of differences from what is open. */
  #differenceCount = 0
  #omittedCount = 0
  #cause: Cause = { trail: [], plan: null, value: undefined, basis: 'open' }

  /** @param basis of the statement that the value has the type of the plan */
  read(plan: SchemaPlan, value: unknown, basis: Basis): unknown {
    switch (plan.kind) {
      case 'leaf':
        return plan.accepts(value) ? value : this.#convert(plan, value, basis)
      case 'optional':
        return value === undefined ? value : this.read(plan.inner, value, basis)
      case 'nullable':
        return this.#readNullable(plan, value, basis)
      case 'list':
        return Array.isArray(value) ? this.#readList(plan, value, basis) : this.rejectValue(plan, value, basis)
      case 'object':
        return this.#readObject(plan, value, basis)
      case 'union':
        return this.#readUnion(plan, value, basis)
    }
  }

  rejectValue(plan: SchemaPlan, value: unknown, basis: Basis): typeof NOTHING {
    this.#cause = { trail: [...this.#trail], plan, value, basis }
    return NOTHING
  }

  getResult(): Omit<SalvageResult<never>, 'value'> {
    const conversions = this.#conversions.summarize()
    return {
      problems: this.#problems,
      problemCount: this.#problemCount,
      bindingProblemCount: this.#bindingProblemCount,
      omittedEntryCount: this.#omittedCount,
      keptPositions: this.#keptPositions,
      conversions,
    }
  }

  createUnusableResult(): Omit<SalvageResult<never>, 'value'> {
    const { basis } = this.#cause
    const problems = basis === 'open' ? [] : [this.#createProblem(null)]
    return {
      problems,
      problemCount: problems.length,
      bindingProblemCount: isBinding(basis) ? 1 : 0,
      omittedEntryCount: 0,
      keptPositions: new Map(),
      conversions: [],
    }
  }

  #convert(plan: Kind<'leaf'>, value: unknown, basis: Basis): unknown {
    if (typeof value !== 'string') return this.rejectValue(plan, value, basis)
    const conversionKind = plan.expected === 'number' ? 'number' : 'flag'
    const converted =
      conversionKind === 'number' ? parseDecimal(value) : plan.expected === 'boolean' ? parseBoolean(value) : undefined
    if (converted === undefined || !plan.accepts(converted)) return this.rejectValue(plan, value, basis)
    this.#conversions.add(this.#trail, this.#trail.at(-1), conversionKind)
    return converted
  }

  #readNullable(plan: Kind<'nullable'>, value: unknown, basis: Basis): unknown {
    if (value === null) return value
    const result = this.read(plan.inner, value, basis)
    return result === NOTHING && this.#cause.plan === plan.inner ? this.rejectValue(plan, value, basis) : result
  }

  #readList({ element }: Kind<'list'>, entries: readonly unknown[], basis: Basis): unknown {
    let isChanged = false
    const items: unknown[] = []
    const positions: number[] = []
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index]
      const mark = this.#createCheckpoint()
      this.#trail.push(index)
      const result = this.read(element, entry, basis)
      if (result === NOTHING) {
        this.#rewind(mark)
        this.#recordProblem(true)
        this.#omittedCount += 1
      } else {
        items.push(result)
        positions.push(index)
      }
      isChanged ||= result !== entry
      this.#trail.pop()
    }
    if (items.length < entries.length && this.#trail.length < 2) this.#keptPositions.set(this.#getPointer(), positions)
    return isChanged ? items : entries
  }

  #readObject(plan: Kind<'object'>, value: unknown, basis: Basis): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#readSelf(plan, value, basis)
    let copy: Record<string, unknown> | null = null
    for (const member of plan.members) {
      const { name, plan: memberPlan, isOptional, presence, type } = member
      const isPresent = Object.hasOwn(value, name)
      const otherValue = isPresent ? NOTHING : this.#readOtherName(plan.variants.names?.[name], member, value)
      if (otherValue !== NOTHING) {
        copy ??= { ...value }
        copy[name] = otherValue
        continue
      }
      if (!isPresent && isOptional && presence === 'open') continue
      const sentValue: unknown = isPresent ? Reflect.get(value, name) : undefined
      const mark = this.#createCheckpoint()
      this.#trail.push(name)
      const memberBasis = getWeakerBasis(basis, isPresent ? type : presence)
      const result = isPresent
        ? this.read(memberPlan, sentValue, memberBasis)
        : this.rejectValue(memberPlan, undefined, memberBasis)
      if (result === NOTHING && isOptional) {
        this.#rewind(mark)
        this.#recordProblem(false)
      }
      this.#trail.pop()
      if (result === NOTHING && !isOptional) return NOTHING
      if (result === sentValue || !isPresent) continue
      copy ??= { ...value }
      if (result === NOTHING) Reflect.deleteProperty(copy, name)
      else copy[name] = result
    }
    return copy ?? value
  }

  /** Reads an id that was sent instead of its object. */
  #readSelf(plan: Kind<'object'>, value: unknown, basis: Basis): unknown {
    const { self } = plan.variants
    const selfMember = plan.members.find(({ name }) => name === self)
    const isSelfSufficient = plan.members.every(({ name, isOptional }) => isOptional || name === self)
    const isPlain = (typeof value === 'string' && value !== '') || typeof value === 'number'
    if (!selfMember || !isSelfSufficient || !isPlain) return this.rejectValue(plan, value, basis)
    const result = this.read(selfMember.plan, value, basis)
    if (result === NOTHING) return this.rejectValue(plan, value, basis)
    this.#conversions.add(this.#trail, selfMember.name, 'self')
    return { [selfMember.name]: result }
  }

  #readOtherName(names: readonly string[] = [], { name, plan }: MemberPlan, value: object): unknown {
    for (const otherName of names) {
      const steps = otherName.split('.')
      const sentValue = steps.reduce<unknown>((parent, step) => getMember(parent, step), value)
      if (sentValue === undefined || sentValue === null) continue
      const mark = this.#createCheckpoint()
      this.#trail.push(...steps)
      const result = this.read(plan, sentValue, 'observed')
      if (result === NOTHING) this.#rewind(mark)
      else this.#conversions.add(this.#trail, name, 'name')
      this.#trail.length -= steps.length
      if (result !== NOTHING) return result
    }
    return NOTHING
  }

  #readUnion(plan: Kind<'union'>, value: unknown, basis: Basis): unknown {
    const matchingOption = plan.options.find(({ schema }) => fits(schema, value))
    if (matchingOption) return this.read(matchingOption, value, basis)
    const start = this.#createCheckpoint()
    let best: { readonly option: SchemaPlan; readonly total: number } | null = null
    for (const option of plan.options) {
      const result = this.read(option, value, basis)
      const total = this.#differenceCount - start.differenceCount
      if (result !== NOTHING && (best === null || total < best.total)) best = { option, total }
      this.#rewind(start)
    }
    return best === null ? this.rejectValue(plan, value, basis) : this.read(best.option, value, basis)
  }

  #recordProblem(isEntryOmitted: boolean): void {
    const { basis } = this.#cause
    this.#differenceCount += 1
    if (basis === 'open') return
    this.#problemCount += 1
    if (isBinding(basis)) this.#bindingProblemCount += 1
    const count = isBinding(basis) ? this.#bindingProblemCount : this.#problemCount - this.#bindingProblemCount
    // Texts and pointers are built only for problems that are reported, because building them is
    // slow.
    if (count <= MAX_DATA_PROBLEMS) this.#problems.push(this.#createProblem(isEntryOmitted ? this.#getPointer() : null))
  }

  #createProblem(entry: string | null): DataProblem {
    const { trail, plan, value, basis } = this.#cause
    return { path: toPointer(trail), entry, expected: plan?.expected ?? '', actual: getJsonType(value), basis }
  }

  #createCheckpoint(): Checkpoint {
    return {
      keptProblemCount: this.#problems.length,
      bindingProblemCount: this.#bindingProblemCount,
      differenceCount: this.#differenceCount,
      conversionCount: this.#conversions.length,
      problemCount: this.#problemCount,
      omittedCount: this.#omittedCount,
    }
  }

  #rewind(start: Checkpoint): void {
    this.#conversions.length = start.conversionCount
    if (this.#differenceCount === start.differenceCount) return
    this.#problems.length = start.keptProblemCount
    this.#problemCount = start.problemCount
    this.#bindingProblemCount = start.bindingProblemCount
    this.#differenceCount = start.differenceCount
    this.#omittedCount = start.omittedCount
    const pointer = this.#getPointer()
    for (const list of this.#keptPositions.keys())
      if (list === pointer || list.startsWith(`${pointer}/`)) this.#keptPositions.delete(list)
  }

  #getPointer(): string {
    return toPointer(this.#trail)
  }
}
