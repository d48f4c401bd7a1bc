import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStudySet } from '../../../electron/demo-host/library/generated-set.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

const CARD_COUNT = 6_000
let host: DemoConnection
let topicid = ''
let getNoteId: (index: number) => string

beforeAll(async () => {
  host = await startDemo({ nodes: CARD_COUNT, excerptLimit: 100 })
  topicid = host.host.state.generatedSet.topicid
  getNoteId = (index) => host.host.state.generatedSet.getNoteid(index)
})
afterAll(() => host.host.close())

interface ListingNode {
  readonly noteid: string
  readonly parent: string | null
  readonly depth: number
  readonly childCount: number
  readonly title: string
  readonly subMapId?: string
  readonly docPage?: number
  readonly docBookmd5?: string | null
}

async function readListing(query: Record<string, string | number> = {}): Promise<ListingNode[]> {
  const nodes: ListingNode[] = []
  let cursor: string | null = null
  do {
    const more: Record<string, string | number> = cursor === null ? query : { ...query, cursor }
    const { json } = await host.ask('studySets.tree', { params: { topicid }, query: more })
    nodes.push(...(json['nodes'] as ListingNode[]))
    cursor = json['nextCursor'] as string | null
  } while (cursor !== null)
  return nodes
}

describe('generated study set', () => {
  it('is a tree in preorder with correct depths and child counts', async () => {
    const nodes = await readListing()
    const depths = new Map<string, number>()
    const children = new Map<string, number>()
    for (const { noteid, parent, depth } of nodes) {
      expect(depth).toBe(parent === null ? 0 : (depths.get(parent) ?? Number.NaN) + 1)
      depths.set(noteid, depth)
      if (parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1)
    }
    expect(nodes.length).toBe(CARD_COUNT)
    for (const { noteid, childCount } of nodes) expect(childCount).toBe(children.get(noteid) ?? 0)
    expect(Math.max(...depths.values())).toBeGreaterThan(6)
  })

  it('stores a new title, and shows it in the tree', async () => {
    const noteid = getNoteId(11)
    const before = (await readListing())[11]
    const title = 'A "quoted" \\ title\n'.padEnd(90, '…')
    const done = await host.ask('notes.title', { params: { noteid }, body: { text: title, confirm: true } })
    expect(done.json['persisted']).toBe(true)
    const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
    expect((json['items'] as ListingNode[])[0]?.title).toBe(title)
    expect((await readListing())[11]).toEqual({ ...before, title: title.slice(0, 64) })
  })

  it('stores bands and verdicts', async () => {
    const noteid = getNoteId(12)
    await host.ask('notes.blankBands', { params: { noteid }, body: { confirm: true } })
    const secondBand = await host.ask('notes.blankBands', { params: { noteid }, body: { confirm: true } })
    expect((secondBand.json['bands'] as unknown[]).length).toBe(2)
    const body = { expectedRevision: '3', self: 'again', practice: { topic: topicid }, confirm: true }
    const verdict = await host.ask('notes.practiceVerdict', { params: { noteid }, body })
    expect(verdict.json).toMatchObject({ persisted: true, tagsChanged: true, commentsRevision: '4' })
    const repeated = await host.ask('notes.practiceVerdict', {
      params: { noteid },
      body: { ...body, expectedRevision: '4' },
    })
    expect(repeated.json).toMatchObject({ persisted: true, tagsChanged: false, commentsRevision: '5' })
  })

  it('refuses every change of its structure', async () => {
    const before = await readListing()
    const cardOfOtherSet = host.host.state.library.sets[0]?.cards[0]?.noteid ?? ''
    const noteIds = [getNoteId(3)]
    const refused = await Promise.all([
      host.ask('notes.delete', { body: { noteIds, confirm: true } }),
      host.ask('notes.move', { body: { noteIds, targetParentNoteId: cardOfOtherSet, confirm: true } }),
      host.ask('notes.move', { body: { noteIds: [cardOfOtherSet], targetParentNoteId: getNoteId(3), confirm: true } }),
      host.ask('notes.copy', { body: { noteIds, targetParentNoteId: cardOfOtherSet, mode: 'clone', confirm: true } }),
      host.ask('notes.mergeBranch', { params: { noteid: getNoteId(3) }, body: { confirm: true } }),
      host.ask('studySets.createSnapshot', { params: { topicid }, body: {} }),
      host.ask('studySets.delete', { params: { topicid }, body: { expectedTitle: 'x', confirm: true } }),
    ])
    for (const { status, json } of refused) expect([status, json.error?.code]).toEqual([409, 'STUDY_SET_FIXED'])
    expect(await readListing()).toEqual(before)
  })

  it('lists the documents of its cards, with excerpts truncated at the limit', async () => {
    const { json } = await host.ask('studySets.documents', { params: { topicid } })
    const documents = json['documents'] as { bookmd5: string; excerptCount: number; pageCount: number }[]
    const sorted = await readListing({ sort: 'document' })
    const bookmd5s = sorted.map(({ docBookmd5 }) => docBookmd5)
    expect(new Set(bookmd5s)).toEqual(new Set([...documents.map((document) => document.bookmd5), null]))
    const inDocuments = bookmd5s.filter((bookmd5) => bookmd5 !== null).length
    expect(bookmd5s.indexOf(null)).toBe(inDocuments)
    expect(documents.reduce((sum, { excerptCount }) => sum + excerptCount, 0)).toBe(inDocuments)
    const [first] = documents
    expect(Math.max(...sorted.map(({ docPage }) => docPage ?? 0))).toBeLessThanOrEqual(first?.pageCount ?? 0)
    const params = { bookmd5: first?.bookmd5 ?? '' }
    const truncated = (await host.ask('documents.excerpts', { params })).json
    expect([truncated['total'], (truncated['items'] as unknown[]).length, truncated['truncated']]).toEqual([
      first?.excerptCount,
      100,
      true,
    ])
    const elsewhere = (await host.ask('documents.excerpts', { params, query: { studySet: 'OTHER' } })).json
    expect([elsewhere['total'], elsewhere['topicCount'], elsewhere['truncated']]).toEqual([0, 0, false])
  })

  it('counts cards by tag, including changed cards', async () => {
    await host.ask('notes.hashtags', {
      body: { noteIds: [getNoteId(1000)], operation: 'add', hashtags: ['#mine/new'], confirm: true },
    })
    const { json } = await host.ask('studySets.hashtags', { params: { topicid }, query: { withNotes: 1 } })
    const nodes = json['nodes'] as { path: string; derived: boolean; cardCount: number; noteIds: string[] }[]
    const findTag = (path: string) => nodes.find((node) => node.path === path)
    const { generatedSet } = host.host.state
    const hashtags = Array.from({ length: CARD_COUNT }, (_, index) => generatedSet.getCard(index).hashtags)
    const isBelow = (tag: string): boolean => tag.startsWith('#generated/')
    const cardCount = hashtags.filter((tags) => tags.some(isBelow)).length
    expect(findTag('#generated')).toMatchObject({ derived: true, cardCount, noteIds: [] })
    expect(findTag('#practice/question')?.cardCount).toBe(
      hashtags.filter((tags) => tags.includes('#practice/question')).length,
    )
    expect(findTag('#mine/new')).toMatchObject({ derived: false, cardCount: 1, noteIds: [getNoteId(1000)] })
    const tree = json['tree'] as { path: string; children: { path: string }[] }[]
    expect(tree.map(({ path }) => path)).toEqual(['#generated', '#mine', '#practice', '#review'])
    expect(tree[0]?.children.map(({ path }) => path)).toEqual(['#generated/exam', '#generated/重点'])
  })

  it('has each kind of content on some cards, and serves what it lists', async () => {
    interface Item {
      readonly parts: readonly { kind: string; contentPath?: string; contentId?: string; mimeType?: string }[]
      readonly bands?: readonly { physicalNoteId: string; hasInk: boolean }[]
      readonly practice: readonly unknown[]
      readonly hashtags: readonly string[]
      readonly metadata: { colorIndex: number }
    }
    const noteIds = Array.from({ length: 200 }, (_, index) => getNoteId(2_000 + index))
    const items = (await host.ask('notes.batchGet', { body: { noteIds } })).json['items'] as Item[]
    const shareOf = (isCounted: (item: Item) => boolean): number => items.filter(isCounted).length / items.length
    const hasPart = (kind: string) => (item: Item) => item.parts.some((part) => part.kind === kind)
    const shares = {
      ink: shareOf(hasPart('ink')),
      excerptImage: shareOf(hasPart('excerpt_image')),
      image: shareOf(hasPart('image')),
      audio: shareOf(hasPart('audio')),
      bands: shareOf(({ bands }) => bands !== undefined),
      practice: shareOf(({ practice }) => practice.length > 0),
      hashtags: shareOf(({ hashtags }) => hashtags.length > 0),
    }
    for (const [name, share] of Object.entries(shares)) {
      expect(share, name).toBeGreaterThan(0)
      expect(share, name).toBeLessThan(0.6)
    }
    expect(new Set(items.map(({ metadata }) => metadata.colorIndex)).size).toBeGreaterThan(4)
    const contents = items.flatMap(({ parts }) => parts.filter(({ contentPath }) => contentPath !== undefined))
    expect(new Set(contents.map(({ contentId }) => contentId)).size).toBe(contents.length)
    for (const kind of new Set(contents.map((part) => part.kind))) {
      const part = contents.find((candidate) => candidate.kind === kind)
      const response = await fetch(`${host.host.baseUrl}${part?.contentPath ?? ''}`, {
        headers: { authorization: `Bearer ${host.host.token}` },
      })
      expect(response.headers.get('content-type'), kind).toBe(part?.mimeType)
      expect((await response.arrayBuffer()).byteLength, kind).toBeGreaterThan(100)
    }
    const physicalNoteId = items.find(({ bands }) => bands !== undefined)?.bands?.[0]?.physicalNoteId ?? ''
    const blank = { params: { noteid: physicalNoteId }, body: { text: 'On the blank', confirm: true } }
    expect((await host.ask('notes.text', blank)).json).toMatchObject({ persisted: true })
  })

  it('lists sub-maps that can be read alone, also in document order', async () => {
    const { json } = await host.ask('studySets.subMaps', { params: { topicid } })
    const maps = json['subMaps'] as { noteid: string; cardCount: number; parentPath: string[]; depth: number }[]
    const marked = (await readListing()).filter(({ subMapId }) => subMapId !== undefined)
    expect(maps.map(({ noteid }) => noteid)).toEqual(marked.map(({ noteid }) => noteid))
    const [map] = maps
    expect(map?.parentPath.length).toBe(map?.depth)
    const plain = await readListing({ root: map?.noteid ?? '', limit: 3 })
    const sorted = await readListing({ root: map?.noteid ?? '', limit: 3, sort: 'document' })
    expect(plain.length).toBe(map?.cardCount)
    expect(new Set(sorted.map(({ noteid }) => noteid))).toEqual(new Set(plain.map(({ noteid }) => noteid)))
  })

  it('reports a truncated search', async () => {
    const noHits = await host.ask('search.get', { query: { q: 'no such words anywhere' } })
    expect(noHits.json).toMatchObject({ hits: [], truncated: false })
    const manyHits = await host.ask('search.get', { query: { q: 'e', scope: 'notes' } })
    expect([(manyHits.json['hits'] as unknown[]).length, manyHits.json['truncated']]).toEqual([200, true])
  })

  it('is the same for the same seed and size, and finds no foreign ids', () => {
    const [a, b] = [generateStudySet(7, 500), generateStudySet(7, 500)]
    for (let index = 0; index < 500; index += 1) {
      expect(a.toNodeJson(index, true)).toBe(b.toNodeJson(index, true))
      expect(a.findIndex(a.getNoteid(index))).toBe(index)
    }
    expect(generateStudySet(8, 500).findIndex(a.getNoteid(1))).toBe(-1)
    for (const other of ['', 'X', a.getNoteid(1).toLowerCase(), a.getNoteid(499).slice(0, -1), a.getNoteid(500)]) {
      expect(a.findIndex(other), other).toBe(-1)
    }
  })

  it('can be empty', async () => {
    const empty = await startDemo({ nodes: 0 })
    const params = { topicid: empty.host.state.generatedSet.topicid }
    const { json } = await empty.ask('studySets.tree', { params, query: { sort: 'document', withNotes: 1 } })
    expect(json).toMatchObject({ nodeTotal: 0, nodes: [], nextCursor: null, truncated: false, hashtags: {} })
    await empty.host.close()
  })
})
