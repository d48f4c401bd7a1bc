import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertRead } from '../../../../electron/services/bridge/client/access-check.ts'
import { getEndpoint, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { respondJson } from '../../../support/hosts/behaviours.ts'
import { expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const { client, exchanges } = createTestClient()
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(respondJson({ persisted: true }))
})
afterAll(() => host.close())

const PAIRING_ID = 'pair.post'
const changingRows = endpoints.filter((row) => row.access !== 'read' && row.id !== PAIRING_ID)

describe('read-only mode', () => {
  test('safety 40: classifies every row, and has a fixed list of reads that are POST', () => {
    const reads = ['studySets.printPreview', 'documents.locate', 'notes.batchGet', 'writing.pencilResult']
    expect(endpoints.filter((row) => !['read', 'write', 'navigate', 'task'].includes(row.access))).toEqual([])
    expect(endpoints.filter((row) => row.method === 'POST' && row.access === 'read').map(({ id }) => id)).toEqual(reads)
    // The installation script uses up its code, so it is no read.
    expect(endpoints.filter((row) => row.method === 'GET' && row.access !== 'read').map(({ id }) => id)).toEqual([
      'install.get',
    ])
    expect(endpoints.filter((row) => row.confirm !== 'none' && row.access !== 'write')).toEqual([])
    expect(changingRows.length).toBeGreaterThan(20)
  })

  test.each(changingRows)('safety 40: sends nothing for $id', async (row) => {
    const request = { endpoint: row, params: {}, body: { confirm: true } }
    const failure = await expectAppError(client.request(createTarget(host.baseUrl, { isReadOnly: true }), request))
    expect(failure.wire).toMatchObject({ kind: 'refused', code: 'READ_ONLY', params: { endpoint: row.id } })
    expect(host.countConnections().accepted).toBe(0)
    expect(exchanges).toEqual([])
  })

  test('safety 40: refuses a read that takes over the screen', async () => {
    const row = getEndpoint('documents.locate')
    const request = { endpoint: row, params: { bookmd5: 'B' }, body: { text: 'a', page: 1, navigate: true } }
    const failure = await expectAppError(client.request(createTarget(host.baseUrl, { isReadOnly: true }), request))
    expect(failure.wire).toMatchObject({ code: 'READ_ONLY' })
    expect(() => assertRead(row, request)).toThrow()
    expect(() => assertRead(row, { body: { text: 'a', page: 1 } })).not.toThrow()
    expect(host.countConnections().accepted).toBe(0)
  })

  test.each([
    ['a header', { headers: [['X-HTTP-Method', 'DELETE']] as const }],
    ['a header with another name', { headers: [['x-method-override', 'PUT']] as const }],
    ['a parameter', { rawPath: '/documents/B/locate?_method=DELETE' }],
    ['a parameter behind a semicolon', { rawPath: '/documents/B/locate?a=1;_METHOD=delete' }],
    ['an encoded parameter', { rawPath: '/documents/B/locate?a=1&%255fmethod=DELETE' }],
    ['a parameter with a plain name', { rawPath: '/documents/B/locate?method=delete' }],
    ['a parameter of a row', { query: { 'X-HTTP-Method-Override': 'DELETE' } }],
    ['a member', { body: { text: 'a', _method: 'DELETE' } }],
    ['a member in other case', { body: { 'x-http-method-override': 'PATCH' } }],
    ['a form', { bodyText: 'text=a&_method=DELETE' }],
    ['a member that takes over the screen, in other case', { body: { Navigate: true } }],
    ['a list', { body: [{ navigate: true }] }],
    ['null', { body: null }],
  ] as const)('safety 63: refuses a request with %s', async (_, part) => {
    const row = getEndpoint('documents.locate')
    expect(() => assertRead(row, part)).toThrow()
    const request = { endpoint: row, params: { bookmd5: 'B' }, ...('headers' in part ? {} : part) }
    if (!('headers' in part)) {
      const failure = await expectAppError(client.request(createTarget(host.baseUrl, { isReadOnly: true }), request))
      expect(failure.wire).toMatchObject({ code: 'READ_ONLY' })
    }
    expect(host.countConnections().accepted).toBe(0)
  })

  test.each([
    { rawPath: '/notes/N/content/C?maxEdge=64&method=box' },
    { headers: [['Accept', '*/*']] as const },
    { body: { noteIds: ['_method=DELETE'], method: 'fast' } },
    { bodyText: '{"navigate":false}', body: { navigate: false } },
  ])('safety 63: allows a read with %j', (part) => {
    expect(() => assertRead(getEndpoint('documents.locate'), part)).not.toThrow()
  })

  test.each(endpoints.filter((row) => row.access !== 'read'))('safety 40: refuses $id as a read', (row) => {
    expect(() => assertRead(row)).toThrow(
      expect.objectContaining({ wire: expect.objectContaining({ code: 'NOT_A_READ' }) }),
    )
  })
})
