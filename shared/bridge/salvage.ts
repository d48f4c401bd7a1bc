import type { z } from 'zod'
import { planOf, typeName, type Plan } from './schema-plan.ts'

/** Something in an answer that does not fit its schema, and what was therefore left out. */
export interface Problem {
  /** JSON pointer (RFC 6901) of the value that does not fit. */
  readonly path: string
  /** Pointer of the list entry that was left out because of it; null where the member alone was, or where it is missing. */
  readonly entry: string | null
  /** JSON types, or values, that the schema allows there. */
  readonly expected: string
  /** JSON type that is there; `undefined` where nothing is. */
  readonly found: string
}

/** Problems that are kept of one answer; the rest is only counted. */
export const MAX_PROBLEMS = 100

export interface Salvaged<T> {
  /** Conforms to the schema; undefined where nothing usable is left, and then the one problem says why. */
  readonly value: T | undefined
  readonly problems: readonly Problem[]
  /** All problems, also those that were not kept. */
  readonly total: number
  /** List entries that were left out, of all lists together. */
  readonly left: number
  /** Of the answer's own lists (itself, or its members) that lost entries, by pointer: where the remaining ones stood. */
  readonly kept: ReadonlyMap<string, readonly number[]>
}

/**
 * The part of a foreign JSON value that matches `schema`. Lists are checked entry by entry; one that does not match is left out. An
 * optional member that does not match is left out; a required one makes its object unusable. Of a union, the first option that matches
 * counts, else the one that keeps the most. Members that the schema does not name stay as they are, and a value that matches as a whole
 * is returned unchanged.
 */
export function salvage<S extends z.ZodType>(schema: S, value: unknown): Salvaged<z.input<S>> {
  const plan = planOf(schema)
  const walk = new Walk()
  if (fits(schema, value)) {
    if (plan.promises) walk.take(plan, value)
    return { value, ...walk.found() }
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
  readonly plan: Plan | null
  readonly value: unknown
}
interface Mark {
  readonly problems: number
  readonly total: number
  readonly left: number
}
type Kind<K extends Plan['kind']> = Extract<Plan, { readonly kind: K }>

/** One walk through a value. `trail` is the current place. Problems inside a part that is then left out as a whole are dropped again. */
class Walk {
  readonly #trail: (string | number)[] = []
  readonly #problems: Problem[] = []
  readonly #kept = new Map<string, readonly number[]>()
  #total = 0
  #left = 0
  /** Why the last value was unusable. */
  #cause: Cause = { trail: [], plan: null, value: undefined }

  take(plan: Plan, value: unknown): unknown {
    switch (plan.kind) {
      case 'leaf':
        return plan.takes(value) ? value : this.miss(plan, value)
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
  miss(plan: Plan, value: unknown): typeof NOTHING {
    this.#cause = { trail: [...this.#trail], plan, value }
    return NOTHING
  }

  found(): Omit<Salvaged<never>, 'value'> {
    return { problems: this.#problems, total: this.#total, left: this.#left, kept: this.#kept }
  }

  unusable(): Omit<Salvaged<never>, 'value'> {
    return { problems: [this.#problem(null)], total: 1, left: 0, kept: new Map() }
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
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.miss(plan, value)
    let copy: Record<string, unknown> | null = null
    for (const { name, plan: own, optional, promised } of plan.members) {
      const there = Object.hasOwn(value, name)
      if (!there && optional && !promised) continue
      const member: unknown = there ? Reflect.get(value, name) : undefined
      const mark = this.#mark()
      this.#trail.push(name)
      const taken = there ? this.take(own, member) : this.miss(own, undefined)
      if (taken === NOTHING && optional) {
        this.#back(mark)
        this.#note(false)
      }
      this.#trail.pop()
      if (taken === NOTHING && !optional) return NOTHING
      if (taken === member || !there) continue
      copy ??= { ...value }
      if (taken === NOTHING) Reflect.deleteProperty(copy, name)
      else copy[name] = taken
    }
    return copy ?? value
  }

  #union(plan: Kind<'union'>, value: unknown): unknown {
    const whole = plan.options.find(({ schema }) => fits(schema, value))
    if (whole) return this.take(whole, value)
    const start = this.#mark()
    let best: { readonly option: Plan; readonly total: number } | null = null
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

  #problem(entry: string | null): Problem {
    const { trail, plan, value } = this.#cause
    return { path: pointerOf(trail), entry, expected: plan?.expected ?? '', found: typeName(value) }
  }

  #mark(): Mark {
    return { problems: this.#problems.length, total: this.#total, left: this.#left }
  }

  #back({ problems, total, left }: Mark): void {
    if (this.#total === total) return
    this.#problems.length = problems
    this.#total = total
    this.#left = left
    const here = this.#pointer()
    for (const list of this.#kept.keys()) if (list === here || list.startsWith(`${here}/`)) this.#kept.delete(list)
  }

  #pointer(): string {
    return pointerOf(this.#trail)
  }
}

/** JSON pointer (RFC 6901) of a way through objects and lists. */
export const pointerOf = (trail: readonly PropertyKey[]): string =>
  trail.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
