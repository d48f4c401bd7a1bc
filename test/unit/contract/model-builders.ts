import type {
  ListModel,
  NumberModel,
  ObjectModel,
  SchemaModel,
  StringModel,
} from '../../../shared/contract/schema-model.ts'
import type { RouteSchema, SchemaBundle } from '../../../shared/contract/route-schema.ts'

const facts = { source: 'contract', responses: null } as const

export const any: SchemaModel = { types: [] }
export const nil: SchemaModel = { types: [{ kind: 'null', ...facts }] }

export const text = (more: Partial<StringModel> = {}): SchemaModel => ({
  types: [
    { kind: 'string', ...facts, formats: [], values: null, examples: [], pattern: null, observed: null, ...more },
  ],
})
export const word = (...values: readonly string[]): SchemaModel => text({ values })

export const number = (more: Partial<NumberModel> = {}): SchemaModel => ({
  types: [{ kind: 'number', ...facts, isInteger: false, min: null, max: null, observed: null, ...more }],
})
export const integer = (min: number | null = null, max: number | null = null): SchemaModel =>
  number({ isInteger: true, min, max })

export const flag = (value: boolean | null = null): SchemaModel => ({ types: [{ kind: 'boolean', ...facts, value }] })

export const list = (element: SchemaModel, more: Partial<ListModel> = {}): SchemaModel => ({
  types: [{ kind: 'list', ...facts, element, isSampled: false, observed: null, ...more }],
})

/** A name that ends with a question mark is that of an optional member. */
export const object = (
  members: Readonly<Record<string, SchemaModel>>,
  more: Partial<ObjectModel> = {},
): SchemaModel => ({
  types: [
    {
      ...{ kind: 'object', ...facts, entries: null, tag: null, isSampled: false },
      members: Object.entries(members).map(([name, schema]) => ({
        ...{ name: name.replace(/\?$/, ''), isRequired: !name.endsWith('?'), source: 'contract', schema },
      })),
      ...more,
    },
  ],
})
export const dictionary = (entries: SchemaModel): SchemaModel => object({}, { entries })

export const union = (...options: readonly SchemaModel[]): SchemaModel => ({
  types: options.flatMap(({ types }) => types),
})

export const route = (more: Partial<RouteSchema> = {}): RouteSchema => ({
  ...{ method: 'GET', template: '/cards', endpoint: null, source: 'contract', summary: '', parameters: [] },
  ...{
    acceptsAnyQuery: false,
    body: null,
    isUpload: false,
    needsToken: true,
    mediaType: 'application/json',
    response: null,
    error: null,
  },
  ...{ errorCodes: [], responses: null },
  ...more,
})

export const bundle = (...routes: readonly RouteSchema[]): SchemaBundle => ({ title: '', isPartial: false, routes })
