import { PNG } from 'pngjs'
import { PDFDocument } from 'pdf-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, listProblems, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let topicid = ''
let noteid = ''
let masked = { noteid: '', contentId: '' }
let media = { noteid: '', audio: '', video: '', videoNote: '' }
let book = { bookmd5: '', page: 1, contentId: '' }

beforeAll(async () => {
  host = await startDemo()
  const { library } = host.host.state
  const set = library.sets[0]
  const cards = [...library.cards.values()]
  topicid = set?.topicid ?? ''
  noteid = set?.cards[2]?.noteid ?? ''
  const withMasks = cards.find((card) => card.parts.some((part) => part.masks))
  masked = { noteid: withMasks?.noteid ?? '', contentId: withMasks?.parts.find((part) => part.masks)?.contentId ?? '' }
  const audio = cards.find((card) => card.parts.some((part) => part.kind === 'audio'))
  const video = cards.find((card) => card.parts.some((part) => part.kind === 'video'))
  media = {
    noteid: audio?.noteid ?? '',
    audio: audio?.parts.find((part) => part.kind === 'audio')?.contentId ?? '',
    video: video?.parts.find((part) => part.kind === 'video')?.contentId ?? '',
    videoNote: video?.noteid ?? '',
  }
  const document = [...library.books.values()].find(({ pages }) => pages.some(({ parts }) => parts.length > 0))
  const index = document?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0
  book = {
    bookmd5: document?.bookmd5 ?? '',
    page: index + 1,
    contentId: document?.pages[index]?.parts[0]?.contentId ?? '',
  }
})
afterAll(() => host.host.close())

describe('documented reads', () => {
  const createBodies = (): Readonly<Record<string, object>> => ({
    'notes.batchGet': { noteIds: [noteid] },
    'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
    'documents.locate': { text: 'the', page: 1 },
  })
  const createPathValues = (): Record<string, string> => ({
    topicid,
    noteid: masked.noteid,
    bookmd5: book.bookmd5,
    index: String(book.page),
    deckId: host.host.state.library.decks[0]?.deckId ?? '',
    bundleId: 'bundle-1',
  })
  it.each(endpoints.filter(({ access, id }) => access === 'read' && id !== 'writing.pencilResult').map(({ id }) => id))(
    '%s returns what the table promises',
    async (id) => {
      const row = endpoints.find((some) => some.id === id)
      if (!row) throw new Error(id)
      const params: Record<string, string> = {}
      const query: Record<string, string> = {}
      for (const { in: place, name, required } of row.parameters) {
        if (place === 'path')
          params[name] = createPathValues()[name] ?? (id.startsWith('notes.') ? masked.contentId : book.contentId)
        else if (required) query[name] = 'a'
      }
      const response = await host.ask(id, { params, query, ...(row.body ? { body: createBodies()[id] ?? {} } : {}) })
      expect(response.status).toBe(200)
      if (row.response.kind === 'json') expect(listProblems(row.id, response.json)).toEqual([])
      else expect(response.bytes.byteLength).toBeGreaterThan(10)
    },
  )
})

