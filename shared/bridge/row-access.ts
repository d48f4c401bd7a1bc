import { isObject } from '../json/object.ts'
import type { EndpointAccess, Endpoint } from './endpoints/endpoint.ts'
import { decodePercent } from './endpoints/path-template.ts'

/**
 * What a request to a row does with this body: some reads take over the screen if a member of the body asks for it. Names are compared
 * without case, because some hosts read them so. A body that is not an object counts as one that asks, because nobody here can tell.
 * `undefined` stands for a request without a body.
 */
export function getRowAccess(row: Pick<Endpoint, 'access' | 'navigationMember'>, body: unknown): EndpointAccess {
  const { access, navigationMember: navigatesWith } = row
  if (navigatesWith === null || body === undefined) return access
  if (!isObject(body)) return 'navigate'
  const asks = Object.entries(body).some(
    ([name, value]) =>
      folded(name) === folded(navigatesWith) && value !== undefined && value !== null && value !== false,
  )
  return asks ? 'navigate' : access
}

/** Names without case and in one spelling of each letter. */
const folded = (name: string): string => name.normalize('NFKC').toLowerCase()

/** Names that some servers take for the method of a request: `X-HTTP-Method-Override`, `X-HTTP-Method`, `_method`. */
const overrideName =
  /^(?:_+(?:http[-_]?)?method|x[-_]?(?:http[-_]?)?method|(?:x[-_]?)?(?:http[-_]?)?method[-_]?override|http[-_]method)$/
/** A plain `method` names many things; with such a value it may be the method of the request. */
const overrideVerb = /^(?:POST|PUT|PATCH|DELETE)$/i

function isMethodOverride(name: string, value: unknown): boolean {
  const plain = folded(name).trim()
  return (
    overrideName.test(plain) || (plain === 'method' && typeof value === 'string' && overrideVerb.test(value.trim()))
  )
}

/**
 * Whether a server may take something in a request for its method: a header, a parameter of the query, or a member of the body, in JSON or
 * as a form. `path` has its query with it.
 */
export function hasMethodOverride(request: {
  readonly path: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly bodyText?: string | null
}): boolean {
  const { path, headers = [], bodyText = null } = request
  if (headers.some(([name, value]) => isMethodOverride(name, value))) return true
  const at = path.indexOf('?')
  const pairs = at < 0 ? [] : path.slice(at + 1).split(/[&;?]/)
  return pairs.some((pair) => isMethodOverride(...pairOf(pair))) || (bodyText !== null && isOverrideInBody(bodyText))
}

function isOverrideInBody(text: string): boolean {
  const value = parseBodyValue(text)
  if (value === null) return /_method|method[-_]?override|x-http-method/i.test(decodedFully(text))
  const objects: readonly unknown[] = Array.isArray(value) ? value : [value]
  return objects.some((one) => isObject(one) && Object.entries(one).some((entry) => isMethodOverride(...entry)))
}

function pairOf(pair: string): readonly [name: string, value: string] {
  const text = decodedFully(pair)
  const is = text.indexOf('=')
  return is < 0 ? [text, ''] : [text.slice(0, is), text.slice(is + 1)]
}

/** Decoded as often as a host may decode it. */
function decodedFully(text: string): string {
  let plain = text
  for (let round = 0; round < 4; round += 1) plain = decodePercent(plain)
  return plain
}

/** The value of a body for `accessOf`: undefined where there is none, null for one that is not JSON. */
export function parseBodyValue(text: string | null): unknown {
  if (text === null || text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
