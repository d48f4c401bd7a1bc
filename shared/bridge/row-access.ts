import { isObject } from '../json/object.ts'
import type { EndpointAccess, Endpoint } from './endpoints/endpoint.ts'
import { decodePercent } from './endpoints/path-template.ts'

/**
 * Some reads take over the screen if a body member requests it. Names are compared without case,
 * because some hosts read them so. A body that is not an object counts as such a request, because
 * it cannot be checked.
 * @param body undefined means a request without a body
 */
export function getRowAccess(row: Pick<Endpoint, 'access' | 'navigationMember'>, body: unknown): EndpointAccess {
  const { access, navigationMember } = row
  if (navigationMember === null || body === undefined) return access
  if (!isObject(body)) return 'navigate'
  const asksForNavigation = Object.entries(body).some(
    ([name, value]) =>
      foldName(name) === foldName(navigationMember) && value !== undefined && value !== null && value !== false,
  )
  return asksForNavigation ? 'navigate' : access
}

const foldName = (name: string): string => name.normalize('NFKC').toLowerCase()

/** Some servers read these: `X-HTTP-Method-Override`, `X-HTTP-Method`, `_method`. */
const overrideNamePattern =
  /^(?:_+(?:http[-_]?)?method|x[-_]?(?:http[-_]?)?method|(?:x[-_]?)?(?:http[-_]?)?method[-_]?override|http[-_]method)$/
/** A member `method` has many uses; with these values it may be the request's method. */
const overrideVerbPattern = /^(?:POST|PUT|PATCH|DELETE)$/i

function isMethodOverride(name: string, value: unknown): boolean {
  const plainName = foldName(name).trim()
  return (
    overrideNamePattern.test(plainName) ||
    (plainName === 'method' && typeof value === 'string' && overrideVerbPattern.test(value.trim()))
  )
}

/** True if a server may read the method in a header, `path`'s query or a body member. */
export function hasMethodOverride(request: {
  readonly path: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly bodyText?: string | null
}): boolean {
  const { path, headers = [], bodyText = null } = request
  if (headers.some(([name, value]) => isMethodOverride(name, value))) return true
  const queryStart = path.indexOf('?')
  const pairs = queryStart < 0 ? [] : path.slice(queryStart + 1).split(/[&;?]/)
  return pairs.some((pair) => isMethodOverride(...splitPair(pair))) || (bodyText !== null && isOverrideInBody(bodyText))
}

function isOverrideInBody(text: string): boolean {
  const value = parseBodyValue(text)
  if (value === null) return /_method|method[-_]?override|x-http-method/i.test(decodeFully(text))
  const objects: readonly unknown[] = Array.isArray(value) ? value : [value]
  return objects.some(
    (candidate) => isObject(candidate) && Object.entries(candidate).some((entry) => isMethodOverride(...entry)),
  )
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const text = decodeFully(pair)
  const equalsIndex = text.indexOf('=')
  return equalsIndex < 0 ? [text, ''] : [text.slice(0, equalsIndex), text.slice(equalsIndex + 1)]
}

/** Decodes a text four times, because a host may decode several times. */
function decodeFully(text: string): string {
  let plain = text
  for (let round = 0; round < 4; round += 1) plain = decodePercent(plain)
  return plain
}

/** Returns undefined if there is no body, null if it is not JSON. */
export function parseBodyValue(text: string | null): unknown {
  if (text === null || text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
