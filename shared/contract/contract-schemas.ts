import { z } from 'zod'
import { listErrorCodes } from '../bridge/endpoint-errors.ts'
import { isBinding } from '../bridge/basis.ts'
import {
  getParameterBasis,
  type Endpoint,
  type EndpointParameter,
  type JsonShape,
  type ResponseShape,
  getRouteBasis,
  type OutcomeMark,
  type OutcomeMarks,
} from '../bridge/endpoints/endpoint.ts'
import { endpoints } from '../bridge/endpoints/index.ts'
import { getSchemaPlan } from '../bridge/resources/schema-plan.ts'
import { omitKeywords, type JsonSchema, type TypeSchema } from './json-schema.ts'
import type { RouteParameter, RouteSchema, SchemaBundle } from './route-schema.ts'

const accessTexts: Readonly<Record<Endpoint['access'], string>> = {
  read: 'reads',
  write: 'writes',
  navigate: 'takes over the screen, changes no data',
  task: 'creates or discards something of the host’s own, changes no data',
}
const confirmTexts: Readonly<Record<Endpoint['confirm'], string>> = {
  body: '`confirm` in the body',
  query: '`confirm` in the query',
  none: 'runs at once',
  unknown: 'whether it needs `confirm` is not documented',
}
const undoTexts = { documented: 'one undo group per call', inferred: 'one undo group per call (inferred)' }
const dryRunTexts = {
  true: 'without `confirm` a dry run with all checks',
  described: 'without `confirm` the details are documented, but not the checks behind them',
  false: null,
}

/** Lists in Markdown what the contract says about a route beside its shapes; the source first. */
function listRouteFacts(endpoint: Endpoint): readonly string[] {
  const { access, confirm, requiresMax, undo, navigationMember, dryRun, alternatives, limits, outcome } = endpoint
  const max =
    requiresMax === null ? 'whether it needs Max is not documented' : requiresMax ? 'needs Max' : 'does not need Max'
  const changes = access === 'read' ? [] : [confirmTexts[confirm], max, ...(undo ? [undoTexts[undo]] : [])]
  const facts = [
    `Source: ${endpoint.spec}${getRouteBasis(endpoint) === 'spec' ? '' : '; the whole route is only observed'}`,
    [accessTexts[access], ...changes].join(', '),
    navigationMember && `takes over the screen with \`${navigationMember}: true\``,
    dryRunTexts[`${dryRun}`],
    endpoint.needsApproval && 'from another device a person has to approve it, which the host waits for up to a minute',
    endpoint.auth === 'none' && 'needs no token',
    endpoint.returnsSecret && 'its response contains a secret and is not kept',
    endpoint.hasAddon && 'the host rewrites `addon` to the panel’s owner',
    ...alternatives.map((group) => `exactly one of ${group.map(toCode).join(', ')}`),
    ...limits.map(({ member, max: count }) => `at most ${count} in \`${member}\` on 0.49`),
    ...listMarks(outcome),
  ]
  return facts.filter((fact) => typeof fact === 'string')
}

const toCode = (text: string): string => `\`${text}\``

function listMarks(outcome: OutcomeMarks | null): readonly string[] {
  if (outcome === null) return []
  const headings = { success: 'done', partial: 'done in part', failure: 'not done' } as const
  return (['success', 'partial', 'failure'] as const)
    .filter((key) => outcome[key].length > 0)
    .map((key) => `${headings[key]}: ${outcome[key].map(formatMark).join(' · ')}`)
}

function formatMark({ pointer, test, onlyIfSent }: OutcomeMark): string {
  const text =
    typeof test === 'string'
      ? test
      : Object.entries(test).map(([name, expected]: [string, unknown]) => `${name} ${[expected].flat().join(', ')}`)[0]
  return `${toCode(pointer)} ${text}${onlyIfSent === undefined ? '' : ` (where ${toCode(onlyIfSent)} was sent)`}`
}

/** Version of the interface description that the contract follows (spec §9). */
export const CONTRACT_VERSION = '0.91'

let contractBundle: SchemaBundle | null = null
export function createContractBundle(): SchemaBundle {
  return (contractBundle ??= { title: 'The contract', isPartial: false, routes: endpoints.map(toRouteSchema) })
}

export function toRouteSchema(endpoint: Endpoint): RouteSchema {
  const { response, body } = endpoint
  return {
    method: endpoint.method,
    template: endpoint.path,
    endpoint: endpoint.id,
    tag: endpoint.tag,
    isRecorded: false,
    summary: endpoint.summary,
    facts: [...listRouteFacts(endpoint)],
    parameters: endpoint.parameters.map((parameter) => toRouteParameter(endpoint, parameter)),
    acceptsAnyQuery: endpoint.acceptsAnyQuery,
    body: body && toJsonSchema(body),
    isUpload: endpoint.isUpload,
    needsToken: endpoint.auth === 'token',
    mediaTypes: [...listMediaTypes(response)],
    // Hosts were seen to send 200 where the spec shows no status or 202.
    statuses: [...new Set([200, ...endpoint.statuses.success])],
    refusalStatuses: [...endpoint.statuses.refusal],
    ...(response.kind === 'json' ? toResponseSchemas(response) : { response: null, unnamedList: null }),
    error: null,
    errorCodes: [...listErrorCodes(endpoint)],
    responses: null,
    hosts: [],
    versions: [],
  }
}

