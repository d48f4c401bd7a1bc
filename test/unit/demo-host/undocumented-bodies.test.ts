import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let params: Record<string, string> = {}
let noteid = ''
const confirm = true

beforeAll(async () => {
  host = await startDemo()
  const [set] = host.host.state.library.sets
  noteid = set?.cards[2]?.noteid ?? ''
  params = {
    topicid: set?.topicid ?? '',
    noteid,
    bookmd5: set?.documents[0] ?? '',
    deckId: host.host.state.library.decks[0]?.deckId ?? '',
    bundleId: 'bundle-1',
    index: '1',
    snapshotId: host.host.state.library.sets[1]?.snapshots[0]?.snapshotId ?? '',
  }
})
afterAll(() => host.host.close())

const askWithParams = (id: string, body: unknown) => {
  const row = endpoints.find((some) => some.id === id)
  const pathParams = Object.fromEntries(
    (row?.parameters ?? [])
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => [name, params[name] ?? '']),
  )
  return host.ask(id, { params: pathParams, body })
}

/** Plausible bodies that no document describes. */
const undocumentedBodies: readonly (readonly [
  string,
  object,
  Partial<Record<'unknown' | 'missing' | 'wrong', string[]>>,
])[] = [
  ['notes.title', { title: 'T' }, { unknown: ['title'], missing: ['text'] }],
  ['notes.text', { value: 'T' }, { unknown: ['value'], missing: ['text'] }],
  ['notes.comments', { text: 'T', expectedRevision: '1' }, { unknown: ['expectedRevision'] }],
  [
    'notes.hashtags',
    { noteIds: ['N'], add: ['#a'], remove: [] },
    { unknown: ['add', 'remove'], missing: ['operation', 'hashtags'] },
  ],
  ['notes.metadata', { noteIds: ['N'], colorIndex: 3 }, { unknown: ['colorIndex'], missing: ['patch'] }],
  ['notes.metadata', { noteIds: ['N'], patch: { color: 3 } }, { unknown: ['patch.color'] }],
  ['notes.metadata', { noteIds: ['N'], patch: { colorIndex: '3' } }, { wrong: ['patch.colorIndex'] }],
  ['notes.move', { noteIds: ['N'], parent: 'P' }, { unknown: ['parent'] }],
  [
    'notes.move',
    { moves: [{ noteIds: ['N'], parentId: 'P' }] },
    { unknown: ['moves[0].parentId'], missing: ['moves[0].targetParentNoteId'] },
  ],
  ['notes.fold', { noteIds: ['N'] }, { missing: ['folded'] }],
  ['decks.addCards', { noteIds: ['N'] }, { unknown: ['noteIds'], missing: ['cards'] }],
  ['studySets.addDocuments', { bookmd5s: ['B'] }, { unknown: ['bookmd5s'], missing: ['bookmd5'] }],
  ['studySets.addDocuments', { documentIds: ['B'] }, { unknown: ['documentIds'], missing: ['bookmd5'] }],
  ['documents.toc', { segments: [{ title: 'One', page: 1 }] }, { unknown: ['segments'] }],
  [
    'documents.toc',
    { entries: [{ title: 'One', startPage: 1 }] },
    { unknown: ['entries[0].startPage'], missing: ['entries[0].page', 'entries[0].level'] },
  ],
  ['notes.imageOcclusions', { rects: [] }, { unknown: ['rects'], missing: ['coordinateSpace', 'operation', 'masks'] }],
  ['uiState.apply', { topicid: 'T' }, { unknown: ['topicid'], missing: ['state'] }],
  ['studySets.create', {}, { missing: ['title'] }],
  ['studySets.create', { title: 'T', documents: [] }, { unknown: ['documents'] }],
  ['studySets.delete', { title: 'T' }, { unknown: ['title'], missing: ['expectedTitle'] }],
]

