import type { z } from 'zod'
import { parseFlag, parseDecimal } from './resources/shape-variants.ts'
import { getMember } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { ConversionLog, MAX_PROBLEMS, type DataProblem, type SalvageResult } from './salvage-result.ts'
import { getSchemaPlan, getJsonType, type MemberPlan, type SchemaPlan } from './resources/schema-plan.ts'

/**
 * The part of a foreign JSON value that matches `schema`. Lists are checked entry by entry; one that does not match is left out. An
 * optional member that does not match is left out; a required one makes its object unusable. Of a union, the first option that matches
 * counts, else the one that keeps the most. Members that the schema does not name stay as they are, and a value that matches as a whole
 * is returned unchanged.
 */
export function salvage<S extends z.ZodType>(schema: S, value: unknown): SalvageResult<z.input<S>> {
  const plan = getSchemaPlan(schema)
  const walk = new Walk()
  if (fits(schema, value)) {
    const read = plan.promises ? walk.take(plan, value) : value
    return { value: read !== value && fits(schema, read) ? read : value, ...walk.found() }
  }
  const taken = walk.take(plan, value)
  if (taken !== NOTHING && fits(schema, taken)) return { value: taken, ...walk.found() }
  if (taken !== NOTHING) walk.miss(plan, value)
  return { value: undefined, ...walk.unusable() }
}

/** Response schemas do not transform, so what passes has their type. */
function fits<S extends z.ZodType>(schema: S, value: unknown): value is z.input<S> {
  return schema.safeParse(value).success
}

const NOTHING = Symbol('nothing usable')

interface Cause {
  readonly trail: readonly (string | number)[]
  readonly plan: SchemaPlan | null
  readonly value: unknown
}
interface Mark {
  readonly problems: number
  readonly read: number
  readonly total: number
  readonly left: number
}
type Kind<K extends SchemaPlan['kind']> = Extract<SchemaPlan, { readonly kind: K }>

/** One walk through a value. `trail` is the current place. Problems inside a part that is then left out as a whole are dropped again. */
class Walk {
  readonly #trail: (string | number)[] = []
  readonly #problems: DataProblem[] = []
  readonly #kept = new Map<string, readonly number[]>()
  readonly #read = new ConversionLog()
  #total = 0
  #left = 0
  /** Why the last value was unusable. */
  #cause: Cause = { trail: [], plan: null, value: undefined }

  take(plan: SchemaPlan, value: unknown): unknown {
    switch (plan.kind) {
      case 'leaf':
        return this.#ranged(plan, plan.takes(value) ? value : this.#converted(plan, value))
      case 'optional':
        return value === undefined ? value : this.take(plan.inner, value)
      case 'nullable':
        return this.#nullable(plan, value)
      case 'list':
        return Array.isArray(value) ? this.#list(plan, value) : this.miss(plan, value)
      case 'object':
        return this.#object(plan, value)
      case 'union':
        return this.#union(plan, value)
    }
  }

  /** Records that the value here is not what it should be. */
  miss(plan: SchemaPlan, value: unknown): typeof NOTHING {
    this.#cause = { trail: [...this.#trail], plan, value }
    return NOTHING
  }

  found(): Omit<SalvageResult<never>, 'value'> {
    const readAs = this.#read.summarize()
    return {
      problems: this.#problems,
      problemCount: this.#total,
      omittedEntryCount: this.#left,
      keptPositions: this.#kept,
      conversions: readAs,
    }
  }

  unusable(): Omit<SalvageResult<never>, 'value'> {
    return {
      problems: [this.#problem(null)],
      problemCount: 1,
      omittedEntryCount: 0,
      keptPositions: new Map(),
      conversions: [],
    }
  }

  #ranged(plan: Kind<'leaf'>, value: unknown): unknown {
    const { range } = plan
    if (range === null || typeof value !== 'number' || (value >= range.min && value <= range.max)) return value
    this.#total += 1
    const path = this.#pointer()
    const expected = `${range.min}..${range.max}`
    if (this.#problems.length < MAX_PROBLEMS)
      this.#problems.push({ path, entry: null, expected, found: String(value), outOfRange: true })
    return value
  }

  #converted(plan: Kind<'leaf'>, value: unknown): unknown {
    if (typeof value !== 'string') return this.miss(plan, value)
    const how = plan.expected === 'number' ? 'number' : 'flag'
    const made = how === 'number' ? parseDecimal(value) : plan.expected === 'boolean' ? parseFlag(value) : undefined
    if (made === undefined || !plan.takes(made)) return this.miss(plan, value)
    this.#read.add(this.#trail, this.#trail.at(-1), how)
    return made
  }