describe('card listing (spec §4, §8)', () => {
  const getGeneratedTopicId = (): string => host.host.state.generatedSet.topicid

  async function readAll(query: Record<string, string | number>) {
    const pages: Record<string, unknown>[] = []
    let cursor: unknown = null
    do {
      const { json } = await host.ask('studySets.tree', {
        params: { topicid: getGeneratedTopicId() },
        query: { ...query, ...(cursor ? { cursor: String(cursor) } : {}) },
      })
      pages.push(json)
      cursor = json['nextCursor']
    } while (cursor !== null)
    return pages
  }
  const collectNodes = (pages: Record<string, unknown>[]) =>
    pages.flatMap(
      (page) => page['nodes'] as { noteid: string; parent: string | null; docPage?: number; docBookmd5?: string }[],
    )

  it('respects the limit, reports whether there are more pages, and has the total on the first', async () => {
    const pages = await readAll({ limit: 600 })
    expect(pages.map((page) => (page['nodes'] as unknown[]).length)).toEqual([600, 600, 600, 200])
    expect(pages.map((page) => page['truncated'])).toEqual([true, true, true, false])
    expect(pages.every((page) => page['nodeTotal'] === 2_000 && page['walkLimitReached'] === false)).toBe(true)
    const ids = collectNodes(pages).map((node) => node.noteid)
    expect(new Set(ids).size).toBe(2_000)
    const earlierIds = new Set<string>()
    for (const node of collectNodes(pages)) {
      expect(node.parent === null || earlierIds.has(node.parent)).toBe(true)
      earlierIds.add(node.noteid)
    }
  })

  it('keeps the document order across pages, with docPage and docBookmd5', async () => {
    const pages = await readAll({ limit: 700, sort: 'document' })
    expect(pages.every((page) => page['sort'] === 'document')).toBe(true)
    const nodes = collectNodes(pages)
    expect(nodes.length).toBe(2_000)
    for (let index = 1; index < nodes.length; index += 1) {
      const [before, after] = [nodes[index - 1], nodes[index]]
      if (before?.docBookmd5 === after?.docBookmd5)
        expect(before?.docPage ?? 0).toBeLessThanOrEqual(after?.docPage ?? 0)
    }
    const unsorted = await readAll({ limit: 5000 })
    expect(unsorted[0]).not.toHaveProperty('sort')
    expect(collectNodes(unsorted)[0]).not.toHaveProperty('docPage')
  })

  it('reads only one sub-map with root', async () => {
    const { json } = await host.ask('studySets.subMaps', { params: { topicid } })
    const [map] = json['subMaps'] as { noteid: string }[]
    const tree = await host.ask('studySets.tree', { params: { topicid }, query: { root: map?.noteid ?? '' } })
    const nodes = tree.json['nodes'] as { noteid: string; parent: string }[]
    expect(nodes[0]?.noteid).toBe(map?.noteid)
    // The host counts the whole tree, whichever part is read.
    const fullTree = await host.ask('studySets.tree', { params: { topicid }, query: { limit: 1 } })
    expect(tree.json['nodeTotal']).toBe(fullTree.json['nodeTotal'])
    expect(nodes.length).toBeLessThan(Number(tree.json['nodeTotal']))
    const inside = new Set(nodes.map((node) => node.noteid))
    expect(nodes.slice(1).every((node) => inside.has(node.parent))).toBe(true)
    expect((await host.ask('studySets.tree', { params: { topicid }, query: { root: 'nobody' } })).status).toBe(404)
  })

  it('lists the cards with each tag with withNotes', async () => {
    const { json } = await host.ask('studySets.tree', { params: { topicid }, query: { withNotes: 1 } })
    const tags = json['hashtags'] as Record<string, string[]>
    const taggedCards =
      host.host.state.library.sets[0]?.cards.filter((card) => card.hashtags.includes('#review/weekly')) ?? []
    expect(tags['#review/weekly']).toEqual(taggedCards.map((card) => card.noteid))
  })

  it.each([['limit=0'], ['limit=5001'], ['limit=x'], ['cursor=zzz'], ['sort=title'], ['withNotes=2']])(
    'rejects %s with 422',
    async (query) => {
      const response = await host.send('GET', `/study-sets/${topicid}/tree?${query}`)
      expect(response.status).toBe(422)
      expect(response.json.error?.code).toBe('PARAMETER_INVALID')
    },
  )

  it('reports a listing truncated at the walk limit', async () => {
    const capped = await startDemo({ walkLimit: 150 })
    const first = await capped.ask('studySets.tree', {
      params: { topicid: capped.host.state.generatedSet.topicid },
      query: { limit: 100 },
    })
    const last = await capped.ask('studySets.tree', {
      params: { topicid: capped.host.state.generatedSet.topicid },
      query: { limit: 100, cursor: String(first.json['nextCursor']) },
    })
    expect([last.json['nextCursor'], last.json['walkLimitReached'], last.json['truncated']]).toEqual([null, true, true])
    expect((last.json['nodes'] as unknown[]).length).toBe(50)
    await capped.host.close()
  })
})

