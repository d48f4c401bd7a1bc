import type { z } from 'zod'
import type { Endpoint, EndpointTag, Parameter } from '../endpoint.ts'

/** Short forms for the rows of the table: they fill in what most rows share. */
type Draft = Partial<Endpoint> & Pick<Endpoint, 'id' | 'path' | 'summary' | 'spec'>

const common = { parameters: [], body: null, confirm: 'none', addon: false, auth: 'token' } as const

/** A row that only reads and answers JSON. */
export function read(tag: EndpointTag, schema: z.ZodType, draft: Draft): Endpoint {
  return { ...common, method: 'GET', tag, access: 'read', response: { kind: 'json', schema }, ...draft }
}

/** A row whose answer is bytes. */
export function bytes(
  tag: EndpointTag,
  media: readonly ('image' | 'audio' | 'video' | 'pdf' | 'any')[],
  draft: Draft,
): Endpoint {
  return { ...common, method: 'GET', tag, access: 'read', response: { kind: 'binary', media }, ...draft }
}

/** A write behind the confirm gate. */
export function write(tag: EndpointTag, body: z.ZodType, schema: z.ZodType, draft: Draft): Endpoint {
  return {
    ...common,
    method: 'POST',
    tag,
    access: 'write',
    confirm: 'required',
    body,
    response: { kind: 'json', schema },
    ...draft,
  }
}

/** A row that takes over the user's screen: no data changes, no confirm gate. */
export function navigate(tag: EndpointTag, body: z.ZodType, schema: z.ZodType, draft: Draft): Endpoint {
  return { ...write(tag, body, schema, draft), access: 'navigate', confirm: 'none', ...draft }
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
