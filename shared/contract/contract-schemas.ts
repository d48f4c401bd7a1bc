import { z } from 'zod'
import { listErrorCodes } from '../bridge/endpoint-errors.ts'
import { endpoints } from '../bridge/endpoints/index.ts'
import type { Endpoint, EndpointParameter, ResponseShape } from '../bridge/endpoints/endpoint.ts'
import { getSchemaPlan, type SchemaPlan } from '../bridge/resources/schema-plan.ts'
import { getMember } from '../json/object.ts'
import type { ParameterModel, RouteSchema, SchemaBundle } from './route-schema.ts'
import { openSchema, type NumberModel, type SchemaModel, type StringModel, type TypeModel } from './schema-model.ts'

const contractFacts = { source: 'contract', responses: null } as const

const createNumber = (facts: Partial<NumberModel>): SchemaModel => ({
  types: [{ kind: 'number', ...contractFacts, isInteger: false, min: null, max: null, observed: null, ...facts }],
})
const createString = (facts: Partial<StringModel>): SchemaModel => ({
  types: [
    {
      kind: 'string',
      ...contractFacts,
      formats: [],
      values: null,
      examples: [],
      pattern: null,
      observed: null,
      ...facts,
    },
  ],
})

/** Describes every route of the contract. */
export const createContractBundle = (): SchemaBundle => ({
  title: 'The contract',
  isPartial: false,
  routes: endpoints.map(toRouteSchema),
})

export function toRouteSchema(endpoint: Endpoint): RouteSchema {
  const { response, body } = endpoint
  return {
    method: endpoint.method,
    template: endpoint.path,
    endpoint: endpoint.id,
    source: 'contract',
    summary: endpoint.summary,
    parameters: endpoint.parameters.map(toParameterModel),
    acceptsAnyQuery: endpoint.acceptsAnyQuery,
    body: body && toSchemaModel(getSchemaPlan(body)),
    isUpload: endpoint.isUpload,
    needsToken: endpoint.auth === 'token',
    mediaType: getMediaType(response),
    response: toResponseModel(response),
    error: null,
    errorCodes: [...listErrorCodes(endpoint)],
    responses: null,
  }
}

function getMediaType(response: ResponseShape): string {
  if (response.kind === 'json') return 'application/json'
  return response.kind === 'text' ? (response.contentType.split(';', 1)[0] ?? 'text/plain') : 'application/octet-stream'
}

/** A list whose name the contract does not show is left out, and a bare list is the response. */
function toResponseModel(response: ResponseShape): SchemaModel | null {
  if (response.kind !== 'json') return null
  const { list } = response
  const model = toSchemaModel(getSchemaPlan(response.schema))
  if (!list?.isBare && !list?.isUnnamed) return model
  const types = model.types.flatMap((type): readonly TypeModel[] => {
    if (type.kind !== 'object') return [type]
    if (!list.isUnnamed) return type.members.find(({ name }) => name === list.member)?.schema.types ?? [type]
    return [{ ...type, members: type.members.filter(({ name }) => name !== list.member) }]
  })
  return { types }
}

function toParameterModel(parameter: EndpointParameter): ParameterModel {
  const { name, type, required, description, min = null, max = null, values } = parameter
  return {
    ...{ name, in: parameter.in, isRequired: required, description },
    schema:
      type === 'integer'
        ? createNumber({ isInteger: true, min, max })
        : createString({ values: values ? [...values] : null }),
  }
}

export function toSchemaModel(plan: SchemaPlan): SchemaModel {
  switch (plan.kind) {
    case 'optional':
      return toSchemaModel(plan.inner)
    case 'nullable': {
      const { types } = toSchemaModel(plan.inner)
      // Nothing is known about the value, so that it may be null is known already.
      return types.length === 0 ? openSchema : { types: [...types, { kind: 'null', ...contractFacts }] }
    }
    case 'list': {
      const element = toSchemaModel(plan.element)
      return { types: [{ kind: 'list', ...contractFacts, element, isSampled: false, observed: null }] }
    }
    case 'union': {
      const options = plan.options.map(toSchemaModel)
      return options.some(({ types }) => types.length === 0)
        ? openSchema
        : { types: options.flatMap(({ types }) => types) }
    }
    case 'object':
      return {
        types: [
          {
            ...{ kind: 'object', ...contractFacts, entries: null, tag: null, isSampled: false },
            members: plan.members.map(({ name, plan: member, presence }) => ({
              ...{
                name,
                source: 'contract' as const,
                isRequired: presence !== 'open',
              },
              schema: toSchemaModel(member),
            })),
          },
        ],
      }
    case 'leaf':
      return toLeafModel(plan)
  }
}

const jsonTypeModels: Readonly<Record<string, (json: unknown) => SchemaModel>> = {
  string: (json) => createString({ pattern: toText(getMember(json, 'pattern')) }),
  number: (json) => createNumber(getLimits(json)),
  integer: (json) => createNumber({ isInteger: true, ...getLimits(json) }),
  boolean: () => ({ types: [{ kind: 'boolean', ...contractFacts, value: null }] }),
  null: () => ({ types: [{ kind: 'null', ...contractFacts }] }),
}

function toLeafModel({ schema, range, knownValues }: Extract<SchemaPlan, { kind: 'leaf' }>): SchemaModel {
  if (knownValues) return toValueModel(knownValues.values)
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const values = json.enum ?? (json.const === undefined ? undefined : [json.const])
  if (values) return toValueModel(values)
  if (range) return createNumber(range)
  return jsonTypeModels[String(json.type)]?.(json) ?? openSchema
}

function toValueModel(values: readonly unknown[]): SchemaModel {
  const texts = values.filter((value) => typeof value === 'string')
  const others = values.flatMap((value): readonly TypeModel[] => {
    if (value === null) return [{ kind: 'null', ...contractFacts }]
    if (typeof value === 'boolean') return [{ kind: 'boolean', ...contractFacts, value }]
    return typeof value === 'number' ? createNumber({ min: value, max: value }).types : []
  })
  return { types: [...(texts.length > 0 ? createString({ values: texts }).types : []), ...others] }
}

/** Limits of exact numbers are no limits of the contract. */
const toLimit = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null
const getLimits = (json: unknown): Pick<NumberModel, 'min' | 'max'> => ({
  min: toLimit(getMember(json, 'minimum')),
  max: toLimit(getMember(json, 'maximum')),
})
const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