  #nullable(plan: Kind<'nullable'>, value: unknown): unknown {
    if (value === null) return value
    const taken = this.take(plan.inner, value)
    return taken === NOTHING && this.#cause.plan === plan.inner ? this.miss(plan, value) : taken
  }

  #list({ element }: Kind<'list'>, entries: readonly unknown[]): unknown {
    let changed = false
    const items: unknown[] = []
    const positions: number[] = []
    for (let at = 0; at < entries.length; at += 1) {
      const entry = entries[at]
      const mark = this.#mark()
      this.#trail.push(at)
      const taken = this.take(element, entry)
      if (taken === NOTHING) {
        this.#back(mark)
        this.#note(true)
        this.#left += 1
      } else {
        items.push(taken)
        positions.push(at)
      }
      changed ||= taken !== entry
      this.#trail.pop()
    }
    if (items.length < entries.length && this.#trail.length < 2) this.#kept.set(this.#pointer(), positions)
    return changed ? items : entries
  }

  #object(plan: Kind<'object'>, value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.#self(plan, value)
    let copy: Record<string, unknown> | null = null
    for (const one of plan.members) {
      const { name, plan: own, isOptional: optional, isPromised: promised } = one
      const there = Object.hasOwn(value, name)
      const named = there ? NOTHING : this.#otherwise(plan.variants.names?.[name], one, value)
      if (named !== NOTHING) {
        copy ??= { ...value }
        copy[name] = named
        continue
      }
      if (!there && optional && !promised) continue
      const sent: unknown = there ? Reflect.get(value, name) : undefined
      const mark = this.#mark()
      this.#trail.push(name)
      const taken = there ? this.take(own, sent) : this.miss(own, undefined)
      if (taken === NOTHING && optional) {
        this.#back(mark)
        this.#note(false)
      }
      this.#trail.pop()
      if (taken === NOTHING && !optional) return NOTHING
      if (taken === sent || !there) continue
      copy ??= { ...value }
      if (taken === NOTHING) Reflect.deleteProperty(copy, name)
      else copy[name] = taken
    }
    return copy ?? value
  }

  /** Reads an id that was sent instead of the object it names. */
  #self(plan: Kind<'object'>, value: unknown): unknown {
    const { self } = plan.variants
    const own = plan.members.find(({ name }) => name === self)
    const alone = plan.members.every(({ name, isOptional: optional }) => optional || name === self)
    const isPlain = (typeof value === 'string' && value !== '') || typeof value === 'number'
    if (!own || !alone || !isPlain) return this.miss(plan, value)
    const taken = this.take(own.plan, value)
    if (taken === NOTHING) return this.miss(plan, value)
    this.#read.add(this.#trail, own.name, 'self')
    return { [own.name]: taken }
  }

  /** Reads a member from the first of its other names that holds something usable. */
  #otherwise(names: readonly string[] = [], { name, plan }: MemberPlan, value: object): unknown {
    for (const other of names) {
      const steps = other.split('.')
      const sent = steps.reduce<unknown>((at, step) => getMember(at, step), value)
      if (sent === undefined || sent === null) continue
      const mark = this.#mark()
      this.#trail.push(...steps)
      const taken = this.take(plan, sent)
      if (taken === NOTHING) this.#back(mark)
      else this.#read.add(this.#trail, name, 'name')
      this.#trail.length -= steps.length
      if (taken !== NOTHING) return taken
    }
    return NOTHING
  }

  #union(plan: Kind<'union'>, value: unknown): unknown {
    const whole = plan.options.find(({ schema }) => fits(schema, value))
    if (whole) return this.take(whole, value)
    const start = this.#mark()
    let best: { readonly option: SchemaPlan; readonly total: number } | null = null
    for (const option of plan.options) {
      const taken = this.take(option, value)
      const total = this.#total - start.total
      if (taken !== NOTHING && (best === null || total < best.total)) best = { option, total }
      this.#back(start)
    }
    return best === null ? this.miss(plan, value) : this.take(best.option, value)
  }

  /** `whole`: the list entry that the trail is in is left out, not only what does not match. */
  #note(whole: boolean): void {
    this.#total += 1
    // Words and pointers are built only for what is kept.
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(this.#problem(whole ? this.#pointer() : null))
  }

  #problem(entry: string | null): DataProblem {
    const { trail, plan, value } = this.#cause
    return { path: toPointer(trail), entry, expected: plan?.expected ?? '', found: getJsonType(value) }
  }

  #mark(): Mark {
    return { problems: this.#problems.length, read: this.#read.length, total: this.#total, left: this.#left }
  }

  #back({ problems, read, total, left }: Mark): void {
    this.#read.length = read
    if (this.#total === total) return
    this.#problems.length = problems
    this.#total = total
    this.#left = left
    const here = this.#pointer()
    for (const list of this.#kept.keys()) if (list === here || list.startsWith(`${here}/`)) this.#kept.delete(list)
  }

  #pointer(): string {
    return toPointer(this.#trail)
  }
}
