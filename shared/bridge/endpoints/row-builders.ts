import type { z } from 'zod'
import type {
  BinaryShape,
  Endpoint,
  EndpointTag,
  JsonShape,
  EndpointParameter,
  ResponseShape,
  TypedEndpoint,
  TextShape,
} from './endpoint.ts'
import type { Basis } from '../basis.ts'
import { readBacks } from './read-back.ts'
import { writeOutcomes, plainOutcome } from './outcomes.ts'

/** Members that a draft omits get their defaults from the builders. */
type EndpointDraft<Id extends string, P, B> = Partial<Omit<Endpoint, 'response' | 'parameters' | 'body'>> &
  Pick<Endpoint, 'path' | 'summary' | 'spec'> & { readonly id: Id; readonly parameters?: P; readonly body?: B }
type JsonRow<Id extends string, S extends z.ZodType, P extends Parameters, B extends Body> = TypedEndpoint<
  Id,
  JsonShape<S>,
  P,
  B
>
type Parameters = readonly EndpointParameter[]
type Body = z.ZodType | null

export const rowDefaults = {
  recognition: null,
  parameters: [],
  acceptsAnyQuery: false,
  body: null,
  isUpload: false,
  alternatives: [],
  limits: [],
  statuses: { success: [], refusal: [] },
  navigationMember: null,
  requiresMax: false,
  confirm: 'none',
  dryRun: false,
  undo: null,
  isIrreversible: false,
  command: 'plain',
  touches: [readBacks.cards, readBacks.studySet],
  dataKinds: null,
  effect: null,
  placement: null,
  face: null,
  needsApproval: false,
  returnsSecret: false,
  outcome: null,
  hasAddon: false,
  createsProfile: false,
  auth: 'token',
} as const
const readDefaults = { ...rowDefaults, method: 'GET', access: 'read', dataKinds: [] } as const

/** The compiler cannot follow the defaults into the endpoint's type, so the only cast is here. */
const buildRow = <R extends TypedEndpoint<string, ResponseShape, Parameters, Body>>(
  parts: Omit<R, 'parameters' | 'body'> & object,
): R => ({ ...rowDefaults, ...parts }) as unknown as R

/** Declares an endpoint that reads JSON; `list` is the list that makes up the response. */
export function defineRead<
  const Id extends string,
  S extends z.ZodType,
  const P extends Parameters = readonly [],
  B extends Body = null,
>(
  tag: EndpointTag,
  schema: S,
  { list, shown, normalize, ...draft }: EndpointDraft<Id, P, B> & Pick<JsonShape<S>, 'list' | 'shown' | 'normalize'>,
): JsonRow<Id, S, P, B> {
  const response: JsonShape<S> = {
    kind: 'json',
    schema,
    ...(shown ? { shown } : {}),
    ...(list ? { list } : {}),
    ...(normalize ? { normalize } : {}),
  }
  return buildRow({ ...readDefaults, tag, response, ...draft })
}

export function defineTextRead<const Id extends string, const P extends Parameters = readonly []>(
  tag: EndpointTag,
  contentType: string,
  draft: EndpointDraft<Id, P, null>,
): TypedEndpoint<Id, TextShape, P, null> {
  return buildRow({ ...readDefaults, tag, response: { kind: 'text', contentType }, ...draft })
}

export function defineBinaryRead<const Id extends string, const P extends Parameters = readonly []>(
  tag: EndpointTag,
  shape: Omit<BinaryShape, 'kind'>,
  draft: EndpointDraft<Id, P, null>,
): TypedEndpoint<Id, BinaryShape, P, null> {
  return buildRow({ ...readDefaults, tag, response: { kind: 'binary', ...shape }, ...draft })
}

/** Declares an endpoint that writes, and requires `confirm` and a subscription (observed-0.49). */
export function defineWrite<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: EndpointDraft<Id, P, never>): JsonRow<Id, S, P, B> {
  return buildRow({
    ...rowDefaults,
    method: 'POST',
    tag,
    access: 'write',
    requiresMax: true,
    confirm: 'body',
    outcome: plainOutcome,
    dataKinds: ['cards', 'map', 'studySets'],
    body,
    response: { kind: 'json', schema },
    ...draft,
  })
}

/** Takes over the user's screen: changes no data, needs no `confirm` and no subscription. */
export function defineNavigation<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: EndpointDraft<Id, P, never>): JsonRow<Id, S, P, B> {
  const defaults = {
    access: 'navigate',
    touches: [],
    dataKinds: ['screen'],
    requiresMax: false,
    confirm: 'none',
    outcome: writeOutcomes.navigate,
  } as const
  return defineWrite(tag, body, schema, { ...defaults, ...draft })
}

/** Creates or discards something of the host's own, at once and without a subscription. */
export function defineTask<
  const Id extends string,
  S extends z.ZodType,
  B extends Body,
  const P extends Parameters = readonly [],
>(tag: EndpointTag, body: B, schema: S, draft: EndpointDraft<Id, P, never>): JsonRow<Id, S, P, B> {
  const defaults = { access: 'task', touches: [], dataKinds: [], requiresMax: false, confirm: 'none' } as const
  return defineWrite(tag, body, schema, { ...defaults, ...draft })
}

type TypedParameter<Name extends string, Where extends EndpointParameter['in']> = EndpointParameter & {
  readonly name: Name
  readonly in: Where
}

export function definePathParameter<const Name extends string>(
  name: Name,
  description: string,
  source?: string,
  integer?: { min: number },
): TypedParameter<Name, 'path'> {
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

export function defineQueryParameter<const Name extends string>(
  name: Name,
  description: string,
  rule: Partial<Omit<EndpointParameter, 'name' | 'in' | 'description'>> = {},
): TypedParameter<Name, 'query'> {
  return { name, in: 'query', type: 'string', required: false, description, ...rule }
}

/** Declares a query parameter whose only allowed value is `1`. */
export function defineFlagParameter<const Name extends string>(
  name: Name,
  description: string,
  basis: Basis = 'observed',
): TypedParameter<Name, 'query'> {
  return defineQueryParameter(name, description, { type: 'integer', min: 1, max: 1, basis })
}

export function defineChoiceParameter<const Name extends string>(
  name: Name,
  values: readonly string[],
  description: string,
  basis: Basis = 'observed',
): TypedParameter<Name, 'query'> {
  return defineQueryParameter(name, description, { type: 'enum', values, basis })
}

export const topicidParameter = definePathParameter(
  'topicid',
  'Id of the study set.',
  'state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context',
)
export const bookmd5Parameter = definePathParameter(
  'bookmd5',
  'Content identifier of the document.',
  'bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents',
)
export const noteidParameter = definePathParameter(
  'noteid',
  'Id of the card.',
  'a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state',
)
