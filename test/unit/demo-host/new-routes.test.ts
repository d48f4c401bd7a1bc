import { PDFDocument } from 'pdf-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DemoStudySet } from '../../../electron/demo-host/library/model.ts'
import { startDemo, type DemoRequest, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let set: DemoStudySet
const confirm = true

beforeAll(async () => {
  host = await startDemo({ stepMs: 400 })
  const [, second] = host.host.state.library.sets
  if (!second) throw new Error('no study set')
  set = second
})
afterAll(() => host.host.close())

const of = async (id: string, asked: DemoRequest = {}) => (await host.ask(id, asked)).json
const code = async (id: string, asked: DemoRequest = {}) => {
  const { status, json } = await host.ask(id, asked)
  return [status, json.error?.code]
}

describe('the document library', () => {
  it('an uploaded file is a document of the library, its folder and the study set', async () => {
    const pdf = await PDFDocument.create()
    for (let page = 0; page < 3; page += 1) pdf.addPage()
    const bytes = await pdf.save()
    const send = (query: string) =>
      fetch(`${host.host.baseUrl}/library/documents/upload?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      }).then(async (answer) => ({ status: answer.status, json: (await answer.json()) as Record<string, unknown> }))
    const query = `filename=Notes.pdf&folder=Papers/2026&topicid=${set.topicid}`
    expect((await send(query)).json['error']).toMatchObject({ code: 'CONFIRM_REQUIRED' })
    expect((await send(`${query.replace('Notes.pdf', '..%2Fevil.pdf')}&confirm=1`)).status).toBe(422)
    const { json } = await send(`${query}&confirm=1`)
    expect(json).toMatchObject({ persisted: true, addedToStudySet: true, movedToFolder: true, warnings: [] })
    const bookmd5 = String(json['bookmd5'])
    expect(await of('documents.outline', { params: { bookmd5 } })).toMatchObject({ pageCount: 3, hasToc: false })
    expect(JSON.stringify(await of('studySets.documents', { params: { topicid: set.topicid } }))).toContain(bookmd5)
    const folder = await of('library.folders', { query: { path: 'Papers/2026' } })
    expect(folder['documents']).toEqual([{ bookmd5, title: 'Notes.pdf' }])
    expect((await send(`${query}&confirm=1`)).json).toMatchObject({ movedToFolder: false })
    const gone = await of('library.deleteDocument', { params: { bookmd5 }, body: { confirm } })
    expect(gone).toMatchObject({ persisted: true, removedFromLibrary: true })
    expect(await code('documents.outline', { params: { bookmd5 } })).toEqual([404, 'DOCUMENT_NOT_FOUND'])
  })

  it('a document with anchored cards stays', async () => {
    const bookmd5 = set.documents[0] ?? ''
    const { json } = await host.ask('library.deleteDocument', { params: { bookmd5 }, body: { confirm } })
    const details = json.error?.details as { notesAnchored: number }
    expect([json.error?.code, details.notesAnchored > 0]).toEqual(['DOCUMENT_IN_USE', true])
  })

  it('folders are a tree', async () => {
    interface Folder {
      readonly name: string
      readonly path: string
      readonly documentCount: number
      readonly folders?: readonly Folder[]
    }
    const root = (await of('library.folders', { query: { depth: 2 } })) as unknown as { folders: Folder[] }
    const textbooks = root.folders.find(({ name }) => name === 'Textbooks')
    const inner = textbooks?.folders ?? []
    expect(inner.reduce((sum, { documentCount }) => sum + documentCount, 0)).toBe(textbooks?.documentCount)
    const one = await of('library.folders', { query: { path: inner[0]?.path ?? '' } })
    expect((one['documents'] as unknown[]).length).toBe(inner[0]?.documentCount)
    expect(await code('library.folders', { query: { path: 'Nowhere' } })).toEqual([404, 'FOLDER_NOT_FOUND'])
  })
})

describe('documents of a study set', () => {
  it('one is added, again without effect, and removed with its consequences reported', async () => {
    const params = { topicid: set.topicid }
    const other = [...host.host.state.library.books.keys()].find((id) => !set.documents.includes(id)) ?? ''
    expect(await of('studySets.addDocuments', { params, body: { bookmd5: other, confirm } })).toMatchObject({
      addedToBooklist: true,
    })
    expect(await of('studySets.addDocuments', { params, body: { bookmd5: other, confirm } })).toMatchObject({
      alreadyPresent: true,
    })
    const main = set.documents[0] ?? ''
    const losing = set.cards.filter(({ docBookmd5 }) => docBookmd5 === main).length
    const asked = await of('studySets.removeDocument', { params: { ...params, bookmd5: main }, body: {} })
    expect(asked.error?.details).toEqual({ notesLosingSource: losing, newMainDocumentAfter: set.documents[1] })
    const done = await of('studySets.removeDocument', { params: { ...params, bookmd5: main }, body: { confirm } })
    expect(done).toMatchObject({ removed: true, preRemoveSnapshotId: expect.any(String) as string })
    expect(set.cards.filter(({ docBookmd5 }) => docBookmd5 === main)).toEqual([])
    const again = await of('studySets.removeDocument', { params: { ...params, bookmd5: main }, body: { confirm } })
    expect(again).toMatchObject({ removed: false, persisted: false })
    await host.ask('snapshots.restore', {
      params: { snapshotId: String(done['preRemoveSnapshotId']) },
      body: { confirm },
    })
    expect(set.cards.filter(({ docBookmd5 }) => docBookmd5 === main).length).toBe(losing)
  })

  it('a table of contents is written, clamped, and returned', async () => {
    const params = { bookmd5: set.documents[0] ?? '' }
    const outline = async () =>
      (await of('documents.outline', { params }))['segments'] as { title: string; startPage: number; level: number }[]
    const before = await outline()
    const entries = [
      { title: 'One', page: 1, level: 0 },
      { title: 'Deep', page: 2, level: 5 },
    ]
    const asked = await of('documents.toc', { params, body: { entries } })
    expect(asked.error).toMatchObject({
      code: 'CONFIRM_REQUIRED',
      details: { wouldWrite: 2, adjustedLevels: [{ index: 1, from: 5, to: 1 }] },
    })
    expect(await outline()).toEqual(before)
    await host.ask('documents.toc', { params, body: { entries, confirm } })
    expect((await outline()).map(({ title, startPage, level }) => [title, startPage, level])).toEqual([
      ['One', 1, 0],
      ['Deep', 2, 1],
    ])
    await host.ask('documents.toc', { params, body: { useOriginal: true, confirm } })
    expect(await outline()).toEqual(before)
  })

  it('a list being generated is waited for', async () => {
    const params = { bookmd5: set.documents[1] ?? '' }
    expect(await of('documents.toc', { params, body: { useAI: true, confirm } })).toMatchObject({ persisted: true })
    expect(await code('documents.toc', { params, body: { useOriginal: true, confirm } })).toEqual([
      409,
      'TOC_GENERATION_IN_PROGRESS',
    ])
    await expect
      .poll(() => code('documents.toc', { params, body: { useOriginal: true, confirm } }))
      .toEqual([200, undefined])
  })

  it('candidates arrive in parts, and a text is found only on its page', async () => {
    const params = { bookmd5: set.documents[0] ?? '' }
    const { pageCount } = (await of('documents.outline', { params })) as unknown as { pageCount: number }
    const first = await of('documents.tocCandidates', { params, query: { start: 1, end: Math.min(60, pageCount) } })
    expect(first).toMatchObject({ truncated: true, pagesScanned: 15, nextStart: 16 })
    const none = await of('documents.tocCandidates', { params, query: { start: pageCount + 1, end: pageCount + 2 } })
    expect([none['pagesScanned'], none['nextStart'], none['candidates']]).toEqual([0, undefined, []])
    const text = host.host.state.library.books.get(params.bookmd5)?.pages[1]?.text.split('\n')[0] ?? ''
    const locate = (body: object) => of('documents.locate', { params, body })
    expect(await locate({ text, page: 2 })).toMatchObject({ found: true, matchedText: text, algorithm: 'exact' })
    expect(await locate({ text: 'nothing like it', page: 2 })).toMatchObject({ found: false, reason: 'no_match' })
    expect(await locate({ text, page: 9999 })).toMatchObject({ found: false, reason: 'page_unreadable' })
    expect(await locate({ text, page: 2, navigate: true })).toMatchObject({
      navigated: false,
      reason: 'different_document_open',
    })
    await host.ask('studySets.open', { params: { topicid: set.topicid }, body: {} })
    expect(await locate({ text, page: 2, navigate: true })).toMatchObject({ navigated: true })
    expect(await of('context.get')).toMatchObject({ currentPage: { page: 2 } })
  })
})

describe('version points and study sets', () => {
  it('a second one with the same content is not created, and an open study set is not restored', async () => {
    const params = { topicid: set.topicid }
    await host.ask('studySets.open', { params, body: {} })
    const first = await of('studySets.createSnapshot', { params, body: { description: 'Mine' } })
    const second = await of('studySets.createSnapshot', { params, body: {} })
    expect([first['created'], second['created'], second['snapshotId'], second['persisted']]).toEqual([
      true,
      false,
      first['snapshotId'],
      undefined,
    ])
    const [listed] = (await of('studySets.snapshots', { params }))['snapshots'] as { description: string }[]
    expect(listed?.description).toBe('Agent: Mine')
    const restore = { params: { snapshotId: String(first['snapshotId']) } }
    expect((await of('snapshots.restore', { ...restore, body: {} })).error?.details).toMatchObject({
      snapshotDescription: 'Agent: Mine',
      noteCountInSnapshot: set.cards.length,
    })
    expect(await code('snapshots.restore', { ...restore, body: { confirm } })).toEqual([409, 'STUDY_SET_IN_USE'])
  })

  it('a deleted study set is restored from the version point created before', async () => {
    const made = await of('studySets.create', { body: { title: 'Short-lived', confirm } })
    const params = { topicid: String(made['topicid']) }
    const [root] = (await of('studySets.tree', { params }))['nodes'] as { title: string }[]
    expect([made['isStudySet'], root?.title]).toEqual([true, 'Short-lived'])
    const gone = await of('studySets.delete', { params, body: { expectedTitle: 'Short-lived', confirm } })
    expect(gone['removedFromLibrary']).toBe(true)
    expect(await code('studySets.tree', { params })).toEqual([404, 'TOPIC_NOT_FOUND'])
    await host.ask('snapshots.restore', {
      params: { snapshotId: String(gone['preDeleteSnapshotId']) },
      body: { confirm },
    })
    expect((await of('studySets.tree', { params }))['nodeTotal']).toBe(1)
  })

  it('a deck is not a study set, nor the reverse', async () => {
    const deckId = host.host.state.library.decks[1]?.deckId ?? ''
    expect(await code('studySets.open', { params: { topicid: deckId }, body: {} })).toEqual([422, 'IS_A_DECK'])
    expect(await code('decks.open', { params: { deckId: set.topicid }, body: {} })).toEqual([422, 'NOT_A_DECK'])
    await host.ask('decks.open', { params: { deckId }, body: {} })
    expect((await of('context.get'))['studySet']).toMatchObject({ topicid: deckId, isDeck: true })
    const made = await of('decks.create', { body: { title: 'D', confirm } })
    const cards = [{ sourceNoteId: set.cards[1]?.noteid, question: 'a {{gap}}' }]
    const add = (more: object[]) =>
      of('decks.addCards', { params: { deckId: String(made['deckId']) }, body: { cards: more, confirm } })
    expect([made['isDeck'], (await add(cards))['cards']]).toMatchObject([true, [{ updatedExisting: false }]])
    expect((await add(cards))['cards']).toMatchObject([{ updatedExisting: true }])
    const both = [{ ...cards[0], questionContentId: 'x' }]
    expect((await add(both)).error?.code).toBe('BODY_INVALID')
    const deleted = await of('studySets.delete', {
      params: { topicid: String(made['deckId']) },
      body: { expectedTitle: 'D', keepHighlights: false, confirm },
    })
    expect(deleted['removedFromLibrary']).toBe(true)
    expect(await code('decks.cards', { params: { deckId: String(made['deckId']) } })).toEqual([404, 'DECK_NOT_FOUND'])
  })

  it('a queued UI change is not done at once', async () => {
    // Slow enough that a busy machine sees both.
    const slow = await startDemo({ stepMs: 3_000 })
    const of = async (id: string, asked: DemoRequest = {}) => (await slow.ask(id, asked)).json
    await slow.ask('studySets.open', { params: { topicid: set.topicid }, body: {} })
    const state = { theme: 'dark', play: true, researchurl: 'http://x', focusnoteid: set.cards[1]?.noteid }
    const said = await of('uiState.apply', { body: { state } })
    expect(said).toMatchObject({
      queued: true,
      accepted: ['theme', 'focusnoteid'],
      conditional: ['researchurl'],
      rejected: ['play'],
    })
    expect((await of('uiState.get'))['state']).not.toHaveProperty('theme')
    await expect
      .poll(async () => (await of('uiState.get'))['state'])
      .toMatchObject({ theme: 'dark', focusnoteid: state.focusnoteid })
    const unknown = await slow.ask('uiState.apply', { body: { state: { focusnoteid: 'NOBODY' } } })
    expect([unknown.status, unknown.json.error?.code]).toEqual([404, 'NOTE_NOT_FOUND'])
    await slow.host.close()
  })
})

describe('files the host creates', () => {
  it('a print plan contains every card once, and only that plan is printed', async () => {
    const params = { topicid: set.topicid }
    const plan = await of('studySets.printPreview', { params, body: { mode: 'keepStructure', densityValue: 0.3 } })
    const pages = plan['pages'] as { kind: string; visibleNoteIds: string[] }[]
    expect([plan['schema'], plan['pageCountEstimate']]).toEqual(['mn.mindMapPrintPlan.v0', pages.length])
    expect(pages.flatMap(({ visibleNoteIds }) => visibleNoteIds).sort()).toEqual(
      set.cards.map(({ noteid }) => noteid).sort(),
    )
    const denser = await of('studySets.printPreview', { params, body: { mode: 'keepStructure', densityValue: 0.9 } })
    expect((denser['pages'] as unknown[]).length).toBeLessThan(pages.length)
    const print = (sent: object) => host.ask('studySets.printExport', { params, body: { plan: sent, fileName: 'map' } })
    const done = (await print(plan)).json
    expect([done['path'], done['pageCount']]).toEqual(['MindMapExports/map.pdf', pages.length])
    const busy = await print(plan)
    expect([busy.status, busy.json.error?.code]).toEqual([429, 'EXPORT_BUSY'])
    expect((await print({ ...plan, pages: [] })).json.error?.code).toBe('PLAN_INVALID')
  })

  it('exports only the listed pages of a document, no virtual ones', async () => {
    host.host.state.exports.busyUntil = 0
    const params = { bookmd5: set.documents[0] ?? '' }
    const make = (selectedPageNos?: number[]) =>
      host.ask('documents.export', {
        params,
        body: { topicid: set.topicid, ...(selectedPageNos ? { selectedPageNos } : {}) },
      })
    for (const wrong of [[], [66_036], [0], [9999]]) expect((await make(wrong)).status, String(wrong)).toBe(422)
    expect((await make([1, 3])).json).toMatchObject({ pageCount: 2 })
  })
})

describe('task bundles', () => {
  const segments = [
    { startPage: 1, endPage: 3, title: 'First' },
    { startPage: 3, endPage: 4, title: 'Overlap' },
    { startPage: 8, endPage: 9, title: 'Last' },
  ]
  const body = () => ({ topicid: set.topicid, bookmd5: set.documents[0], segments })
  const listed = async (id: unknown) =>
    ((await of('bundles.list'))['bundles'] as Record<string, unknown>[]).find(({ bundleId }) => bundleId === id)

  it('one is prepared in the background, with progress, and only one at a time', async () => {
    const asked = await host.ask('bundles.prepare', { body: { ...body(), async: true, colour: 'red' } })
    expect([asked.status, asked.json]).toMatchObject([
      202,
      { state: 'preparing', pagesTotal: 6, ignoredFields: ['colour'] },
    ])
    const busy = await host.ask('bundles.prepare', { body: body() })
    expect([busy.status, busy.json.error]).toMatchObject([
      429,
      { code: 'PREPARE_BUSY', details: { runningJob: asked.json['jobId'] } },
    ])
    const { bundleId } = asked.json
    expect(await listed(bundleId)).toMatchObject({ running: true, progress: { pagesTotal: 6 } })
    await expect.poll(async () => (await listed(bundleId))?.['state']).toBe('prepared')
    const { json } = await host.ask('bundles.files', { params: { bundleId: String(bundleId) } })
    const paths = (json['files'] as { path: string }[]).map(({ path }) => path)
    expect(paths).toEqual([1, 2, 3, 4, 8, 9].map((page) => `pages/${page}.txt`).concat('source.json'))
  })

  it('one is imported at once, replaced the second time, but not over someone’s changes', async () => {
    const { bundleId } = (await of('bundles.prepare', { body: body() })) as unknown as { bundleId: string }
    const submit = (sent: object = {}) => of('bundles.submit', { params: { bundleId }, body: sent })
    const first = await submit({ withBlank: true })
    expect(first).toMatchObject({
      persisted: true,
      version: 1,
      parsed: { headings: 2, importedCards: 2 },
      blankInsertion: { failed: 0 },
    })
    const receipt = first['receipt'] as { noteid: string }[]
    expect(receipt.length).toBe(3)
    const second = await submit()
    expect([second['version'], second['rootNoteId'] === first['rootNoteId']]).toEqual([2, false])
    expect(
      await code('notes.title', { params: { noteid: String(first['rootNoteId']) }, body: { text: 'x', confirm } }),
    ).toEqual([404, 'NOTE_NOT_FOUND'])
    const changed = (second['receipt'] as { noteid: string }[])[1]?.noteid ?? ''
    await host.ask('notes.title', { params: { noteid: changed }, body: { text: 'By hand', confirm } })
    expect((await submit()).error).toMatchObject({ code: 'USER_EDITS_PRESENT', details: { changedNodes: [changed] } })
    expect((await submit({ force: true }))['version']).toBe(3)
    const lost = await submit({ resultMarkdown: '# A\ntext\n## B', force: true })
    expect(lost['parsed']).toMatchObject({
      headings: 2,
      excerptsAnchored: 0,
      failedExcerpts: [{ reason: 'missing_info' }, {}],
    })
    await host.ask('bundles.focus', { params: { bundleId }, body: {} })
    expect(await of('context.get')).toMatchObject({ focusedNote: { noteid: lost['rootNoteId'] } })
  })

  it('one is discarded, even while being prepared, and a second time without an error', async () => {
    const asked = await of('bundles.prepare', { body: { ...body(), async: true } })
    const params = { bundleId: String(asked['bundleId']) }
    expect((await of('bundles.discard', { params, body: {} }))['cancelledJob']).toBe(asked['jobId'])
    expect(await listed(asked['bundleId'])).toBeUndefined()
    expect((await of('bundles.discard', { params, body: {} }))['cancelledJob']).toBeNull()
    expect(await code('bundles.discard', { params: { bundleId: 'never' }, body: {} })).toEqual([
      404,
      'BUNDLE_NOT_FOUND',
    ])
  })
})

describe('legacy sync', () => {
  const page = (afterSequence: number, limit?: number) =>
    of('sync.events', { query: { afterSequence, ...(limit === undefined ? {} : { limit }) } })

  it('the cursor leads through everything once, even across a gap', async () => {
    const seen: number[] = []
    let empty = 0
    let after = 0
    for (;;) {
      const { events, lastSequence, hasMore, cursorAdvancedPastGap } = (await page(after, 2)) as unknown as {
        events: { sequence: number }[]
        lastSequence: number
        hasMore: boolean
        cursorAdvancedPastGap?: boolean
      }
      seen.push(...events.map(({ sequence }) => sequence))
      if (events.length === 0) empty += 1
      expect(cursorAdvancedPastGap ?? false).toBe(events.length === 0)
      expect(lastSequence).toBeGreaterThan(after)
      after = lastSequence
      if (!hasMore) break
    }
    expect([seen.length, new Set(seen).size, empty]).toEqual([42, 42, 1])
    expect(await page(9_999)).toMatchObject({ cursorAhead: true, events: [] })
  })

  it('a recheck is accepted, and its events follow', async () => {
    const asked = await of('sync.recheck', { body: { documents: false } })
    const { operationId, startSequence } = asked as unknown as { operationId: string; startSequence: number }
    expect(asked['accepted']).toBe(true)
    const kinds = async () =>
      ((await page(startSequence))['events'] as { kind: string; operationId: string }[])
        .filter((event) => event.operationId === operationId)
        .map(({ kind }) => kind)
    await expect.poll(kinds).toEqual(['recheck-database-begun', 'recheck-database-ended'])
    expect(await of('sync.inventory', { body: {} })).toMatchObject({ accepted: true, observeOnly: true })
  })
})

describe('installation and the JSON-RPC channel', () => {
  it('a code works once, and needs no token', async () => {
    const { code: made } = (await of('install.code', { body: {} })) as unknown as { code: string }
    const get = (query: string) => host.ask('install.get', { query: { code: query }, token: null })
    expect((await get('wrong')).status).toBe(403)
    const script = await get(made)
    expect([script.status, script.type]).toEqual([200, 'text/x-shellscript; charset=utf-8'])
    expect((await get(made)).status).toBe(403)
  })

  it('calls the same routes under the same rules', async () => {
    const rpc = (method: string, params: object = {}) =>
      of('mcp.post', { body: { jsonrpc: '2.0', id: 7, method, params } })
    const call = async (args: object) =>
      (await rpc('tools/call', { name: 'mn_call', arguments: args }))['result'] as {
        isError?: boolean
        content: { type: string; text?: string; mimeType?: string }[]
      }
    expect((await rpc('tools/list'))['result']).toMatchObject({ tools: [{ name: 'mn_guide' }, { name: 'mn_call' }] })
    expect((await call({ method: 'GET', path: '/decks?query=anat' })).content[0]?.text).toContain('Anatomy')
    const refused = await call({ method: 'POST', path: '/decks', body: { title: 'D' } })
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('CONFIRM_REQUIRED')])
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'ink'),
    )
    const contentId = card?.parts.find(({ kind }) => kind === 'ink')?.contentId ?? ''
    const picture = await call({ method: 'GET', path: `/notes/${card?.noteid ?? ''}/content/${contentId}?maxEdge=64` })
    expect(picture.content).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
    expect(await rpc('nothing/like/it')).toMatchObject({ id: 7, error: { code: -32601 } })
    expect((await call({ method: 'POST', path: '/mcp' })).isError).toBe(true)
  })
})
