import { canonicalText } from './canonical.ts'
import { isObject, member } from '../json/object.ts'
import type { ExchangeRow, Origin } from '../traffic/exchange.ts'

/** An exchange that has ended, with what rules look at. Whatever came from outside is `unknown`, or text of any content. */
export interface Step {
  readonly seq: number
  /** When it began and ended, in milliseconds. */
  readonly at: number
  readonly end: number
  readonly origin: Origin
  readonly host: string
  /** The host's run; null where unknown. */
  readonly instance: string | null
  /** Id of the endpoint's row; null if no row fits. */
  readonly endpoint: string | null
  readonly method: string
  /** With the query as sent. */
  readonly path: string
  /** Decoded values of the placeholders. */
  readonly params: Readonly<Record<string, string>>
  /** Of a repeated name the first value. */
  readonly query: ReadonlyMap<string, string>
  /** Value of the request's body; undefined if there is none or it is not known. */
  readonly body: unknown
  /** False if there was a body that is not known: it was cut, is too long, or is no JSON. */
  readonly isBodyKnown: boolean
  readonly state: ExchangeRow['state']
  readonly status: number | null
  readonly code: string | null
  /** Value of the answer; of a long one only the members that rules look at. Undefined if it is not known. */
  readonly answer: unknown
  readonly attempt: number
  /** How a panel's page called; null for everybody else. */
  readonly via: 'host.api' | 'fetch' | 'element' | null
  /** Which members the page itself sent that the host fills in; null for everybody else. */
  readonly sent: { readonly confirm: boolean; readonly addon: boolean } | null
}

/** It was answered, and with success. */
export const isOk = ({ state, status, code }: Step): boolean =>
  state === 'answered' && status !== null && status >= 200 && status < 300 && code === null

/** The host (or whoever answered for it) refused it. */
export const isRefused = ({ state, status, code }: Step): boolean =>
  state === 'answered' && ((status !== null && status >= 400) || (code !== null && code !== ''))

/** A member that is a text with something in it, or a number; null otherwise. */
export function textAt(value: unknown, name: string): string | null {
  const found = member(value, name)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found : null
}

/** The texts of a member that is a list; empty otherwise. */
export function textsAt(value: unknown, name: string): string[] {
  const found = member(value, name)
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string' && one !== '') : []
}

/** A request in a form in which equal ones are equal; one that is not known whole equals only itself. `confirm` and `addon` are the host's to fill in (spec §4). */
export function sameness({ seq, method, path, body, isBodyKnown }: Step): string {
  if (!isBodyKnown) return `unknown ${seq}`
  const own = isObject(body) ? { ...body, confirm: undefined, addon: undefined } : body
  return `${method} ${path} ${canonicalText(own)}`
}
