import type { z } from 'zod'
import { toPointer } from '../json/pointer.ts'
import type { ConversionKind } from '../json/findings.ts'
import { isBinding, type Basis } from './basis.ts'
import { ConversionLog, MAX_DATA_PROBLEMS, type DataProblem, type SalvageResult } from './salvage-result.ts'
import { getPlanBasis, getSchemaPlan, getJsonType, type MemberPlan, type SchemaPlan } from './resources/schema-plan.ts'
import { ShapeWalk, UNUSABLE, type TypeStatement } from './shape-walk.ts'

/**
 * Extracts the part of a foreign JSON value that matches `schema`. List entries and optional
 * members that do not match are omitted. A required member that does not match makes its object
 * unusable. Of a union, the first option that matches counts, otherwise the first of its JSON type.
 * Unknown members stay. A value that matches as a whole is returned unchanged. What differs from an
 * open statement is no problem.
 */
export function salvage<S extends z.ZodType>(schema: S, value: unknown): SalvageResult<z.input<S>> {
  const plan = getSchemaPlan(schema)
  const walk = new SalvageWalk()
  const basis = getPlanBasis(plan)
  if (fits(schema, value)) {
    const usable = plan.needsWalk ? walk.visit(plan, value, basis) : value
    return { value: usable !== value && fits(schema, usable) ? usable : value, ...walk.getResult() }
  }
  const usable = walk.visit(plan, value, basis)
  if (usable !== UNUSABLE && fits(schema, usable)) return { value: usable, ...walk.getResult() }
  if (usable !== UNUSABLE) walk.rejectValue(value, { ...plan, basis })
  return { value: undefined, ...walk.createUnusableResult() }
}

/** Response schemas do not transform, so a value that passes has their type. */
function fits<S extends z.ZodType>(schema: S, value: unknown): value is z.input<S> {
  return schema.safeParse(value).success
}

/** The difference that made a value unusable. */
interface Cause extends Pick<TypeStatement, 'expected' | 'basis'> {
  readonly trail: readonly (string | number)[]
  readonly value: unknown
}

interface Checkpoint {
  readonly keptProblemCount: number
  readonly bindingProblemCount: number
  readonly differenceCount: number
  readonly conversionCount: number
  readonly problemCount: number
  readonly omittedCount: number
}

/** Keeps what fits. Problems inside an omitted part are dropped. */
class SalvageWalk extends ShapeWalk {
  readonly #problems: DataProblem[] = []
  readonly #keptPositions = new Map<string, readonly number[]>()
  readonly #conversions = new ConversionLog()
  #problemCount = 0
  #bindingProblemCount = 0
  /** Number of problems and of differences from what is open. */
  #differenceCount = 0
  #omittedCount = 0
  #cause: Cause = { trail: [], expected: '', value: undefined, basis: 'open' }

  rejectValue(value: unknown, { expected, basis }: Pick<TypeStatement, 'expected' | 'basis'>): typeof UNUSABLE {
    this.#cause = { trail: [...this.trail], expected, value, basis }
    return UNUSABLE
  }

  protected rejectAbsence({ name, plan, isOptional }: MemberPlan, basis: Basis): typeof UNUSABLE {
    this.#cause = { trail: [...this.trail, name], expected: plan.expected, value: undefined, basis }
    if (isOptional) this.#recordProblem(false)
    return UNUSABLE
  }

  protected onConversion(kind: ConversionKind, name: string | number | undefined): void {
    this.#conversions.add(this.trail, name, kind)
  }

  protected override attempt(visit: () => unknown): unknown {
    const mark = this.#createCheckpoint()
    const result = visit()
    if (result === UNUSABLE) this.#rewind(mark)
    return result
  }

  protected override visitMember(member: MemberPlan, value: unknown, basis: Basis, isExact: boolean): unknown {
    const mark = this.#createCheckpoint()
    this.trail.push(member.name)
    const result = this.visit(member.plan, value, basis, isExact)
    if (result === UNUSABLE && member.isOptional) {
      this.#rewind(mark)
      this.#recordProblem(false)
    }
    this.trail.pop()
    return result
  }

  protected override visitList(
    element: SchemaPlan,
    entries: readonly unknown[],
    basis: Basis,
    isExact: boolean,
  ): unknown {
    let isChanged = false
    const items: unknown[] = []
    const positions: number[] = []
    for (const [index, entry] of entries.entries()) {
      const mark = this.#createCheckpoint()
      this.trail.push(index)
      const result = this.visit(element, entry, basis, isExact)
      if (result === UNUSABLE) {
        this.#rewind(mark)
        this.#recordProblem(true)
        this.#omittedCount += 1
      } else {
        items.push(result)
        positions.push(index)
      }
      isChanged ||= result !== entry
      this.trail.pop()
    }
    if (items.length < entries.length && this.trail.length < 2) this.#keptPositions.set(this.#getPointer(), positions)
    return isChanged ? items : entries
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
    const { trail, expected, value, basis } = this.#cause
    return { path: toPointer(trail), entry, expected, actual: getJsonType(value), basis }
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
    return toPointer(this.trail)
  }
}
