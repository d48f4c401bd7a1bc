import type { z } from 'zod'
import type { Endpoint, EndpointTag, JsonShape, ListRule, Parameter, Row, TextShape } from '../endpoint.ts'
import { outcomes, plain } from './outcomes.ts'

/** Short forms for the rows of the table: they fill in what most rows share. */
type Draft<Id extends string> = Partial<Omit<Endpoint, 'response'>> &
  Pick<Endpoint, 'path' | 'summary' | 'spec'> & { readonly id: Id }
type JsonRow<Id extends string, S extends z.ZodType> = Row<Id, JsonShape<S>>
type Media = readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[]

const common = {
  parameters: [],
  body: null,
  upload: false,
  alternatives: [],
  limits: [],
  navigatesWith: null,
  requiresMax: false,
  confirm: 'none',
  dryRun: false,
  undo: null,
  approval: false,
  secret: false,
  outcome: null,
  addon: false,
  auth: 'token',
} as const
const reading = { ...common, method: 'GET', access: 'read' } as const

/** A row that only reads and answers JSON. `list` names the list that it is about. */
export function read<const Id extends string, S extends z.ZodType>(
  tag: EndpointTag,
  schema: S,
  { list, ...draft }: Draft<Id> & { readonly list?: ListRule },
): JsonRow<Id, S> {
  const response: JsonShape<S> = { kind: 'json', schema, ...(list ? { list } : {}) }
  return { ...reading, tag, response, ...draft }
}

/** A row whose answer is text. */
export function text<const Id extends string>(
  tag: EndpointTag,
  contentType: string,
  draft: Draft<Id>,
): Row<Id, TextShape> {
  return { ...reading, tag, response: { kind: 'text', contentType }, ...draft }
}

/** A row whose answer is bytes. */
export function bytes<const Id extends string>(
  tag: EndpointTag,
  media: Media,
  draft: Draft<Id>,
): Row<Id, { readonly kind: 'binary'; readonly media: Media }> {
  return { ...reading, tag, response: { kind: 'binary', media }, ...draft }
}

/** A write behind the confirm gate, for which a subscription is needed (observed-0.49). */
export function write<const Id extends string, S extends z.ZodType>(
  tag: EndpointTag,
  body: z.ZodType,
  schema: S,
  draft: Draft<Id>,
): JsonRow<Id, S> {
  return {
    ...common,
    method: 'POST',
    tag,
    access: 'write',
    requiresMax: true,
    confirm: 'body',
    outcome: plain,
    body,
    response: { kind: 'json', schema },
    ...draft,
  }
}

/** A row that takes over the user's screen: no data changes, no confirm gate, no subscription. */
export function navigate<const Id extends string, S extends z.ZodType>(
  tag: EndpointTag,
  body: z.ZodType,
  schema: S,
  draft: Draft<Id>,
): JsonRow<Id, S> {
  const own = { access: 'navigate', requiresMax: false, confirm: 'none', outcome: outcomes.navigate } as const
  return write(tag, body, schema, { ...own, ...draft })
}

/** A row that makes or drops something of the host's own: it runs at once, without a subscription. */
export function task<const Id extends string, S extends z.ZodType>(
  tag: EndpointTag,
  body: z.ZodType,
  schema: S,
  draft: Draft<Id>,
): JsonRow<Id, S> {
  return write(tag, body, schema, { access: 'task', requiresMax: false, confirm: 'none', ...draft })
}

export function inPath(name: string, description: string, source?: string, integer?: { min: number }): Parameter {
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

export function inQuery(
  name: string,
  description: string,
  rule: Partial<Omit<Parameter, 'name' | 'in' | 'description'>> = {},
): Parameter {
  return { name, in: 'query', type: 'string', required: false, description, ...rule }
}

/** A query parameter whose one allowed value is `1`. */
export const flag = (name: string, description: string): Parameter =>
  inQuery(name, description, { type: 'integer', min: 1, max: 1 })

export const oneOf = (name: string, values: readonly string[], description: string): Parameter =>
  inQuery(name, description, { type: 'enum', values })

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
