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
  const at = document?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0
  book = { bookmd5: document?.bookmd5 ?? '', page: at + 1, contentId: document?.pages[at]?.parts[0]?.contentId ?? '' }
})
afterAll(() => host.host.close())

describe('every read returns what the table promises', () => {
  const bodies = (): Readonly<Record<string, object>> => ({
    'notes.batchGet': { noteIds: [noteid] },
    'studySets.printPreview': { mode: 'keepStructure', densityValue: 0.4 },
    'documents.locate': { text: 'the', page: 1 },
  })
  const values = (): Record<string, string> => ({
    topicid,
    noteid: masked.noteid,
    bookmd5: book.bookmd5,
    index: String(book.page),
    deckId: host.host.state.library.decks[0]?.deckId ?? '',
    bundleId: 'bundle-1',
  })
  it.each(endpoints.filter(({ access, id }) => access === 'read' && id !== 'writing.pencilResult').map(({ id }) => id))(
    '%s',
    async (id) => {
      const row = endpoints.find((one) => one.id === id)
      if (!row) throw new Error(id)
      const params: Record<string, string> = {}
      const query: Record<string, string> = {}
      for (const { in: place, name, required } of row.parameters) {
        if (place === 'path')
          params[name] = values()[name] ?? (id.startsWith('notes.') ? masked.contentId : book.contentId)
        else if (required) query[name] = 'a'
      }
      const answer = await host.ask(id, { params, query, ...(row.body ? { body: bodies()[id] ?? {} } : {}) })
      expect(answer.status).toBe(200)
      if (row.response.kind === 'json') expect(listProblems(row.id, answer.json)).toEqual([])
      else expect(answer.bytes.byteLength).toBeGreaterThan(10)
    },
  )
})

