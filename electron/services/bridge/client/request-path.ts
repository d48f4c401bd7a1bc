import { applyHostLimits } from '../../../../shared/bridge/host-limits.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { Endpoint, EndpointParameter } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { canEscapeFolder } from '../../../../shared/bridge/endpoints/path-template.ts'
import type { BridgeTarget } from '../types.ts'

/** Maximum length of the name of a query parameter. */
const MAX_NAME_CHARS = 100

/** Path and query of a request to a host, by the template and the limits of its capabilities. Throws what `buildPath` throws. */
export const buildHostPath = (
  { pathOverrides, limits }: Pick<BridgeTarget, 'pathOverrides' | 'limits'>,
  endpoint: Endpoint,
  params?: Readonly<Record<string, string>>,
  query?: Readonly<Record<string, string | number>>,
): string => buildPath(applyHostLimits(endpoint, limits), params, query, pathOverrides[endpoint.id])

/**
 * Path and query of a request to a row of the table, relative to the base URL.
 *
 * `template` replaces the row's own path if the capabilities list another one; its placeholders are in the same order. Every parameter is
 * checked against the row (required, range, allowed values) and percent-encoded, so that no value can leave its segment. Throws
 * `AppError` of kind `refused` with `PARAM_MISSING`, `PARAM_UNKNOWN`, `PARAM_RANGE`, `PARAM_VALUE`, `PARAM_PATH` or `PARAM_SEGMENT`, and
 * the parameter's name in `params.name`.
 */
export function buildPath(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number>> = {},
  template: string = endpoint.path,
): string {
  refuseUnknown(endpoint, 'path', params)
  if (!endpoint.acceptsAnyQuery) refuseUnknown(endpoint, 'query', query)
  const inPath = endpoint.parameters.filter((parameter) => parameter.in === 'path')
  let next = 0
  const path = template.replace(/\{[^{}]+\}/g, (placeholder) => {
    const parameter = inPath[next++]
    if (parameter === undefined) {
      throw createRefusedError(
        'PARAM_MISSING',
        `The host’s template for ${endpoint.id} has more placeholders than the table.`,
        {
          name: endpoint.id,
        },
      )
    }
    return encodeSegment(parameter, checked(parameter, filled(placeholder, parameter, own(params, parameter.name))))
  })
  const pairs: string[] = []
  for (const parameter of endpoint.parameters) {
    if (parameter.in !== 'query') continue
    const value = own(query, parameter.name)
    if (value === undefined && !parameter.required) continue
    pairs.push(`${encodeURIComponent(parameter.name)}=${encode(parameter, checked(parameter, value))}`)
  }
  // Only of a route that takes any.
  for (const [name, value] of Object.entries(query)) {
    if (endpoint.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)) continue
    if (name === '' || name.length > MAX_NAME_CHARS)
      throw createRefusedError('PARAM_UNKNOWN', `"${clip(name)}" is not a name.`, { name: clip(name) })
    pairs.push(`${encode({ name }, name)}=${encode({ name }, String(value))}`)
  }
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** A placeholder that stands for itself was never filled in. */
function filled(placeholder: string, { name }: EndpointParameter, value: string | number | undefined) {
  return value === placeholder || value === `{${name}}` ? undefined : value
}

function own(values: Readonly<Record<string, string | number>>, name: string): string | number | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function refuseUnknown(
  endpoint: Endpoint,
  place: EndpointParameter['in'],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(values)) {
    if (!endpoint.parameters.some((parameter) => parameter.in === place && parameter.name === name)) {
      throw createRefusedError('PARAM_UNKNOWN', `${endpoint.id} has no ${place} parameter "${clip(name)}".`, {
        name: clip(name),
      })
    }
  }
}

function checked(parameter: EndpointParameter, value: string | number | undefined): string {
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
  return encode(parameter, value)
}

function encode(parameter: Pick<EndpointParameter, 'name'>, value: string): string {
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