describe('undocumented body', () => {
  test.each(undocumentedBodies)('%s refuses %j and names the members', async (id, body, expected) => {
    const before = JSON.stringify(host.host.state.library.sets)
    const { status, json } = await askWithParams(id, { ...body, ...(id === 'uiState.apply' ? {} : { confirm }) })
    expect([status, json.error?.code]).toEqual([422, 'BODY_INVALID'])
    expect(json.error?.details).toEqual({ unknown: [], missing: [], wrong: [], ...expected })
    expect(json['persisted']).toBeUndefined()
    expect(JSON.stringify(host.host.state.library.sets)).toBe(before)
  })

  it('is refused by every write for an unknown member', async () => {
    const before = JSON.stringify(host.host.state.library.sets)
    const rows = endpoints.filter(
      ({ access, body, id }) => access !== 'read' && body && id !== 'pair.post' && id !== 'mcp.post',
    )
    for (const { id, confirm: confirmPlace } of rows) {
      const { status, json } = await askWithParams(id, {
        nobodyKnowsThis: 1,
        ...(confirmPlace === 'body' ? { confirm } : {}),
      })
      expect([id, status]).toEqual([id, 422])
      if (!['bundles.prepare', 'writing.sessionPause'].includes(id))
        expect(json.error?.details).toMatchObject({ unknown: ['nobodyKnowsThis'] })
    }
    expect(JSON.stringify(host.host.state.library.sets)).toBe(before)
  })

  it('is refused unless it contains exactly one alternative', async () => {
    const getErrorCode = async (id: string, body: object) =>
      (await askWithParams(id, { ...body, confirm })).json.error?.code
    const entries = [{ title: 'One', page: 1, level: 0 }]
    for (const body of [{}, { entries, useOriginal: true }, { useOriginal: true, useAI: true }]) {
      expect(await getErrorCode('documents.toc', body)).toBe('BODY_INVALID')
    }
    const move = { noteIds: [noteid], targetParentNoteId: noteid }
    for (const body of [{ noteIds: [noteid] }, { ...move, moves: [move] }])
      expect(await getErrorCode('notes.move', body)).toBe('BODY_INVALID')
  })

  it('is refused over the limit, counting all batches together', async () => {
    const repeatNoteId = (count: number) => Array.from({ length: count }, () => noteid)
    const getError = async (id: string, body: object) => (await askWithParams(id, { ...body, confirm })).json.error
    expect(await getError('notes.delete', { noteIds: repeatNoteId(51) })).toMatchObject({
      details: { wrong: ['noteIds (51 of at most 50)'] },
    })
    const moves = [repeatNoteId(30), repeatNoteId(21)].map((noteIds) => ({ noteIds, targetParentNoteId: noteid }))
    expect(await getError('notes.move', { moves })).toMatchObject({
      details: { wrong: ['moves.noteIds (51 of at most 50)'] },
    })
    const hashtags = Array.from({ length: 101 }, (_, index) => `#t${index}`)
    expect(await getError('notes.hashtags', { noteIds: [noteid], operation: 'add', hashtags })).toMatchObject({
      details: { wrong: ['hashtags (101 of at most 100)'] },
    })
    const cards = repeatNoteId(51).map((sourceNoteId) => ({ sourceNoteId }))
    expect(await getError('decks.addCards', { cards })).toMatchObject({
      details: { wrong: ['cards (51 of at most 50)'] },
    })
  })

  it('is checked in a real dry run, and not before confirmation elsewhere', async () => {
    const getErrorCode = async (id: string, body: object) => (await askWithParams(id, body)).json.error?.code
    expect(await getErrorCode('notes.delete', { noteIds: ['NOBODY'] })).toBe('NOTE_NOT_FOUND')
    expect(await getErrorCode('notes.copy', { parent: noteid })).toBe('BODY_INVALID')
    expect(
      await getErrorCode('documents.toc', {
        entries: [
          { title: 'a', page: 9, level: 0 },
          { title: 'b', page: 2, level: 0 },
        ],
      }),
    ).toBe('PARAMETER_INVALID')
    expect(await getErrorCode('notes.move', { noteIds: ['NOBODY'] })).toBe('CONFIRM_REQUIRED')
    expect(await getErrorCode('decks.addCards', { cards: [{ sourceNoteId: 'NOBODY' }] })).toBe('CONFIRM_REQUIRED')
  })
})

describe('HTTP', () => {
  const findAudioPath = async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'audio'),
    )
    const contentId = card?.parts.find(({ kind }) => kind === 'audio')?.contentId ?? ''
    return `/notes/${card?.noteid ?? ''}/content/${contentId}`
  }

  it('answers HEAD with the head of the response and no body', async () => {
    const path = await findAudioPath()
    const [getResponse, headResponse] = [await host.send('GET', path), await host.send('HEAD', path)]
    expect([headResponse.status, headResponse.bytes.byteLength]).toEqual([200, 0])
    for (const name of ['content-length', 'content-type', 'etag'])
      expect(headResponse.headers.get(name), name).toBe(getResponse.headers.get(name))
    expect((await host.send('HEAD', '/decks')).status).toBe(200)
    expect((await host.send('HEAD', '/decks', { token: null })).status).toBe(401)
  })

  it('returns a part only if the content is unchanged', async () => {
    const path = await findAudioPath()
    const etag = (await host.send('HEAD', path)).headers.get('etag') ?? ''
    const fetchPart = (ifRange: string) =>
      host.send('GET', path, { headers: { range: 'bytes=0-9', 'if-range': ifRange } })
    const [unchanged, changed] = [await fetchPart(etag), await fetchPart('"another"')]
    expect([unchanged.status, unchanged.bytes.byteLength]).toEqual([206, 10])
    expect([changed.status, changed.bytes.byteLength > 10]).toEqual([200, true])
  })

  it('names the allowed methods for a wrong one, and accepts only POST for the MCP channel', async () => {
    const wrong = await host.send('PUT', '/decks')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await host.send('GET', '/notes/move')).headers.get('allow')).toBe('POST')
    const channel = await host.send('GET', '/mcp')
    expect([channel.status, channel.json.error?.code]).toEqual([501, 'NOT_IMPLEMENTED'])
    expect((await host.send('GET', '/never/heard/of')).status).toBe(404)
  })
})