/** A JSON list may stand in place of a file, as that of a bundle's files. */
const mediaTypesByKind = {
  image: ['image/*'],
  audio: ['audio/*'],
  video: ['video/*'],
  pdf: ['application/pdf'],
  any: ['*/*'],
} as const

function listMediaTypes(response: ResponseShape): readonly string[] {
  if (response.kind === 'json') return ['application/json']
  if (response.kind === 'text') return [response.contentType.split(';', 1)[0] ?? 'text/plain']
  return response.media.flatMap((kind) => mediaTypesByKind[kind])
}

/** A list whose name the contract does not show is left out, and a bare list is the response. */
function toResponseSchemas({ schema, shown, list }: JsonShape): Pick<RouteSchema, 'response' | 'unnamedList'> {
  const response = toJsonSchema(shown ?? schema)
  if (!list?.isBare && !list?.isUnnamed) return { response, unnamedList: null }
  const { [list.member]: member = {}, ...properties } = response.properties ?? {}
  if (!list.isUnnamed) return { response: member, unnamedList: null }
  const required = response.required?.filter((name) => name !== list.member) ?? []
  return {
    response: { ...omitKeywords(response, 'required'), properties, ...(required.length > 0 ? { required } : {}) },
    unnamedList: member,
  }
}

function toRouteParameter(endpoint: Endpoint, parameter: EndpointParameter): RouteParameter {
  const basis = getParameterBasis(endpoint, parameter)
  const { name, type, values, min, max, source, default: preset } = parameter
  const isRequired = parameter.required && (parameter.in === 'path' || isBinding(basis))
  const schema: TypeSchema = {
    type: type === 'integer' ? 'integer' : 'string',
    ...(type === 'enum' && values ? { enum: [...values] } : {}),
    ...(min !== undefined && min === max ? { enum: [min] } : toLimits(min, max)),
    ...(preset === undefined ? {} : { default: preset }),
    ...(basis === 'spec' ? {} : { 'x-basis': basis }),
  }
  const description = `${parameter.description}${source === undefined ? '' : ` From ${source}.`}`
  return { name, in: parameter.in, isRequired, description, schema }
}

const toLimits = (min: number | undefined, max: number | undefined): Pick<TypeSchema, 'minimum' | 'maximum'> => ({
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
})

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

/** Describes what the contract shows of a body or a response. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const cached = jsonSchemas.get(schema)
  if (cached) return cached
  const document = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: addContractFacts,
  })
  const json = omitKeywords(document, '$schema') as JsonSchema
  jsonSchemas.set(schema, json)
  return json
}

/** Limits of exact numbers are no limits of the contract. */
const isUnlimited = (limit: unknown): boolean => Math.abs(Number(limit)) >= Number.MAX_SAFE_INTEGER

function addContractFacts({
  zodSchema,
  jsonSchema: json,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  if (isUnlimited(json.minimum)) delete json.minimum
  if (isUnlimited(json.maximum)) delete json.maximum
  delete json.propertyNames
  if (typeof json.additionalProperties === 'object' && Object.keys(json.additionalProperties).length === 0) {
    delete json.additionalProperties
  }
  const plan = getSchemaPlan(zodSchema)
  if (plan.kind === 'object') {
    const required = plan.members.filter(({ presence }) => isBinding(presence)).map(({ name }) => name)
    if (required.length > 0) json.required = required
    else delete json.required
    for (const { name, type, presence } of plan.members) {
      Object.assign(json.properties?.[name] ?? {}, {
        ...(type === 'spec' ? {} : { 'x-basis': type }),
        ...(presence === 'observed' ? { 'x-presence': presence } : {}),
      })
    }
    for (const [name, names] of Object.entries(plan.variants.names ?? {})) {
      Object.assign(json.properties?.[name] ?? {}, { 'x-names': names })
    }
  }
  if (plan.kind !== 'leaf') return
  if (plan.isCount) Object.assign(json, { type: 'integer', minimum: 0 })
  if (plan.format) Object.assign(json, { pattern: plan.format.pattern.source })
  // Observed values and numbers are examples, and no limits (spec §2).
  if (plan.range) json.description = `Observed: ${plan.range.min}..${plan.range.max}.`
  if (plan.knownValues) {
    json.description = `Observed: ${plan.knownValues.values.map((value) => JSON.stringify(value)).join(', ')}.`
    json.examples = [...plan.knownValues.values]
  }
}
