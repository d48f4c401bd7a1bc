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

const ask = (id: string, body: unknown) => {
  const row = endpoints.find((one) => one.id === id)
  const own = Object.fromEntries(
    (row?.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => [name, params[name] ?? '']),
  )
  return host.ask(id, { params: own, body })
}

/** Bodies that look plausible and that no document names. */
const guesses: readonly (readonly [string, object, Partial<Record<'unknown' | 'missing' | 'wrong', string[]>>])[] = [
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

describe('the host accepts what is documented, and nothing else', () => {
  test.each(guesses)('%s %j is refused by name', async (id, body, expected) => {
    const before = JSON.stringify(host.host.state.library.sets)
    const { status, json } = await ask(id, { ...body, ...(id === 'uiState.apply' ? {} : { confirm }) })
    expect([status, json.error?.code]).toEqual([422, 'BODY_INVALID'])
    expect(json.error?.details).toEqual({ unknown: [], missing: [], wrong: [], ...expected })
    expect(json['persisted']).toBeUndefined()
    expect(JSON.stringify(host.host.state.library.sets)).toBe(before)
  })

  it('no write accepts an unknown member', async () => {
    const before = JSON.stringify(host.host.state.library.sets)
    const rows = endpoints.filter(
      ({ access, body, id }) => access !== 'read' && body && id !== 'pair.post' && id !== 'mcp.post',
    )
    for (const { id, confirm: gate } of rows) {
      const { status, json } = await ask(id, { nobodyKnowsThis: 1, ...(gate === 'body' ? { confirm } : {}) })
      expect([id, status]).toEqual([id, 422])
      if (!['bundles.prepare', 'writing.sessionPause'].includes(id))
        expect(json.error?.details).toMatchObject({ unknown: ['nobodyKnowsThis'] })
    }
    expect(JSON.stringify(host.host.state.library.sets)).toBe(before)
  })

  it('exactly one alternative must be chosen', async () => {
    const error = async (id: string, body: object) => (await ask(id, { ...body, confirm })).json.error?.code
    const entries = [{ title: 'One', page: 1, level: 0 }]
    for (const body of [{}, { entries, useOriginal: true }, { useOriginal: true, useAI: true }]) {
      expect(await error('documents.toc', body)).toBe('BODY_INVALID')
    }
    const move = { noteIds: [noteid], targetParentNoteId: noteid }
    for (const body of [{ noteIds: [noteid] }, { ...move, moves: [move] }])
      expect(await error('notes.move', body)).toBe('BODY_INVALID')
  })

  it('more than the limit is refused, counting batches together', async () => {
    const many = (count: number) => Array.from({ length: count }, () => noteid)
    const error = async (id: string, body: object) => (await ask(id, { ...body, confirm })).json.error
    expect(await error('notes.delete', { noteIds: many(51) })).toMatchObject({
      details: { wrong: ['noteIds (51 of at most 50)'] },
    })
    const moves = [many(30), many(21)].map((noteIds) => ({ noteIds, targetParentNoteId: noteid }))
    expect(await error('notes.move', { moves })).toMatchObject({
      details: { wrong: ['moves.noteIds (51 of at most 50)'] },
    })
    const hashtags = Array.from({ length: 101 }, (_, at) => `#t${at}`)
    expect(await error('notes.hashtags', { noteIds: [noteid], operation: 'add', hashtags })).toMatchObject({
      details: { wrong: ['hashtags (101 of at most 100)'] },
    })
    const cards = many(51).map((sourceNoteId) => ({ sourceNoteId }))
    expect(await error('decks.addCards', { cards })).toMatchObject({ details: { wrong: ['cards (51 of at most 50)'] } })
  })

  it('a real dry run performs its checks; elsewhere nothing is checked', async () => {
    const code = async (id: string, body: object) => (await ask(id, body)).json.error?.code
    expect(await code('notes.delete', { noteIds: ['NOBODY'] })).toBe('NOTE_NOT_FOUND')
    expect(await code('notes.copy', { parent: noteid })).toBe('BODY_INVALID')
    expect(
      await code('documents.toc', {
        entries: [
          { title: 'a', page: 9, level: 0 },
          { title: 'b', page: 2, level: 0 },
        ],
      }),
    ).toBe('PARAMETER_INVALID')
    expect(await code('notes.move', { noteIds: ['NOBODY'] })).toBe('CONFIRM_REQUIRED')
    expect(await code('decks.addCards', { cards: [{ sourceNoteId: 'NOBODY' }] })).toBe('CONFIRM_REQUIRED')
  })
})

describe('HTTP', () => {
  const file = async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'audio'),
    )
    const contentId = card?.parts.find(({ kind }) => kind === 'audio')?.contentId ?? ''
    return `/notes/${card?.noteid ?? ''}/content/${contentId}`
  }

  it('a HEAD has the head of the answer and no body', async () => {
    const path = await file()
    const [whole, head] = [await host.send('GET', path), await host.send('HEAD', path)]
    expect([head.status, head.bytes.byteLength]).toEqual([200, 0])
    for (const name of ['content-length', 'content-type', 'etag'])
      expect(head.headers.get(name), name).toBe(whole.headers.get(name))
    expect((await host.send('HEAD', '/decks')).status).toBe(200)
    expect((await host.send('HEAD', '/decks', { token: null })).status).toBe(401)
  })

  it('a part is returned only of the same bytes as the first', async () => {
    const path = await file()
    const etag = (await host.send('HEAD', path)).headers.get('etag') ?? ''
    const part = (ifRange: string) => host.send('GET', path, { headers: { range: 'bytes=0-9', 'if-range': ifRange } })
    const [same, other] = [await part(etag), await part('"another"')]
    expect([same.status, same.bytes.byteLength]).toEqual([206, 10])
    expect([other.status, other.bytes.byteLength > 10]).toEqual([200, true])
  })

  it('a wrong method is told the allowed ones, and the channel accepts only POST', async () => {
    const wrong = await host.send('PUT', '/decks')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await host.send('GET', '/notes/move')).headers.get('allow')).toBe('POST')
    const channel = await host.send('GET', '/mcp')
    expect([channel.status, channel.json.error?.code]).toEqual([501, 'NOT_IMPLEMENTED'])
    expect((await host.send('GET', '/never/heard/of')).status).toBe(404)
  })
})
