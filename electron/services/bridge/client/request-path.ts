import { applyHostLimits } from '../../../../shared/bridge/host-limits.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { Endpoint, EndpointParameter } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { canEscapeFolder } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { BridgeTarget } from '../types.ts'

/** Maximum length of the name of a query parameter that the endpoint table does not know. */
const MAX_NAME_CHARS = 100

/** Builds a path with the host's own templates and limits. @throws The errors of `buildPath` */
export function buildHostPath(
  { pathOverrides, limits }: Pick<BridgeTarget, 'pathOverrides' | 'limits'>,
  endpoint: Endpoint,
  params?: Readonly<Record<string, string>>,
  query?: Readonly<Record<string, string | number>>,
): string {
  return buildPath(applyHostLimits(endpoint, limits), params, query, pathOverrides[endpoint.id])
}

/**
 * Builds path and query of a request to an endpoint, relative to the base URL. Every parameter is
 * checked against the endpoint and percent-encoded, so that no value can leave its segment.
 * @param template Replaces the endpoint's path if the capabilities list another one; its
 *   placeholders have the same order.
 * @throws PARAM_MISSING, PARAM_UNKNOWN, PARAM_RANGE, PARAM_VALUE, PARAM_PATH or PARAM_SEGMENT with
 *   the parameter's name in `params.name`.
 */
export function buildPath(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number>> = {},
  template: string = endpoint.path,
): string {
  assertKnownParameters(endpoint, 'path', params)
  if (!endpoint.acceptsAnyQuery) assertKnownParameters(endpoint, 'query', query)
  const pathParameters = endpoint.parameters.filter((parameter) => parameter.in === 'path')
  let index = 0
  const path = template.replace(/\{[^{}]+\}/g, (placeholder) => {
    const parameter = pathParameters[index++]
    if (parameter === undefined) {
      throw createRefusedError(
        'PARAM_MISSING',
        `The host’s template for ${endpoint.id} has more placeholders than the table.`,
        {
          name: endpoint.id,
        },
      )
    }
    return encodeSegment(
      parameter,
      checkValue(parameter, dropUnfilledPlaceholder(placeholder, parameter, getOwn(params, parameter.name))),
    )
  })
  const pairs: string[] = []
  for (const parameter of endpoint.parameters) {
    if (parameter.in !== 'query') continue
    const value = getOwn(query, parameter.name)
    if (value === undefined && !parameter.required) continue
    pairs.push(`${encodeURIComponent(parameter.name)}=${encodeValue(parameter, checkValue(parameter, value))}`)
  }
  // Only an endpoint with `acceptsAnyQuery` reaches this loop with names that it does not list.
  for (const [name, value] of Object.entries(query)) {
    if (endpoint.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)) continue
    if (name === '' || name.length > MAX_NAME_CHARS)
      throw createRefusedError('PARAM_UNKNOWN', `"${clip(name)}" is not a name.`, { name: clip(name) })
    pairs.push(`${encodeValue({ name }, name)}=${encodeValue({ name }, String(value))}`)
  }
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Undefined if the value is still the template's placeholder, which a caller left unfilled. */
function dropUnfilledPlaceholder(placeholder: string, { name }: EndpointParameter, value: string | number | undefined) {
  return value === placeholder || value === `{${name}}` ? undefined : value
}

function getOwn(values: Readonly<Record<string, string | number>>, name: string): string | number | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function assertKnownParameters(
  endpoint: Endpoint,
  location: EndpointParameter['in'],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(values)) {
    if (!endpoint.parameters.some((parameter) => parameter.in === location && parameter.name === name)) {
      throw createRefusedError('PARAM_UNKNOWN', `${endpoint.id} has no ${location} parameter "${clip(name)}".`, {
        name: clip(name),
      })
    }
  }
}

function checkValue(parameter: EndpointParameter, value: string | number | undefined): string {
  const { name } = parameter
  if (value === undefined || value === '') {
    throw createRefusedError('PARAM_MISSING', `The parameter "${name}" is required.`, { name })
  }
  if (parameter.relativePath && canEscapeFolder(String(value))) {
    throw createRefusedError('PARAM_PATH', `The parameter "${name}" must be a path inside the bundle.`, { name })
  }
  if (parameter.type === 'enum' && !parameter.values?.includes(String(value))) {
    const allowed = (parameter.values ?? []).join(', ')
    throw createRefusedError('PARAM_VALUE', `The parameter "${name}" must be one of: ${allowed}.`, { name, allowed })
  }
  if (parameter.type === 'integer') {
    const number = typeof value === 'number' ? value : /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    const min = parameter.min ?? Number.MIN_SAFE_INTEGER
    const max = parameter.max ?? Number.MAX_SAFE_INTEGER
    if (!Number.isSafeInteger(number) || number < min || number > max) {
      const range = `${parameter.min ?? ''}..${parameter.max ?? ''}`
      throw createRefusedError('PARAM_RANGE', `The parameter "${name}" must be a whole number in the range ${range}.`, {
        name,
        range,
      })
    }
    return String(number)
  }
  return String(value)
}

function encodeSegment(parameter: EndpointParameter, value: string): string {
  if (value === '.' || value === '..') {
    throw createRefusedError('PARAM_SEGMENT', `The parameter "${parameter.name}" must not be "${value}".`, {
      name: parameter.name,
    })
  }
  return encodeValue(parameter, value)
}

function encodeValue(parameter: Pick<EndpointParameter, 'name'>, value: string): string {
  try {
    return encodeURIComponent(value)
  } catch (cause) {
    throw new AppError(
      {
        kind: 'refused',
        code: 'PARAM_VALUE',
        message: `The parameter "${parameter.name}" contains half a character (a lone surrogate).`,
        retryable: false,
        params: { name: parameter.name, allowed: 'Unicode' },
      },
      { cause },
    )
  }
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
