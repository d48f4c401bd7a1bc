import { listErrorCodes } from '../../bridge/endpoint-errors.ts'
import { knownErrors } from '../../bridge/errors.ts'
import { endpoints } from '../../bridge/endpoints/index.ts'
import type { Endpoint } from '../../bridge/endpoints/endpoint.ts'
import { getIdKind } from '../../bridge/id-kinds.ts'
import { noteItemSchema } from '../../bridge/resources/notes.ts'
import { getSchemaPlan, type SchemaPlan } from '../../bridge/resources/schema-plan.ts'
import { lookUp } from '../../json/object.ts'

/**
 * What a string is, as far as its place says. `text` is text of the library, as is everything that
 * no other kind fits. `id`: an id by the contract. `looseId`: an id if it looks like one. `opaque`:
 * a version, revision or hash. `word`: a word of the interface. `code`: a code of an error.
 * `program`: the name of an application. `address`: a path or URL. `file`: the name of a file.
 * `own`: written by this program, so that it holds nothing of the library.
 */
export type StringKind =
  | 'text'
  | 'id'
  | 'looseId'
  | 'opaque'
  | 'cursor'
  | 'word'
  | 'code'
  | 'time'
  | 'color'
  | 'media'
  | 'address'
  | 'file'
  | 'program'
  | 'own'

/**
 * Strings of the contract that are no text of the library, by the name of their member. Names that
 * `getIdKind` knows are left out. A value that does not look like its kind counts as text.
 */
const structuralMembers: Readonly<Record<string, StringKind>> = {
  ...namesOf(
    'id',
    'id noteIds parent subMapId docBookmd5 physicalNoteId commentId topic card addon layerId surfaceId windowId root',
    'targetParentNoteId rootNoteId visibleNoteIds questionContentId mainDocument resolvedNoteId studySet instanceNonce',
    'childrenReattachedTo owner commentIds questionId',
  ),
  ...namesOf(
    'opaque',
    'commentsRevision expectedRevision planFingerprint apiFingerprint maskFingerprint schema jsonrpc',
  ),
  ...namesOf('opaque', 'expectedSourceFingerprint expectedMaskFingerprint guideHash guideVersion bridgeApiVersion'),
  ...namesOf('opaque', 'appVersion version'),
  ...namesOf('cursor', 'nextCursor cursor'),
  ...namesOf('word', 'kind state outcome role self reason carrier source appearance currentness scope durability'),
  ...namesOf('word', 'algorithm mode method sort preset sourceState coordinateSpace operation anchorMode excerptMode'),
  ...namesOf('word', 'type status format layers origin'),
  ...namesOf('code', 'code'),
  ...namesOf('program', 'app'),
  ...namesOf('time', 'lastModifiedAt capturedAt modifiedAt updatedAt lastModified since at'),
  ...namesOf('color', 'hex'),
  ...namesOf('media', 'mimeType contentType'),
  ...namesOf('address', 'contentPath occlusionBaseContentPath route path'),
  ...namesOf('file', 'filename fileName file'),
}

function namesOf(kind: StringKind, ...lists: readonly string[]): Record<string, StringKind> {
  return Object.fromEntries(lists.flatMap((list) => list.split(' ')).map((name) => [name, kind]))
}

/** Other names that end like the name of an id or of a time. */
const ID_NAME = /(?:[a-z0-9]I[dD]s?|_ids?|[a-z]Md5|^ids?)$/
const TIME_NAME = /[a-z]At$/
/** Members whose values are secrets, whatever they look like. */
export const SECRET_NAME =
  /token|secret|passw|passphrase|apikey|api_key|credential|authori[sz]ation|cookie|nonce$|^code$/i

/** @param container name of the member that holds the object; empty if unknown */
export function getKindOfMember(name: string, container: string): StringKind {
  const kind = lookUp(structuralMembers, name)
  if (kind !== undefined) return kind
  if (getIdKind(name, container) !== null) return 'id'
  if (ID_NAME.test(name)) return contractNames.has(name) ? 'id' : 'looseId'
  return TIME_NAME.test(name) ? 'time' : 'text'
}

/** Names of members and parameters of the contract: as names they say nothing about a library. */
export const contractNames: ReadonlySet<string> = new Set([
  ...endpoints.flatMap(listEndpointNames),
  ...listPlanNames(getSchemaPlan(noteItemSchema)),
  ...['error', 'code', 'message', 'details', 'retryAfterSeconds'],
  ...Object.keys(structuralMembers),
])

/** Words that the contract lists: values of enumerations, segments of paths, codes of errors. */
export const contractWords: ReadonlySet<string> = new Set([
  ...endpoints.flatMap((endpoint) => [
    ...endpoint.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')),
    ...endpoint.parameters.flatMap(({ values = [] }) => values),
    ...listErrorCodes(endpoint),
    ...[endpoint.body, endpoint.response.kind === 'json' ? endpoint.response.schema : null].flatMap((schema) =>
      schema ? listPlanWords(getSchemaPlan(schema)) : [],
    ),
  ]),
  ...Object.keys(knownErrors),
  ...['bridge', 'v1', 'guide', 'status'],
])

function listEndpointNames({ body, response, parameters, outcome, limits }: Endpoint): string[] {
  const schemas = [body, response.kind === 'json' ? response.schema : null].filter((schema) => schema !== null)
  const marks = outcome
    ? [...outcome.success, ...outcome.partial, ...outcome.failure].map(({ pointer }) => pointer)
    : []
  return [
    ...schemas.flatMap((schema) => listPlanNames(getSchemaPlan(schema))),
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
