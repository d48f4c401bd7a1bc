import type { Mark, MarkTest } from './endpoint.ts'
import { endpointById } from './endpoints/index.ts'
import { plain } from './endpoints/outcomes.ts'
import { member } from './operation-facts.ts'
import { isObject } from '../json/object.ts'

/** What the response to a write says about it, with the members that say so. */
export interface Judgement {
  /** `not reported`: no documented member says. That is neither a failure nor a success. */
  readonly done: 'yes' | 'partly' | 'no' | 'not reported'
  /** JSON pointers and the values found there, the deciding ones first. */
  readonly quoted: readonly (readonly [pointer: string, value: unknown])[]
}

/** Maximum number of members that are quoted; all of them are judged. */
const MOST_QUOTED = 20

/**
 * How a write ended, by the marks of its row (spec §1: `error` is failure, `persisted` is read for every write; other members by
 * observed-0.49). A mark for no outweighs one for partly, which outweighs one for yes. `asked` names the parameters and members that were
 * sent; null if unknown. Pure, and never throws, whatever the host sent.
 */
export function judgeOutcome(endpointId: string, value: unknown, asked: ReadonlySet<string> | null = null): Judgement {
  const error = member(value, 'error')
  if (error !== undefined && error !== null) {
    const code = member(error, 'code')
    return { done: 'no', quoted: [code === undefined ? ['/error', error] : ['/error/code', code]] }
  }
  const row = endpointById(endpointId)
  // A row that is not in the table, or no longer, is judged by what any write may say.
  const outcome = row ? row.outcome : plain
  if (!outcome) return { done: 'not reported', quoted: [] }
  const holding = (marks: readonly Mark[]): [string, unknown][] =>
    marks
      .filter((mark) => mark.asked === undefined || asked === null || asked.has(mark.asked))
      .flatMap(({ at, is }) => found(value, at).filter(([, there]) => holds(is, there, value)))
  const no = holding(outcome.no)
  const partly = holding(outcome.partly)
  const yes = holding(outcome.yes)
  const beside = outcome.quotes.flatMap((at) => found(value, at))
  const done = no.length > 0 ? 'no' : partly.length > 0 ? 'partly' : yes.length > 0 ? 'yes' : 'not reported'
  const quoted = [...new Map([...no, ...partly, ...yes, ...beside])]
  return { done, quoted: quoted.slice(0, MOST_QUOTED) }
}

/** The values at a pointer, or at each of the places that it names; empty if there are none. */
function found(value: unknown, at: string): [string, unknown][] {
  let places: [string, unknown][] = [['', value]]
  for (const step of at.split('/').slice(1)) {
    places = places.flatMap(([path, there]): [string, unknown][] => {
      if (step === '*') {
        return Array.isArray(there) ? there.map((one: unknown, n) => [`${path}/${n}`, one]) : []
      }
      const inner = member(there, step)
      return inner === undefined ? [] : [[`${path}/${step}`, inner]]
    })
  }
  return places
}

function holds(is: MarkTest, there: unknown, whole: unknown): boolean {
  if (typeof is === 'object') {
    if ('word' in is) return there === is.word
    if ('other' in is) return typeof there === 'string' && !is.other.includes(there)
    const other = found(whole, is.unlike)[0]?.[1]
    return typeof there === 'number' && typeof other === 'number' && there !== other
  }
  switch (is) {
    case 'true':
      return there === true
    case 'false':
      return there === false
    case 'present':
      return there !== null
    case 'some':
      return isSome(there)
    case 'none':
      return there !== null && !isSome(there)
  }
}

function isSome(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value > 0
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0
  return isObject(value) && Object.keys(value).length > 0
}