describe('the card listing (spec §4, §8)', () => {
  const generated = (): string => host.host.state.generatedSet.topicid

  async function readAll(query: Record<string, string | number>) {
    const pages: Record<string, unknown>[] = []
    let cursor: unknown = null
    do {
      const { json } = await host.ask('studySets.tree', {
        params: { topicid: generated() },
        query: { ...query, ...(cursor ? { cursor: String(cursor) } : {}) },
      })
      pages.push(json)
      cursor = json['nextCursor']
    } while (cursor !== null)
    return pages
  }
  const nodesOf = (pages: Record<string, unknown>[]) =>
    pages.flatMap(
      (page) => page['nodes'] as { noteid: string; parent: string | null; docPage?: number; docBookmd5?: string }[],
    )

  it('pages respect the limit, the flags say whether there are more, and the first has the total', async () => {
    const pages = await readAll({ limit: 600 })
    expect(pages.map((page) => (page['nodes'] as unknown[]).length)).toEqual([600, 600, 600, 200])
    expect(pages.map((page) => page['truncated'])).toEqual([true, true, true, false])
    expect(pages.every((page) => page['nodeTotal'] === 2_000 && page['walkLimitReached'] === false)).toBe(true)
    const ids = nodesOf(pages).map((node) => node.noteid)
    expect(new Set(ids).size).toBe(2_000)
    const seen = new Set<string>()
    for (const node of nodesOf(pages)) {
      expect(node.parent === null || seen.has(node.parent)).toBe(true)
      seen.add(node.noteid)
    }
  })

  it('sort=document holds across pages and carries docPage and docBookmd5', async () => {
    const pages = await readAll({ limit: 700, sort: 'document' })
    expect(pages.every((page) => page['sort'] === 'document')).toBe(true)
    const nodes = nodesOf(pages)
    expect(nodes.length).toBe(2_000)
    for (let at = 1; at < nodes.length; at += 1) {
      const [before, after] = [nodes[at - 1], nodes[at]]
      if (before?.docBookmd5 === after?.docBookmd5) expect(before?.docPage).toBeLessThanOrEqual(after?.docPage ?? 0)
    }
    const unsorted = await readAll({ limit: 5000 })
    expect(unsorted[0]).not.toHaveProperty('sort')
    expect(nodesOf(unsorted)[0]).not.toHaveProperty('docPage')
  })

  it('root reads only that sub-map', async () => {
    const { json } = await host.ask('studySets.subMaps', { params: { topicid } })
    const [map] = json['subMaps'] as { noteid: string }[]
    const tree = await host.ask('studySets.tree', { params: { topicid }, query: { root: map?.noteid ?? '' } })
    const nodes = tree.json['nodes'] as { noteid: string; parent: string }[]
    expect(nodes[0]?.noteid).toBe(map?.noteid)
    expect(tree.json['nodeTotal']).toBe(nodes.length)
    const inside = new Set(nodes.map((node) => node.noteid))
    expect(nodes.slice(1).every((node) => inside.has(node.parent))).toBe(true)
    expect((await host.ask('studySets.tree', { params: { topicid }, query: { root: 'nobody' } })).status).toBe(404)
  })

  it('withNotes lists, under each tag, the cards that have it', async () => {
    const { json } = await host.ask('studySets.tree', { params: { topicid }, query: { withNotes: 1 } })
    const tags = json['hashtags'] as Record<string, string[]>
    const held = host.host.state.library.sets[0]?.cards.filter((card) => card.hashtags.includes('#review/weekly')) ?? []
    expect(tags['#review/weekly']).toEqual(held.map((card) => card.noteid))
  })

  it.each([['limit=0'], ['limit=5001'], ['limit=x'], ['cursor=zzz'], ['sort=title'], ['withNotes=2']])(
    '%s is 422',
    async (query) => {
      const answer = await host.send('GET', `/study-sets/${topicid}/tree?${query}`)
      expect(answer.status).toBe(422)
      expect(answer.json.error?.code).toBe('PARAMETER_INVALID')
    },
  )

  it('says when the traversal cap cuts the listing', async () => {
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
  it('counts, filters by study set, and lists only duplicates', async () => {
    const params = { bookmd5: book.bookmd5 }
    const all = (await host.ask('documents.excerpts', { params })).json
    const items = all['items'] as { topicid: string; cardNoteId: string; noteid: string }[]
    expect(all['total']).toBe(items.length)
    expect(all['topicCount']).toBe(new Set(items.map((item) => item.topicid)).size)
    expect((all['duplicates'] as unknown[]).length).toBeGreaterThan(0)
    expect(items.every((item) => item.noteid !== item.cardNoteId)).toBe(true)
    const one = (await host.ask('documents.excerpts', { params, query: { studySet: topicid } })).json
    expect((one['items'] as { topicid: string }[]).every((item) => item.topicid === topicid)).toBe(true)
    const only = (await host.ask('documents.excerpts', { params, query: { duplicatesOnly: 1 } })).json
    expect([only['items'], (only['duplicates'] as unknown[]).length > 0]).toEqual([[], true])
  })

  it('says when the cap cuts the list', async () => {
    const capped = await startDemo({ excerptLimit: 5 })
    const { json } = await capped.ask('documents.excerpts', { params: { bookmd5: book.bookmd5 } })
    expect([(json['items'] as unknown[]).length, json['truncated']]).toEqual([5, true])
    await capped.host.close()
  })
})

describe('content (spec §4)', () => {
  const edge = async (maxEdge: number): Promise<number> => {
    const params = { bookmd5: book.bookmd5, index: String(book.page), contentId: book.contentId }
    const { bytes } = await host.ask('documents.pageContent', { params, query: { maxEdge } })
    const { width, height } = PNG.sync.read(Buffer.from(bytes))
    return Math.max(width, height)
  }

  it('maxEdge really resizes', async () => {
    expect(await edge(64)).toBe(64)
    expect(await edge(500)).toBe(500)
    const refused = await host.send('GET', `/notes/${masked.noteid}/content/${masked.contentId}?maxEdge=63`)
    expect(refused.status).toBe(422)
  })

  it('composite hides what base shows', async () => {
    const params = masked
    const composite = await host.ask('notes.content', { params, query: { layers: 'composite' } })
    const base = await host.ask('notes.content', { params, query: { layers: 'base' } })
    const plain = await host.ask('notes.content', { params })
    expect(Buffer.from(composite.bytes).equals(base.bytes)).toBe(false)
    expect(Buffer.from(composite.bytes).equals(plain.bytes)).toBe(true)
  })

  it('audio and video are whole files that can be read in ranges', async () => {
    const params = { noteid: media.noteid, contentId: media.audio }
    const whole = await host.ask('notes.content', { params })
    expect(whole.type).toBe('audio/wav')
    expect(new TextDecoder().decode(whole.bytes.subarray(0, 4))).toBe('RIFF')
    const part = await host.ask('notes.content', { params, headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.bytes.length}`])
    expect(Buffer.from(part.bytes).equals(whole.bytes.subarray(10, 20))).toBe(true)
    const past = await host.ask('notes.content', { params, headers: { range: `bytes=${whole.bytes.length}-` } })
    expect(past.status).toBe(416)
    const video = await host.ask('notes.content', { params: { noteid: media.videoNote, contentId: media.video } })
    expect([video.type, video.bytes.length > 1_000]).toEqual(['video/webm', true])
  })

  it('renders a card as PNG and PDF', async () => {
    const image = await host.ask('notes.render', {
      params: { noteid: masked.noteid },
      query: { format: 'png', width: 400 },
    })
    expect(PNG.sync.read(Buffer.from(image.bytes)).width).toBe(400)
    const pdf = await host.ask('notes.render', { params: { noteid: masked.noteid }, query: { format: 'pdf' } })
    expect((await PDFDocument.load(pdf.bytes)).getPageCount()).toBeGreaterThan(0)
  })
})

describe('the same seed gives the same library', () => {
  it('ids, titles and pictures', async () => {
    const again = await startDemo()
    const path = `/study-sets/${topicid}/tree`
    expect(Buffer.from((await again.send('GET', path)).bytes).equals((await host.send('GET', path)).bytes)).toBe(true)
    const other = await startDemo({ seed: 1 })
    expect((await other.send('GET', path)).status).toBe(404)
    await Promise.all([again.host.close(), other.host.close()])
  })

  it('a million cards are there at once', async () => {
    const large = await startDemo({ nodes: 1_000_000 })
    const { json } = await large.ask('studySets.tree', { params: { topicid: large.host.state.generatedSet.topicid } })
    expect([json['nodeTotal'], (json['nodes'] as unknown[]).length]).toEqual([1_000_000, 5_000])
    await large.host.close()
  })
})
