import type { z } from 'zod'
import { listErrorCodes } from '../../../shared/bridge/endpoint-errors.ts'
import { knownErrors } from '../../../shared/bridge/errors.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getIdKind } from '../../../shared/bridge/id-kinds.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'
import { getSchemaPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { lookUp } from '../../../shared/json/object.ts'
import { panelErrorCodes } from '../../../shared/panel/call-reason.ts'

/**
 * String kind, as far as its place says. `text` is text of the library, as is everything that
 * no other kind fits. `id`: an id by the contract. `looseId`: an id if it looks like one. `opaque`:
 * a version, revision or hash. `word`: a word of the interface. `number`: a number or flag, in
 * range or not. `code`: a code of an error. `program`: the name of an application. `address`: a
 * path or URL. `file`: the name of a file. `message`: a sentence of a program, which is no text of
 * the library but may quote one. `secret`: a token, key or password. `grant`: a code that is
 * exchanged for a token, or the code of an error.
 */
export type StringKind =
  | 'text'
  | 'id'
  | 'looseId'
  | 'opaque'
  | 'cursor'
  | 'word'
  | 'number'
  | 'code'
  | 'time'
  | 'color'
  | 'media'
  | 'address'
  | 'file'
  | 'program'
  | 'message'
  | 'secret'
  | 'grant'

/**
 * Strings of the contract that are no text of the library, by the name of their member. Schemas
 * cannot say this: for them, an id is a string like any other. Names that `getIdKind` knows are
 * left out. A value that does not look like its kind counts as text.
 */
const structuralMembers: Readonly<Record<string, StringKind>> = {
  ...namesOf(
    'id',
    'id noteIds parent subMapId docBookmd5 physicalNoteId commentId topic card addon layerId surfaceId windowId root',
    'targetParentNoteId rootNoteId visibleNoteIds questionContentId mainDocument resolvedNoteId studySet instanceNonce',
    'childrenReattachedTo owner commentIds questionId',
  ),
  ...namesOf('opaque', 'commentsRevision expectedRevision schema jsonrpc version guideHash'),
  ...namesOf('cursor', 'nextCursor cursor'),
  ...namesOf('word', 'kind state outcome role self reason source appearance algorithm method preset type status'),
  ...namesOf('program', 'app'),
  ...namesOf('time', 'lastModified since at'),
  ...namesOf('media', 'mimeType contentType'),
  ...namesOf('address', 'contentPath occlusionBaseContentPath route path'),
  ...namesOf('file', 'filename fileName file'),
}

function namesOf(kind: StringKind, ...lists: readonly string[]): Record<string, StringKind> {
  return Object.fromEntries(lists.flatMap((list) => list.split(' ')).map((name) => [name, kind]))
}

/** Other names that end like the name of an id, of a time or of a version. */
const ID_NAME = /(?:[a-z0-9]I[dD]s?|_ids?|[a-z]Md5|^ids?)$/
const TIME_NAME = /[a-z]At$/
const OPAQUE_NAME = /(?:[a-z]Version|_version|[a-z]Fingerprint)$/

/** Credentials by the names that RFC 6749, 6750, 7009, 7523 and 8628 and usage give them. */
const credentialNames: ReadonlySet<string> = new Set(
  `token accesstoken refreshtoken idtoken clientsecret clientassertion assertion codeverifier devicecode
   authorizationcode subjecttoken actortoken authtoken bearertoken apitoken sessiontoken usertoken csrftoken xsrftoken
   xapitoken xauthtoken xaccesstoken xcsrftoken xxsrftoken apikey xapikey secret apisecret password passwd passphrase
   privatekey credential credentials jwt authorization proxyauthorization cookie cookie2 setcookie setcookie2`
    .trim()
    .split(/\s+/),
)
const CODE_NAMES: ReadonlySet<string> = new Set(['code', 'usercode'])

/** A member, parameter or header holds a credential, whatever it looks like. */
export function isCredentialName(name: string): boolean {
  return name.length <= 40 && credentialNames.has(name.toLowerCase().replace(/[^a-z0-9]/g, ''))
}
/** A code that is exchanged for a token, or else the code of an error. */
export function mayBeGrantCode(name: string): boolean {
  return CODE_NAMES.has(name.toLowerCase().replace(/[_-]/g, ''))
}

/** @param container name of the member that holds the object; empty if unknown */
export function getKindOfMember(name: string, container: string): StringKind {
  const kind = lookUp(structuralMembers, name)
  if (kind !== undefined) return kind
  if (isCredentialName(name)) return 'secret'
  if (mayBeGrantCode(name)) return /error|fault|detail/i.test(container) ? 'code' : 'grant'
  if (getIdKind(name, container) !== null) return 'id'
  if (ID_NAME.test(name)) return contractNames.has(name) ? 'id' : 'looseId'
  if (OPAQUE_NAME.test(name)) return 'opaque'
  return kindsOfRows.get(name) ?? (TIME_NAME.test(name) ? 'time' : 'text')
}

/** Null if the plan says nothing of the kind. */
export function getKindOfPlan(plan: SchemaPlan): StringKind | null {
  if (plan.kind === 'optional' || plan.kind === 'nullable') return getKindOfPlan(plan.inner)
  if (plan.kind !== 'leaf') return null
  if (plan.format !== null) return 'color'
  if (/^(?:number|integer|boolean)$/.test(plan.expected)) return 'number'
  const isListed = plan.expected.startsWith('"') || plan.knownValues?.values.some((value) => typeof value === 'string')
  return isListed === true ? 'word' : null
}

/** Kinds of the members and parameters of all rows, by those names that are alike in all rows. */
const kindsOfRows: ReadonlyMap<string, StringKind> = (() => {
  const kinds = new Map<string, StringKind | null>()
  const add = (name: string, kind: StringKind | null): void => {
    kinds.set(name, kinds.has(name) && kinds.get(name) !== kind ? null : kind)
  }
  const addPlan = (plan: SchemaPlan, name: string): void => {
    if (plan.kind === 'leaf' && plan.expected !== 'unknown') add(name, getKindOfPlan(plan))
    else if (plan.kind === 'object') for (const member of plan.members) addPlan(member.plan, member.name)
    else for (const inner of listInnerPlans(plan)) addPlan(inner, name)
  }
  for (const endpoint of endpoints) {
    for (const { name, type } of endpoint.parameters)
      add(name, type === 'integer' ? 'number' : type === 'enum' ? 'word' : null)
    for (const schema of listSchemas(endpoint)) addPlan(getSchemaPlan(schema), '')
  }
  return new Map([...kinds].filter((entry): entry is [string, StringKind] => entry[1] !== null))
})()

/** Names of members and parameters of the contract: as names they say nothing about a library. */
export const contractNames: ReadonlySet<string> = new Set([
  ...endpoints.flatMap(listEndpointNames),
  ...listPlanNames(getSchemaPlan(noteItemSchema)),
  'error',
  'code',
  'message',
  'details',
  'retryAfterSeconds',
  ...Object.keys(structuralMembers),
])

/**
 * Words that the contract lists: values of enumerations, segments of paths, codes of errors. Also
 * the codes with which this program responds to a panel, because they say why a call failed.
 */
export const contractWords: ReadonlySet<string> = new Set([
  ...endpoints.flatMap((endpoint) => [
    ...endpoint.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')),
    ...endpoint.parameters.flatMap(({ values = [] }) => values),
    ...listErrorCodes(endpoint),
    ...listSchemas(endpoint).flatMap((schema) => listPlanWords(getSchemaPlan(schema))),
  ]),
  ...Object.keys(knownErrors),
  ...panelErrorCodes,
  'bridge',
  'v1',
  'guide',
  'status',
])

function listSchemas({ body, response }: Endpoint): z.ZodType[] {
  return [body, response.kind === 'json' ? response.schema : null].filter((schema) => schema !== null)
}

function listEndpointNames(endpoint: Endpoint): string[] {
  const { parameters, outcome, limits } = endpoint
  const marks = outcome
    ? [...outcome.success, ...outcome.partial, ...outcome.failure].map(({ pointer }) => pointer)
    : []
  return [
    ...listSchemas(endpoint).flatMap((schema) => listPlanNames(getSchemaPlan(schema))),
    ...parameters.map(({ name }) => name),
    ...limits.flatMap(({ member }) => member.split('.')),
    ...[...marks, ...(outcome?.quotedPointers ?? [])].flatMap((pointer) => pointer.split('/')),
  ]
}

function listPlanNames(plan: SchemaPlan): string[] {
  if (plan.kind === 'object') {
    const others = Object.values(plan.variants.names ?? {}).flat()
    return [
      ...plan.members.flatMap(({ name, plan: member }) => [name, ...listPlanNames(member)]),
      ...others.flatMap((name) => name.split('.')),
    ]
  }
  return listInnerPlans(plan).flatMap(listPlanNames)
}

function listPlanWords(plan: SchemaPlan): string[] {
  if (plan.kind === 'object') return plan.members.flatMap((member) => listPlanWords(member.plan))
  if (plan.kind !== 'leaf') return listInnerPlans(plan).flatMap(listPlanWords)
  const quoted = plan.expected.startsWith('"') ? plan.expected.split(' | ') : []
  const listed = quoted.map((word) => JSON.parse(word) as unknown)
  return [...(plan.knownValues?.values ?? []), ...listed].filter((value) => typeof value === 'string')
}

function listInnerPlans(plan: SchemaPlan): readonly SchemaPlan[] {
  if (plan.kind === 'optional' || plan.kind === 'nullable') return [plan.inner]
  if (plan.kind === 'list') return [plan.element]
  return plan.kind === 'union' ? plan.options : []
}
