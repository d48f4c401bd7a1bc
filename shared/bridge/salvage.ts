import type { z } from 'zod'
import { toPointer } from '../json/pointer.ts'
import type { ConversionKind } from '../json/findings.ts'
import { isBinding } from './basis.ts'
import { ConversionLog, MAX_DATA_PROBLEMS, type DataProblem, type SalvageResult } from './salvage-result.ts'
import { getPlanBasis, getSchemaPlan, getJsonType, type SchemaPlan } from './resources/schema-plan.ts'
import { ShapeWalk, UNUSABLE, type ShapeDifference, type Step } from './shape-walk.ts'

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
  const statement = { basis: getPlanBasis(plan), isExact: false }
  if (fits(schema, value)) {
    const usable = plan.needsWalk ? walk.visit(plan, value, statement) : value
    return { value: usable !== value && fits(schema, usable) ? usable : value, ...walk.getResult() }
  }
  const usable = walk.visit(plan, value, statement)
  if (usable !== UNUSABLE && fits(schema, usable)) return { value: usable, ...walk.getResult() }
  if (usable !== UNUSABLE) walk.reject({ expected: plan.expected, basis: statement.basis, value })
  return { value: undefined, ...walk.createUnusableResult() }
}

/** Response schemas do not transform, so a value that passes has their type. */
function fits<S extends z.ZodType>(schema: S, value: unknown): value is z.input<S> {
  return schema.safeParse(value).success
}

/** The difference that made a value unusable. */
interface Cause extends Omit<ShapeDifference, 'kind'> {
  readonly trail: readonly (string | number)[]
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

  constructor() {
    super('nowhere')
  }

  reject({ expected, basis, value }: Omit<ShapeDifference, 'kind'>): typeof UNUSABLE {
    this.#cause = { trail: [...this.trail], expected, basis, value }
    return UNUSABLE
  }

  protected override onConversion(kind: ConversionKind, name: string | number | undefined): void {
    this.#conversions.add(this.trail, name, kind)
  }

  protected override onOmission(keptPositions: readonly number[]): void {
    if (this.trail.length < 2) this.#keptPositions.set(toPointer(this.trail), keptPositions)
  }

  protected override visitStep(step: Step): unknown {
    const mark = this.#createCheckpoint()
    const result = super.visitStep(step)
    if (result !== UNUSABLE || !step.isOmissible) return result
    this.#rewind(mark, [step.name])
    this.#recordProblem(step)
    if (typeof step.name === 'number') this.#omittedCount += 1
    return UNUSABLE
  }

  protected override visitOtherName(...input: [readonly string[], SchemaPlan, unknown, string]): unknown {
    const mark = this.#createCheckpoint()
    const result = super.visitOtherName(...input)
    if (result === UNUSABLE) this.#rewind(mark, input[0])
    return result
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

  #recordProblem({ name }: Step): void {
    const { basis } = this.#cause
    this.#differenceCount += 1
    if (basis === 'open') return
    this.#problemCount += 1
    if (isBinding(basis)) this.#bindingProblemCount += 1
    const count = isBinding(basis) ? this.#bindingProblemCount : this.#problemCount - this.#bindingProblemCount
    if (count > MAX_DATA_PROBLEMS) return
    this.#problems.push(this.#createProblem(typeof name === 'number' ? toPointer([...this.trail, name]) : null))
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

  #rewind(start: Checkpoint, steps: readonly (string | number)[]): void {
    this.#conversions.length = start.conversionCount
    if (this.#differenceCount === start.differenceCount) return
    this.#problems.length = start.keptProblemCount
    this.#problemCount = start.problemCount
    this.#bindingProblemCount = start.bindingProblemCount
    this.#differenceCount = start.differenceCount
    this.#omittedCount = start.omittedCount
    if (this.#keptPositions.size === 0) return
    const pointer = toPointer([...this.trail, ...steps])
    for (const list of this.#keptPositions.keys())
      if (list === pointer || list.startsWith(`${pointer}/`)) this.#keptPositions.delete(list)
  }
}