describe('excerpts (spec §2, §4)', () => {
  it('are counted, filtered by study set, or reduced to duplicates', async () => {
    const params = { bookmd5: book.bookmd5 }
    const all = (await host.ask('documents.excerpts', { params })).json
    const items = all['items'] as { topicid: string; cardNoteId: string; noteid: string }[]
    expect(all['total']).toBe(items.length)
    expect(all['topicCount']).toBe(new Set(items.map((item) => item.topicid)).size)
    expect((all['duplicates'] as unknown[]).length).toBeGreaterThan(0)
    expect(items.every((item) => item.noteid !== item.cardNoteId)).toBe(true)
    const ofStudySet = (await host.ask('documents.excerpts', { params, query: { studySet: topicid } })).json
    expect((ofStudySet['items'] as { topicid: string }[]).every((item) => item.topicid === topicid)).toBe(true)
    const duplicatesOnly = (await host.ask('documents.excerpts', { params, query: { duplicatesOnly: 1 } })).json
    expect([duplicatesOnly['items'], (duplicatesOnly['duplicates'] as unknown[]).length > 0]).toEqual([[], true])
  })

  it('are reported as truncated at the limit', async () => {
    const capped = await startDemo({ excerptLimit: 5 })
    const { json } = await capped.ask('documents.excerpts', { params: { bookmd5: book.bookmd5 } })
    expect([(json['items'] as unknown[]).length, json['truncated']]).toEqual([5, true])
    await capped.host.close()
  })
})

describe('content (spec §4)', () => {
  const fetchLongestEdge = async (maxEdge: number): Promise<number> => {
    const params = { bookmd5: book.bookmd5, index: String(book.page), contentId: book.contentId }
    const { bytes } = await host.ask('documents.pageContent', { params, query: { maxEdge } })
    const { width, height } = PNG.sync.read(Buffer.from(bytes))
    return Math.max(width, height)
  }

  it('is resized to maxEdge', async () => {
    expect(await fetchLongestEdge(64)).toBe(64)
    expect(await fetchLongestEdge(500)).toBe(500)
    const refused = await host.send('GET', `/notes/${masked.noteid}/content/${masked.contentId}?maxEdge=63`)
    expect(refused.status).toBe(422)
  })

  it('hides masked parts with composite, and shows them with base', async () => {
    const params = masked
    const composite = await host.ask('notes.content', { params, query: { layers: 'composite' } })
    const base = await host.ask('notes.content', { params, query: { layers: 'base' } })
    const plain = await host.ask('notes.content', { params })
    expect(Buffer.from(composite.bytes).equals(base.bytes)).toBe(false)
    expect(Buffer.from(composite.bytes).equals(plain.bytes)).toBe(true)
  })

  it('includes complete audio and video files that can be read in ranges', async () => {
    const params = { noteid: media.noteid, contentId: media.audio }
    const completeFile = await host.ask('notes.content', { params })
    expect(completeFile.type).toBe('audio/wav')
    expect(new TextDecoder().decode(completeFile.bytes.subarray(0, 4))).toBe('RIFF')
    const part = await host.ask('notes.content', { params, headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${completeFile.bytes.length}`])
    expect(Buffer.from(part.bytes).equals(completeFile.bytes.subarray(10, 20))).toBe(true)
    const past = await host.ask('notes.content', { params, headers: { range: `bytes=${completeFile.bytes.length}-` } })
    expect(past.status).toBe(416)
    const video = await host.ask('notes.content', { params: { noteid: media.videoNote, contentId: media.video } })
    expect([video.type, video.bytes.length > 1_000]).toEqual(['video/webm', true])
  })

  it('includes a card rendered as PNG and PDF', async () => {
    const image = await host.ask('notes.render', {
      params: { noteid: masked.noteid },
      query: { format: 'png', width: 400 },
    })
    expect(PNG.sync.read(Buffer.from(image.bytes)).width).toBe(400)
    const pdf = await host.ask('notes.render', { params: { noteid: masked.noteid }, query: { format: 'pdf' } })
    expect((await PDFDocument.load(pdf.bytes)).getPageCount()).toBeGreaterThan(0)
  })
})

describe('generated library', () => {
  it('has the same ids, titles and pictures for the same seed', async () => {
    const sameSeed = await startDemo()
    const path = `/study-sets/${topicid}/tree`
    expect(Buffer.from((await sameSeed.send('GET', path)).bytes).equals((await host.send('GET', path)).bytes)).toBe(
      true,
    )
    const other = await startDemo({ seed: 1 })
    expect((await other.send('GET', path)).status).toBe(404)
    await Promise.all([sameSeed.host.close(), other.host.close()])
  })

  it('can have a million cards at once', async () => {
    const large = await startDemo({ nodes: 1_000_000 })
    const { json } = await large.ask('studySets.tree', { params: { topicid: large.host.state.generatedSet.topicid } })
    expect([json['nodeTotal'], (json['nodes'] as unknown[]).length]).toEqual([1_000_000, 5_000])
    await large.host.close()
  })
})
