import type { z } from 'zod'
import type {
  BinaryShape,
  Endpoint,
  EndpointTag,
  JsonShape,
  ListRule,
  Parameter,
  ResponseShape,
  Row,
  TextShape,
} from './endpoint.ts'
import { readBacks } from './read-back.ts'
import { outcomes, plain } from './outcomes.ts'

/** A draft may omit whatever its short form fills in. */
type Draft<Id extends string, P, B> = Partial<Omit<Endpoint, 'response' | 'parameters' | 'body'>> &
  Pick<Endpoint, 'path' | 'summary' | 'spec'> & { readonly id: Id; readonly parameters?: P; readonly body?: B }
type JsonRow<Id extends string, S extends z.ZodType, P extends Parameters, B extends Body> = Row<Id, JsonShape<S>, P, B>
type Parameters = readonly Parameter[]
type Body = z.ZodType | null

/** What most rows share. */
export const common = {
  foundBy: null,
  parameters: [],
  anyQuery: false,
  body: null,
  upload: false,
  alternatives: [],
  limits: [],
  navigatesWith: null,
  requiresMax: false,
  confirm: 'none',
  dryRun: false,
  undo: null,
  final: false,
  command: 'plain',
  touches: [readBacks.cards, readBacks.studySet],
  concerns: null,
  effect: null,
  face: null,
  approval: false,
  secret: false,
  outcome: null,
  addon: false,
  pairs: false,
  auth: 'token',
} as const
const reading = { ...common, method: 'GET', access: 'read', concerns: [] } as const

/**
 * Combines what a short form fills in with what its row says. The compiler cannot follow the defaults of `parameters` and `body` into the
 * type of the row, so this is the one place where it is told.
 */
const row = <R extends Row<string, ResponseShape, Parameters, Body>>(
  parts: Omit<R, 'parameters' | 'body'> & object,
): R => ({ ...common, ...parts }) as unknown as R

/** A row that only reads and returns JSON. `list` names the list that the answer consists of. */
export function read<
  const Id extends string,
  S extends z.ZodType,
  const P extends Parameters = readonly [],
  B extends Body = null,
>(
  tag: EndpointTag,
  schema: S,
  { list, ...draft }: Draft<Id, P, B> & { readonly list?: ListRule },
): JsonRow<Id, S, P, B> {
  const response: JsonShape<S> = { kind: 'json', schema, ...(list ? { list } : {}) }
  return row({ ...reading, tag, response, ...draft })
}

/** A row that returns text. */
export function text<const Id extends string, const P extends Parameters = readonly []>(
  tag: EndpointTag,
  contentType: string,
  draft: Draft<Id, P, null>,
): Row<Id, TextShape, P, null> {
  return row({ ...reading, tag, response: { kind: 'text', contentType }, ...draft })
}

/** A row that returns bytes. */
export function bytes<const Id extends string, const P extends Parameters = readonly []>(
  tag: EndpointTag,
  shape: Omit<BinaryShape, 'kind'>,
  draft: Draft<Id, P, null>,
): Row<Id, BinaryShape, P, null> {
  return row({ ...reading, tag, response: { kind: 'binary', ...shape }, ...draft })
}

/** A write behind the confirm gate, which needs a subscription (observed-0.49). */
export function write<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: Draft<Id, P, never>): JsonRow<Id, S, P, B> {
  return row({
    ...common,
    method: 'POST',
    tag,
    access: 'write',
    requiresMax: true,
    confirm: 'body',
    outcome: plain,
    concerns: ['cards', 'map', 'studySets'],
    body,
    response: { kind: 'json', schema },
    ...draft,
  })
}

/** A row that takes over the user's screen: no data changes, no confirm gate, no subscription. */
export function navigate<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: Draft<Id, P, never>): JsonRow<Id, S, P, B> {
  const own = {
    access: 'navigate',
    touches: [],
    concerns: ['screen'],
    requiresMax: false,
    confirm: 'none',
    outcome: outcomes.navigate,
  } as const
  return write(tag, body, schema, { ...own, ...draft })
}

/** A row that creates or discards something of the host's own: it runs at once, without a subscription. */
export function task<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: Draft<Id, P, never>): JsonRow<Id, S, P, B> {
  const own = { access: 'task', touches: [], concerns: [], requiresMax: false, confirm: 'none' } as const
  return write(tag, body, schema, { ...own, ...draft })
}

type In<Name extends string, Where extends Parameter['in']> = Parameter & { readonly name: Name; readonly in: Where }

export function inPath<const Name extends string>(
  name: Name,
  description: string,
  source?: string,
  integer?: { min: number },
): In<Name, 'path'> {
  return {
    name,
    in: 'path',
    type: integer ? 'integer' : 'string',
    required: true,
    description,
    ...(integer ?? {}),
    ...(source === undefined ? {} : { source }),
  }
}

export function inQuery<const Name extends string>(
  name: Name,
  description: string,
  rule: Partial<Omit<Parameter, 'name' | 'in' | 'description'>> = {},
): In<Name, 'query'> {
  return { name, in: 'query', type: 'string', required: false, description, ...rule }
}

/** A query parameter whose only allowed value is `1`. */
export const flag = <const Name extends string>(name: Name, description: string): In<Name, 'query'> =>
  inQuery(name, description, { type: 'integer', min: 1, max: 1 })

export const oneOf = <const Name extends string>(
  name: Name,
  values: readonly string[],
  description: string,
): In<Name, 'query'> => inQuery(name, description, { type: 'enum', values })

export const topicid = inPath(
  'topicid',
  'Id of the study set.',
  'state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context',
)
export const bookmd5 = inPath(
  'bookmd5',
  'Content identifier of the document.',
  'bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents',
)
export const noteid = inPath(
  'noteid',
  'Id of the card.',
  'a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state',
)
