import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStudySet } from '../../../electron/demo-host/library/generated-set.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

const COUNT = 6_000
let host: DemoConnection
let topicid = ''
let id: (index: number) => string

beforeAll(async () => {
  host = await startDemo({ nodes: COUNT, excerptLimit: 100 })
  topicid = host.host.state.generatedSet.topicid
  id = (index) => host.host.state.generatedSet.getNoteid(index)
})
afterAll(() => host.host.close())

interface Node {
  readonly noteid: string
  readonly parent: string | null
  readonly depth: number
  readonly childCount: number
  readonly title: string
  readonly subMapId?: string
  readonly docPage?: number
  readonly docBookmd5?: string
}

async function listing(query: Record<string, string | number> = {}): Promise<Node[]> {
  const nodes: Node[] = []
  let cursor: string | null = null
  do {
    const more: Record<string, string | number> = cursor === null ? query : { ...query, cursor }
    const { json } = await host.ask('studySets.tree', { params: { topicid }, query: more })
    nodes.push(...(json['nodes'] as Node[]))
    cursor = json['nextCursor'] as string | null
  } while (cursor !== null)
  return nodes
}

describe('the generated study set', () => {
  it('is a tree in preorder with correct depths and child counts', async () => {
    const nodes = await listing()
    const depths = new Map<string, number>()
    const children = new Map<string, number>()
    for (const { noteid, parent, depth } of nodes) {
      expect(depth).toBe(parent === null ? 0 : (depths.get(parent) ?? Number.NaN) + 1)
      depths.set(noteid, depth)
      if (parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1)
    }
    expect(nodes.length).toBe(COUNT)
    for (const { noteid, childCount } of nodes) expect(childCount).toBe(children.get(noteid) ?? 0)
    expect(Math.max(...depths.values())).toBeGreaterThan(6)
  })

  it('keeps what is written to a card, and shows it in the tree', async () => {
    const noteid = id(11)
    const before = (await listing())[11]
    const title = 'A "quoted" \\ title\n'.padEnd(90, '…')
    const done = await host.ask('notes.title', { params: { noteid }, body: { text: title, confirm: true } })
    expect(done.json['persisted']).toBe(true)
    const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
    expect((json['items'] as Node[])[0]?.title).toBe(title)
    expect((await listing())[11]).toEqual({ ...before, title: title.slice(0, 64) })
  })

  it('keeps bands and verdicts', async () => {
    const noteid = id(12)
    await host.ask('notes.blankBands', { params: { noteid }, body: { confirm: true } })
    const two = await host.ask('notes.blankBands', { params: { noteid }, body: { confirm: true } })
    expect((two.json['bands'] as unknown[]).length).toBe(2)
    const body = { expectedRevision: '3', self: 'again', practice: { topic: topicid }, confirm: true }
    const verdict = await host.ask('notes.practiceVerdict', { params: { noteid }, body })
    expect(verdict.json).toMatchObject({ persisted: true, tagsChanged: true, commentsRevision: '4' })
    const again = await host.ask('notes.practiceVerdict', {
      params: { noteid },
      body: { ...body, expectedRevision: '4' },
    })
    expect(again.json).toMatchObject({ persisted: true, tagsChanged: false, commentsRevision: '5' })
  })

  it('never reports persisted for a change of its shape', async () => {
    const before = await listing()
    const small = host.host.state.library.sets[0]?.cards[0]?.noteid ?? ''
    const noteIds = [id(3)]
    const refused = await Promise.all([
      host.ask('notes.delete', { body: { noteIds, confirm: true } }),
      host.ask('notes.move', { body: { noteIds, targetParentNoteId: small, confirm: true } }),
      host.ask('notes.move', { body: { noteIds: [small], targetParentNoteId: id(3), confirm: true } }),
      host.ask('notes.copy', { body: { noteIds, targetParentNoteId: small, mode: 'clone', confirm: true } }),
      host.ask('notes.mergeBranch', { params: { noteid: id(3) }, body: { confirm: true } }),
      host.ask('studySets.createSnapshot', { params: { topicid }, body: {} }),
      host.ask('studySets.delete', { params: { topicid }, body: { expectedTitle: 'x', confirm: true } }),
    ])
    for (const { status, json } of refused) expect([status, json.error?.code]).toEqual([409, 'STUDY_SET_FIXED'])
    expect(await listing()).toEqual(before)
  })

  it('lists the documents its cards are anchored in, with excerpts cut at the cap', async () => {
    const { json } = await host.ask('studySets.documents', { params: { topicid } })
    const documents = json['documents'] as { bookmd5: string; excerptCount: number; pageCount: number }[]
    const sorted = await listing({ sort: 'document' })
    expect(new Set(sorted.map(({ docBookmd5 }) => docBookmd5))).toEqual(new Set(documents.map((one) => one.bookmd5)))
    expect(documents.reduce((sum, { excerptCount }) => sum + excerptCount, 0)).toBe(COUNT)
    const [first] = documents
    expect(Math.max(...sorted.map(({ docPage }) => docPage ?? 0))).toBeLessThanOrEqual(first?.pageCount ?? 0)
    const params = { bookmd5: first?.bookmd5 ?? '' }
    const cut = (await host.ask('documents.excerpts', { params })).json
    expect([cut['total'], (cut['items'] as unknown[]).length, cut['truncated']]).toEqual([
      first?.excerptCount,
      100,
      true,
    ])
    const elsewhere = (await host.ask('documents.excerpts', { params, query: { studySet: 'OTHER' } })).json
    expect([elsewhere['total'], elsewhere['topicCount'], elsewhere['truncated']]).toEqual([0, 0, false])
  })

  it('counts cards by tag, including changed cards', async () => {
    await host.ask('notes.hashtags', {
      body: { noteIds: [id(1000)], operation: 'add', hashtags: ['#mine/new'], confirm: true },
    })
    const { json } = await host.ask('studySets.hashtags', { params: { topicid }, query: { withNotes: 1 } })
    const nodes = json['nodes'] as { path: string; derived: boolean; cardCount: number; noteIds: string[] }[]
    const of = (path: string) => nodes.find((node) => node.path === path)
    expect(of('#generated')).toMatchObject({ derived: true, cardCount: 6, noteIds: [] })
    expect(of('#generated/重点')?.noteIds).toContain(id(1000))
    expect(of('#mine/new')).toMatchObject({ derived: false, cardCount: 1, noteIds: [id(1000)] })
    const tree = json['tree'] as { path: string; children: { path: string }[] }[]
    expect(tree.map(({ path }) => path)).toEqual(['#generated', '#mine', '#practice'])
    expect(tree[0]?.children.map(({ path }) => path)).toEqual(['#generated/重点'])
  })

  it('every sub-map in the listing can be read alone, also in document order', async () => {
    const { json } = await host.ask('studySets.subMaps', { params: { topicid } })
    const maps = json['subMaps'] as { noteid: string; cardCount: number; parentPath: string[]; depth: number }[]
    const marked = (await listing()).filter(({ subMapId }) => subMapId !== undefined)
    expect(maps.map(({ noteid }) => noteid)).toEqual(marked.map(({ noteid }) => noteid))
    const [map] = maps
    expect(map?.parentPath.length).toBe(map?.depth)
    const plain = await listing({ root: map?.noteid ?? '', limit: 3 })
    const sorted = await listing({ root: map?.noteid ?? '', limit: 3, sort: 'document' })
    expect(plain.length).toBe(map?.cardCount)
    expect(new Set(sorted.map(({ noteid }) => noteid))).toEqual(new Set(plain.map(({ noteid }) => noteid)))
  })

  it('a partial search says so', async () => {
    const small = await host.ask('search.get', { query: { q: 'no such words anywhere' } })
    expect(small.json).toMatchObject({ hits: [], truncated: false })
    const many = await host.ask('search.get', { query: { q: 'e', scope: 'notes' } })
    expect([(many.json['hits'] as unknown[]).length, many.json['truncated']]).toEqual([200, true])
  })

  it('is the same for the same seed and size, and claims no foreign ids', () => {
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

  it('may be empty', async () => {
    const empty = await startDemo({ nodes: 0 })
    const params = { topicid: empty.host.state.generatedSet.topicid }
    const { json } = await empty.ask('studySets.tree', { params, query: { sort: 'document', withNotes: 1 } })
    expect(json).toMatchObject({ nodeTotal: 0, nodes: [], nextCursor: null, truncated: false, hashtags: {} })
    await empty.host.close()
  })
})
