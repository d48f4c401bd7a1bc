import type { z } from 'zod'
import { parseBoolean, parseDecimal } from './resources/shape-variants.ts'
import { getMember } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { ConversionLog, MAX_DATA_PROBLEMS, type DataProblem, type SalvageResult } from './salvage-result.ts'
import { getSchemaPlan, getJsonType, type MemberPlan, type SchemaPlan } from './resources/schema-plan.ts'

/**
 * Extracts the part of a foreign JSON value that matches `schema`. List entries and optional
 * members that do not match are omitted. A required member that does not match makes its object
 * unusable. Of a union, the first matching option counts, otherwise the option with the fewest
 * problems. Unknown members stay. A value that matches as a whole is returned unchanged.
 */
export function salvage<S extends z.ZodType>(schema: S, value: unknown): SalvageResult<z.input<S>> {
  const plan = getSchemaPlan(schema)
  const walk = new SalvageWalk()
  if (fits(schema, value)) {
    const usable = plan.needsWalk ? walk.read(plan, value) : value
    return { value: usable !== value && fits(schema, usable) ? usable : value, ...walk.getResult() }
  }
  const usable = walk.read(plan, value)
  if (usable !== NOTHING && fits(schema, usable)) return { value: usable, ...walk.getResult() }
  if (usable !== NOTHING) walk.rejectValue(plan, value)
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
}
interface Checkpoint {
  readonly keptProblemCount: number
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
  #omittedCount = 0
  #cause: Cause = { trail: [], plan: null, value: undefined }

  read(plan: SchemaPlan, value: unknown): unknown {
    switch (plan.kind) {
      case 'leaf':
        return plan.accepts(value) ? value : this.#convert(plan, value)
      case 'optional':
        return value === undefined ? value : this.read(plan.inner, value)
      case 'nullable':
        return this.#readNullable(plan, value)
      case 'list':
        return Array.isArray(value) ? this.#readList(plan, value) : this.rejectValue(plan, value)
      case 'object':
        return this.#readObject(plan, value)
      case 'union':
        return this.#readUnion(plan, value)
    }
  }

  rejectValue(plan: SchemaPlan, value: unknown): typeof NOTHING {
    this.#cause = { trail: [...this.#trail], plan, value }
    return NOTHING
  }

  getResult(): Omit<SalvageResult<never>, 'value'> {
    const conversions = this.#conversions.summarize()
    return {
      problems: this.#problems,
      problemCount: this.#problemCount,
      omittedEntryCount: this.#omittedCount,
      keptPositions: this.#keptPositions,
      conversions,
    }
  }

  createUnusableResult(): Omit<SalvageResult<never>, 'value'> {
    return {
      problems: [this.#createProblem(null)],
      problemCount: 1,
      omittedEntryCount: 0,
      keptPositions: new Map(),
      conversions: [],
    }
  }

  #convert(plan: Kind<'leaf'>, value: unknown): unknown {
    if (typeof value !== 'string') return this.rejectValue(plan, value)
    const conversionKind = plan.expected === 'number' ? 'number' : 'flag'
    const converted =
      conversionKind === 'number' ? parseDecimal(value) : plan.expected === 'boolean' ? parseBoolean(value) : undefined
    if (converted === undefined || !plan.accepts(converted)) return this.rejectValue(plan, value)
    this.#conversions.add(this.#trail, this.#trail.at(-1), conversionKind)
    return converted
  }

  #readNullable(plan: Kind<'nullable'>, value: unknown): unknown {
    if (value === null) return value
    const result = this.read(plan.inner, value)
    return result === NOTHING && this.#cause.plan === plan.inner ? this.rejectValue(plan, value) : result
  }

  #readList({ element }: Kind<'list'>, entries: readonly unknown[]): unknown {
    let isChanged = false
    const items: unknown[] = []
    const positions: number[] = []
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index]
      const mark = this.#createCheckpoint()
      this.#trail.push(index)
      const result = this.read(element, entry)
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

  #readObject(plan: Kind<'object'>, value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#readSelf(plan, value)
    let copy: Record<string, unknown> | null = null
    for (const member of plan.members) {
      const { name, plan: memberPlan, isOptional, presence } = member
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
      const result = isPresent ? this.read(memberPlan, sentValue) : this.rejectValue(memberPlan, undefined)
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
  #readSelf(plan: Kind<'object'>, value: unknown): unknown {
    const { self } = plan.variants
    const selfMember = plan.members.find(({ name }) => name === self)
    const isSelfSufficient = plan.members.every(({ name, isOptional }) => isOptional || name === self)
    const isPlain = (typeof value === 'string' && value !== '') || typeof value === 'number'
    if (!selfMember || !isSelfSufficient || !isPlain) return this.rejectValue(plan, value)
    const result = this.read(selfMember.plan, value)
    if (result === NOTHING) return this.rejectValue(plan, value)
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
      const result = this.read(plan, sentValue)
      if (result === NOTHING) this.#rewind(mark)
      else this.#conversions.add(this.#trail, name, 'name')
      this.#trail.length -= steps.length
      if (result !== NOTHING) return result
    }
    return NOTHING
  }

  #readUnion(plan: Kind<'union'>, value: unknown): unknown {
    const matchingOption = plan.options.find(({ schema }) => fits(schema, value))
    if (matchingOption) return this.read(matchingOption, value)
    const start = this.#createCheckpoint()
    let best: { readonly option: SchemaPlan; readonly total: number } | null = null
    for (const option of plan.options) {
      const result = this.read(option, value)
      const total = this.#problemCount - start.problemCount
      if (result !== NOTHING && (best === null || total < best.total)) best = { option, total }
      this.#rewind(start)
    }
    return best === null ? this.rejectValue(plan, value) : this.read(best.option, value)
  }

  #recordProblem(isEntryOmitted: boolean): void {
    this.#problemCount += 1
    // Texts and pointers are built only for problems that are reported, because building them is
    // slow.
    if (this.#problems.length < MAX_DATA_PROBLEMS)
      this.#problems.push(this.#createProblem(isEntryOmitted ? this.#getPointer() : null))
  }

  #createProblem(entry: string | null): DataProblem {
    const { trail, plan, value } = this.#cause
    return { path: toPointer(trail), entry, expected: plan?.expected ?? '', actual: getJsonType(value) }
  }

  #createCheckpoint(): Checkpoint {
    return {
      keptProblemCount: this.#problems.length,
      conversionCount: this.#conversions.length,
      problemCount: this.#problemCount,
      omittedCount: this.#omittedCount,
    }
  }

  #rewind({ keptProblemCount, conversionCount, problemCount, omittedCount }: Checkpoint): void {
    this.#conversions.length = conversionCount
    if (this.#problemCount === problemCount) return
    this.#problems.length = keptProblemCount
    this.#problemCount = problemCount
    this.#omittedCount = omittedCount
    const pointer = this.#getPointer()
    for (const list of this.#keptPositions.keys())
      if (list === pointer || list.startsWith(`${pointer}/`)) this.#keptPositions.delete(list)
  }

  #getPointer(): string {
    return toPointer(this.#trail)
  }
}
