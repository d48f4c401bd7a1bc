import { describe, expect, test } from 'vitest'
import { getSourceBasis, getWeakerBasis, isBinding, type Basis } from '../../../shared/bridge/basis.ts'
import { endpoints, getEndpoint, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { getParameterBasis, getRouteBasis } from '../../../shared/bridge/endpoints/endpoint.ts'
import { getCodeBasis } from '../../../shared/bridge/errors.ts'
import { getSchemaPlan, type MemberPlan, type SchemaPlan } from '../../../shared/bridge/resources/schema-plan.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'

test.each<[Basis, boolean]>([
  ['spec', true],
  ['host', true],
  ['observed', false],
  ['open', false],
])('a difference from a statement that is %s may be held against somebody: %s', (basis, expected) => {
  expect(isBinding(basis)).toBe(expected)
})

test('two statements bind no more than the weaker one', () => {
  expect(getWeakerBasis('spec', 'observed')).toBe('observed')
  expect(getWeakerBasis('open', 'host')).toBe('open')
})

test.each<[string, Basis]>([
  ['spec §4 excerpts', 'spec'],
  ['spec §1; observed §7', 'spec'],
  ['observed §1; spec §4 referenced', 'spec'],
  ['observed: discovery', 'observed'],
  ['capabilities of the host', 'host'],
  ['', 'open'],
])('%s is %s', (source, expected) => {
  expect(getSourceBasis(source)).toBe(expected)
})

describe('routes', () => {
  test('are in the spec exactly if section 1, 4, 7 or 9 names their path', () => {
    const routes = endpoints
      .filter((row) => getRouteBasis(row) === 'spec')
      .map(({ method, path }) => `${method} ${path}`)
    expect(routes.sort()).toEqual(
      [
        'GET /bundles/{bundleId}/files',
        'GET /capabilities',
        'GET /documents/{bookmd5}/excerpts',
        'GET /documents/{bookmd5}/pages/{index}/content/{contentId}',
        'GET /documents/{bookmd5}/pages/{index}/parts',
        'GET /guide',
        'GET /immersive/template',
        'GET /library/study-sets',
        'GET /notes/{noteid}/content/{contentId}',
        'GET /notes/{noteid}/render',
        'GET /search',
        'GET /study-sets/{topicid}/documents',
        'GET /study-sets/{topicid}/note-palette',
        'GET /study-sets/{topicid}/sub-maps',
        // The spec shows neither method nor path of the card listing.
        'GET /study-sets/{topicid}/tree',
        'GET /ui-state',
        'GET /writing/context',
        'POST /notes/batch-get',
        'POST /notes/{noteid}/blank-bands',
        'POST /notes/{noteid}/practice-verdict',
        'POST /writing/pencil-commit',
        'POST /writing/pencil-result',
        'POST /writing/session-focus-begin',
        'POST /writing/session-pause',
        'POST /writing/session-reserve',
      ].sort(),
    )
  })

  test.each<[EndpointId, string, Basis]>([
    ['studySets.tree', 'cursor', 'spec'],
    ['studySets.tree', 'sort', 'spec'],
    ['studySets.palette', 'topicid', 'spec'],
    ['documents.excerpts', 'duplicatesOnly', 'spec'],
    ['documents.pageContent', 'maxEdge', 'spec'],
    ['bundles.files', 'path', 'spec'],
    ['notes.content', 'layers', 'open'],
    ['notes.render', 'width', 'observed'],
    ['search.get', 'q', 'observed'],
    ['documents.outline', 'bookmd5', 'observed'],
  ])('%s has the parameter %s by %s', (id, name, expected) => {
    const row = getEndpoint(id)
    const parameter = row.parameters.find((candidate) => candidate.name === name)
    expect(parameter && getParameterBasis(row, parameter)).toBe(expected)
  })
})

test.each<[string, Basis]>([
  ['IN_PROCESS_NOT_ALLOWED', 'spec'],
  ['PRACTICE_KEY_INVALID', 'spec'],
  ['UNAUTHORIZED', 'observed'],
  ['WINDOW_BUSY', 'open'],
  ['__proto__', 'open'],
])('the code %s is %s', (code, expected) => {
  expect(getCodeBasis(code)).toBe(expected)
})

describe('members', () => {
  const findMember = (plan: SchemaPlan, [name, ...rest]: readonly string[]): MemberPlan | undefined => {
    if (plan.kind === 'optional' || plan.kind === 'nullable') return findMember(plan.inner, [name ?? '', ...rest])
    if (plan.kind === 'list') return findMember(plan.element, name === '*' ? rest : [name ?? '', ...rest])
    const member = plan.kind === 'object' ? plan.members.find((candidate) => candidate.name === name) : undefined
    return member && rest.length > 0 ? findMember(member.plan, rest) : member
  }
  const getResponsePlan = (id: EndpointId): SchemaPlan => {
    const { response } = getEndpoint(id)
    if (response.kind !== 'json') throw new Error(`${id} returns no JSON`)
    return getSchemaPlan(response.schema)
  }

  test.each<[EndpointId, string, presence: Basis, type: Basis]>([
    ['studySets.palette', 'bridgeApiVersion', 'spec', 'spec'],
    ['studySets.palette', 'colors.*.displayColor.rgba.a', 'spec', 'spec'],
    ['documents.excerpts', 'items.*.endpos', 'spec', 'spec'],
    ['documents.excerpts', 'bridgeApiVersion', 'open', 'spec'],
    // With §2: only the parent and the two members of the sorted listing are named, without types.
    ['studySets.tree', 'nodes.*.noteid', 'observed', 'observed'],
    ['studySets.tree', 'nodes.*.docPage', 'open', 'observed'],
    ['studySets.tree', 'sort', 'open', 'spec'],
    ['notes.blankBands', 'band.physicalNoteId', 'spec', 'spec'],
    ['notes.practiceVerdict', 'practice.reason', 'open', 'spec'],
    ['writing.pencilCommit', 'inputGate.state', 'spec', 'spec'],
    ['writing.pencilResult', 'settled', 'spec', 'observed'],
    ['writing.pencilResult', 'outcome', 'open', 'observed'],
    ['studySets.documents', 'documents.*.bookmd5', 'observed', 'observed'],
    ['documents.outline', 'segments', 'observed', 'observed'],
    ['uiState.get', 'state', 'open', 'observed'],
  ])('of %s: %s is sent by %s and has its type by %s', (id, path, presence, type) => {
    expect(findMember(getResponsePlan(id), path.split('.'))).toMatchObject({ presence, type })
  })

  test('of a card are in the spec if section 2 names them', () => {
    const plan = getSchemaPlan(noteItemSchema)
    expect(findMember(plan, ['parts'])).toMatchObject({ presence: 'spec', type: 'spec' })
    expect(findMember(plan, ['parts', '*', 'contentId'])).toMatchObject({ presence: 'open', type: 'spec' })
    expect(findMember(plan, ['texts'])).toMatchObject({ presence: 'open', type: 'observed' })
  })

  test('have examples and no set of values where the spec says "observed value"', () => {
    const state = findMember(getResponsePlan('writing.sessionReserve'), ['state'])?.plan
    expect(state?.kind === 'leaf' && state.knownValues).toEqual({ values: ['accepted'], basis: 'open' })
  })
})
