// The endpoint table: one entry for each route of the host's contract. It sends nothing and knows
// no connected host; schemas of bodies and responses are in ../resources. Read endpoint.ts first.

import type { z } from 'zod'
import type { EndpointAccess, BinaryShape, CommandKind, Endpoint, JsonShape, TextShape } from './endpoint.ts'
import { decodePercent, countLiteralChars, listPlaceholders, PathTemplate } from './path-template.ts'
import { bundleEndpoints } from './bundles.ts'
import { deckEndpoints } from './decks.ts'
import { documentEndpoints } from './documents.ts'
import { libraryEndpoints } from './library.ts'
import { noteEndpoints } from './notes.ts'
import { stateEndpoints } from './state.ts'
import { studySetEndpoints } from './study-sets.ts'
import { writingEndpoints } from './writing.ts'

const table = [
  ...stateEndpoints,
  ...libraryEndpoints,
  ...studySetEndpoints,
  ...deckEndpoints,
  ...documentEndpoints,
  ...bundleEndpoints,
  ...noteEndpoints,
  ...writingEndpoints,
]
type Rows = (typeof table)[number]

/** Follows spec §4 and observed-0.49. */
export const endpoints: readonly KnownEndpoint[] = table

/** The id is literal, so comparing it with an id that does not exist is a compile error. */
export type KnownEndpoint = Endpoint & { readonly id: EndpointId }

export type EndpointId = Rows['id']
export type JsonEndpointId = Extract<Rows, { readonly response: JsonShape }>['id']
export type TextEndpointId = Extract<Rows, { readonly response: TextShape }>['id']
export type BinaryEndpointId = Extract<Rows, { readonly response: BinaryShape }>['id']

type Schemas = {
  readonly [R in Extract<Rows, { readonly response: JsonShape }> as R['id']]: R['response']['schema']
}
export type ResponseOf<Id extends JsonEndpointId> = z.input<Schemas[Id]>

type RowOf<Id extends EndpointId> = Extract<Rows, { readonly id: Id }>
type ParameterName<Id extends EndpointId, Location extends 'path' | 'query'> = Extract<
  RowOf<Id>['parameters'][number],
  { readonly in: Location }
>['name']

export type PathParamsOf<Id extends EndpointId> = Readonly<Record<ParameterName<Id, 'path'>, string>>
export type QueryOf<Id extends EndpointId> = { readonly [Name in ParameterName<Id, 'query'>]?: string | number }
/** Null if the endpoint takes no body. */
export type BodyOf<Id extends EndpointId> = RowOf<Id>['body'] extends infer B extends z.ZodType ? z.input<B> : null

export type EndpointMap<T> = Readonly<Partial<Record<EndpointId, T>>>

const rowsById: ReadonlyMap<string, KnownEndpoint> = new Map(endpoints.map((row) => [row.id, row]))

export function getResponseSchema<Id extends JsonEndpointId>(id: Id): Schemas[Id] {
  return schemas[id]
}

export function isJsonEndpointId(id: string): id is JsonEndpointId {
  return rowsById.get(id)?.response.kind === 'json'
}

// `Object.fromEntries` loses the types, but each id has the schema of its own endpoint.
const schemas = Object.fromEntries(
  table.flatMap(({ id, response }) => (response.kind === 'json' ? [[id, response.schema]] : [])),
) as Schemas

export const binaryEndpointIds = table.flatMap(({ id, response }) =>
  response.kind === 'binary' ? [id] : [],
) as BinaryEndpointId[]

/** A Map is used so that `__proto__` finds nothing. */
export function findEndpointById(id: string): KnownEndpoint | undefined {
  return rowsById.get(id)
}

const isEndpointId = (id: string): id is EndpointId => rowsById.has(id)

/** Accepts an id that may not be an endpoint's. */
export function lookUpByEndpoint<T>(map: EndpointMap<T>, id: string): T | undefined {
  return isEndpointId(id) ? map[id] : undefined
}

export function getEndpoint(id: EndpointId): KnownEndpoint {
  return getEndpointById(id)
}

/** @throws Error if there is none */
export function getEndpointById(id: string): KnownEndpoint {
  const row = rowsById.get(id)
  if (row === undefined) throw new Error(`no endpoint ${id}`)
  return row
}

export function getCommandKind(endpointId: string): CommandKind {
  return rowsById.get(endpointId)?.command ?? 'plain'
}

const templates = endpoints.map((row) => ({
  row,
  literals: countLiteralChars(row.path),
  template: new PathTemplate(row.path),
}))

interface RequestClassification {
  readonly endpoint: KnownEndpoint | null
  /** An unknown GET or HEAD counts as a read; any other unknown method as a write. */
  readonly access: EndpointAccess
  /** Decoded values of the placeholders. */
  readonly params: Readonly<Record<string, string>>
}

/** The most literal characters in the path win (`/notes/move` is not a card). */
export function classifyRequest(method: string, path: string): RequestClassification {
  const verb = method.toUpperCase()
  const segments = (path.split('?', 1)[0] ?? '').split('/')
  let best: { row: KnownEndpoint; values: readonly string[]; literals: number } | null = null
  for (const { row, template, literals } of templates) {
    if (row.method !== verb) continue
    const values = template.match(segments)
    if (values && (best === null || literals > best.literals)) best = { row, values, literals }
  }
  if (best === null) {
    return { endpoint: null, access: verb === 'GET' || verb === 'HEAD' ? 'read' : 'write', params: {} }
  }
  const params: Record<string, string> = {}
  for (const [index, name] of listPlaceholders(best.row.path).entries())
    params[name] = decodePercent(best.values[index] ?? '')
  return { endpoint: best.row, access: best.row.access, params }
}
