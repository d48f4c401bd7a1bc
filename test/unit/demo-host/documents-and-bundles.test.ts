/** @module-tag slow */

import { PDFDocument } from 'pdf-lib'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
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
afterEach(() => void vi.useRealTimers())

const askJson = async (id: string, request: DemoRequest = {}) => (await host.ask(id, request)).json
const getStatusAndCode = async (id: string, request: DemoRequest = {}) => {
  const { status, json } = await host.ask(id, request)
  return [status, json.error?.code]
}

describe('document library', () => {
  it('contains an uploaded file, in its folder and its study set', async () => {
    const pdf = await PDFDocument.create()
    for (let page = 0; page < 3; page += 1) pdf.addPage()
    const bytes = await pdf.save()
    const upload = (query: string) =>
      fetch(`${host.host.baseUrl}/library/documents/upload?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      }).then(async (response) => ({
        status: response.status,
        json: (await response.json()) as Record<string, unknown>,
      }))
    const query = `filename=Notes.pdf&folder=Papers/2026&topicid=${set.topicid}`
    expect((await upload(query)).json['error']).toMatchObject({ code: 'CONFIRM_REQUIRED' })
    expect((await upload(`${query.replace('Notes.pdf', '..%2Fevil.pdf')}&confirm=1`)).status).toBe(422)
    const { json } = await upload(`${query}&confirm=1`)
    expect(json).toMatchObject({ persisted: true, addedToStudySet: true, movedToFolder: true, warnings: [] })
    const bookmd5 = String(json['bookmd5'])
    expect(await askJson('documents.outline', { params: { bookmd5 } })).toMatchObject({ pageCount: 3, hasToc: false })
    expect(JSON.stringify(await askJson('studySets.documents', { params: { topicid: set.topicid } }))).toContain(
      bookmd5,
    )
    const folder = await askJson('library.folders', { query: { path: 'Papers/2026' } })
    expect(folder['documents']).toEqual([{ bookmd5, title: 'Notes.pdf' }])
    expect((await upload(`${query}&confirm=1`)).json).toMatchObject({ movedToFolder: false })
    const deleted = await askJson('library.deleteDocument', { params: { bookmd5 }, body: { confirm } })
    expect(deleted).toMatchObject({ persisted: true, removedFromLibrary: true })
    expect(await getStatusAndCode('documents.outline', { params: { bookmd5 } })).toEqual([404, 'DOCUMENT_NOT_FOUND'])
  })

  it('keeps a document with anchored cards', async () => {
    const bookmd5 = set.documents[0] ?? ''
    const { json } = await host.ask('library.deleteDocument', { params: { bookmd5 }, body: { confirm } })
    const details = json.error?.details as { notesAnchored: number }
    expect([json.error?.code, details.notesAnchored > 0]).toEqual(['DOCUMENT_IN_USE', true])
  })

  it('has a tree of folders', async () => {
    interface Folder {
      readonly name: string
      readonly path: string
      readonly documentCount: number
      readonly folders?: readonly Folder[]
    }
    const root = (await askJson('library.folders', { query: { depth: 2 } })) as unknown as { folders: Folder[] }
    const textbooks = root.folders.find(({ name }) => name === 'Textbooks')
    const inner = textbooks?.folders ?? []
    expect(inner.reduce((sum, { documentCount }) => sum + documentCount, 0)).toBe(textbooks?.documentCount)
    const folder = await askJson('library.folders', { query: { path: inner[0]?.path ?? '' } })
    expect((folder['documents'] as unknown[]).length).toBe(inner[0]?.documentCount)
    expect(await getStatusAndCode('library.folders', { query: { path: 'Nowhere' } })).toEqual([404, 'FOLDER_NOT_FOUND'])
  })
})

describe('documents of a study set', () => {
  it('can be added, added again without effect, and removed with the consequences reported', async () => {
    const params = { topicid: set.topicid }
    const other = [...host.host.state.library.books.keys()].find((id) => !set.documents.includes(id)) ?? ''
    expect(await askJson('studySets.addDocuments', { params, body: { bookmd5: other, confirm } })).toMatchObject({
      addedToBooklist: true,
    })
    expect(await askJson('studySets.addDocuments', { params, body: { bookmd5: other, confirm } })).toMatchObject({
      alreadyPresent: true,
    })
    const mainDocument = set.documents[0] ?? ''
    const losingCount = set.cards.filter(({ docBookmd5 }) => docBookmd5 === mainDocument).length
    const unconfirmed = await askJson('studySets.removeDocument', {
      params: { ...params, bookmd5: mainDocument },
      body: {},
    })
    expect(unconfirmed.error?.details).toEqual({
      notesLosingSource: losingCount,
      newMainDocumentAfter: set.documents[1],
    })
    const done = await askJson('studySets.removeDocument', {
      params: { ...params, bookmd5: mainDocument },
      body: { confirm },
    })
    expect(done).toMatchObject({ removed: true, preRemoveSnapshotId: expect.any(String) as string })
    expect(set.cards.filter(({ docBookmd5 }) => docBookmd5 === mainDocument)).toEqual([])
    const repeated = await askJson('studySets.removeDocument', {
      params: { ...params, bookmd5: mainDocument },
      body: { confirm },
    })
    expect(repeated).toMatchObject({ removed: false, persisted: false })
    await host.ask('snapshots.restore', {
      params: { snapshotId: String(done['preRemoveSnapshotId']) },
      body: { confirm },
    })
    expect(set.cards.filter(({ docBookmd5 }) => docBookmd5 === mainDocument).length).toBe(losingCount)
  })

  it('accept a table of contents, and correct its levels', async () => {
    const params = { bookmd5: set.documents[0] ?? '' }
    const fetchOutline = async () =>
      (await askJson('documents.outline', { params }))['segments'] as {
        title: string
        startPage: number
        level: number
      }[]
    const before = await fetchOutline()
    const entries = [
      { title: 'One', page: 1, level: 0 },
      { title: 'Deep', page: 2, level: 5 },
    ]
    const unconfirmed = await askJson('documents.toc', { params, body: { entries } })
    expect(unconfirmed.error).toMatchObject({
      code: 'CONFIRM_REQUIRED',
      details: { wouldWrite: 2, adjustedLevels: [{ index: 1, from: 5, to: 1 }] },
    })
    expect(await fetchOutline()).toEqual(before)
    await host.ask('documents.toc', { params, body: { entries, confirm } })
    expect((await fetchOutline()).map(({ title, startPage, level }) => [title, startPage, level])).toEqual([
      ['One', 1, 0],
      ['Deep', 2, 1],
    ])
    await host.ask('documents.toc', { params, body: { useOriginal: true, confirm } })
    expect(await fetchOutline()).toEqual(before)
  })

  it('refuse changes while a table of contents is generated', async () => {
    const params = { bookmd5: set.documents[1] ?? '' }
    expect(await askJson('documents.toc', { params, body: { useAI: true, confirm } })).toMatchObject({
      persisted: true,
    })
    expect(await getStatusAndCode('documents.toc', { params, body: { useOriginal: true, confirm } })).toEqual([
      409,
      'TOC_GENERATION_IN_PROGRESS',
    ])
    await expect
      .poll(() => getStatusAndCode('documents.toc', { params, body: { useOriginal: true, confirm } }))
      .toEqual([200, undefined])
  })

  it('return candidates for a table of contents in parts, and locate a text only on its page', async () => {
    const params = { bookmd5: set.documents[0] ?? '' }
    const { pageCount } = (await askJson('documents.outline', { params })) as unknown as { pageCount: number }
    const first = await askJson('documents.tocCandidates', {
      params,
      query: { start: 1, end: Math.min(60, pageCount) },
    })
    expect(first).toMatchObject({ truncated: true, pagesScanned: 15, nextStart: 16 })
    const pastEnd = await askJson('documents.tocCandidates', {
      params,
      query: { start: pageCount + 1, end: pageCount + 2 },
    })
    expect([pastEnd['pagesScanned'], pastEnd['nextStart'], pastEnd['candidates']]).toEqual([0, undefined, []])
    const text = host.host.state.library.books.get(params.bookmd5)?.pages[1]?.text.split('\n')[0] ?? ''
    const locate = (body: object) => askJson('documents.locate', { params, body })
    expect(await locate({ text, page: 2 })).toMatchObject({ found: true, matchedText: text, algorithm: 'exact' })
    expect(await locate({ text: 'nothing like it', page: 2 })).toMatchObject({ found: false, reason: 'no_match' })
    expect(await locate({ text, page: 9999 })).toMatchObject({ found: false, reason: 'page_unreadable' })
    expect(await locate({ text, page: 2, navigate: true })).toMatchObject({
      navigated: false,
      reason: 'different_document_open',
    })
    await host.ask('studySets.open', { params: { topicid: set.topicid }, body: {} })
    expect(await locate({ text, page: 2, navigate: true })).toMatchObject({ navigated: true })
    expect(await askJson('context.get')).toMatchObject({ currentPage: { page: 2 } })
  })
})

describe('snapshots and study sets', () => {
  it('a second snapshot of the same content is not created, and an open study set is not restored', async () => {
    const params = { topicid: set.topicid }
    await host.ask('studySets.open', { params, body: {} })
    const first = await askJson('studySets.createSnapshot', { params, body: { description: 'Mine' } })
    const second = await askJson('studySets.createSnapshot', { params, body: {} })
    expect([first['created'], second['created'], second['snapshotId'], second['persisted']]).toEqual([
      true,
      false,
      first['snapshotId'],
      undefined,
    ])
    const [newest] = (await askJson('studySets.snapshots', { params }))['snapshots'] as { description: string }[]
    expect(newest?.description).toBe('Agent: Mine')
    const restoreRequest = { params: { snapshotId: String(first['snapshotId']) } }
    expect((await askJson('snapshots.restore', { ...restoreRequest, body: {} })).error?.details).toMatchObject({
      snapshotDescription: 'Agent: Mine',
      noteCountInSnapshot: set.cards.length,
    })
    expect(await getStatusAndCode('snapshots.restore', { ...restoreRequest, body: { confirm } })).toEqual([
      409,
      'STUDY_SET_IN_USE',
    ])
  })

  it('a deleted study set can be restored from the snapshot before the deletion', async () => {
    const created = await askJson('studySets.create', { body: { title: 'Short-lived', confirm } })
    const params = { topicid: String(created['topicid']) }
    const [root] = (await askJson('studySets.tree', { params }))['nodes'] as { title: string }[]
    expect([created['isStudySet'], root?.title]).toEqual([true, 'Short-lived'])
    const deleted = await askJson('studySets.delete', { params, body: { expectedTitle: 'Short-lived', confirm } })
    expect(deleted['removedFromLibrary']).toBe(true)
    expect(await getStatusAndCode('studySets.tree', { params })).toEqual([404, 'TOPIC_NOT_FOUND'])
    await host.ask('snapshots.restore', {
      params: { snapshotId: String(deleted['preDeleteSnapshotId']) },
      body: { confirm },
    })
    expect((await askJson('studySets.tree', { params }))['nodeTotal']).toBe(1)
  })

  it('a deck is not a study set, nor the reverse', async () => {
    const deckId = host.host.state.library.decks[1]?.deckId ?? ''
    expect(await getStatusAndCode('studySets.open', { params: { topicid: deckId }, body: {} })).toEqual([
      422,
      'IS_A_DECK',
    ])
    expect(await getStatusAndCode('decks.open', { params: { deckId: set.topicid }, body: {} })).toEqual([
      422,
      'NOT_A_DECK',
    ])
    await host.ask('decks.open', { params: { deckId }, body: {} })
    expect((await askJson('context.get'))['studySet']).toMatchObject({ topicid: deckId, isDeck: true })
    const createdDeck = await askJson('decks.create', { body: { title: 'D', confirm } })
    const cards = [{ sourceNoteId: set.cards[1]?.noteid, question: 'a {{gap}}' }]
    const addCards = (more: object[]) =>
      askJson('decks.addCards', { params: { deckId: String(createdDeck['deckId']) }, body: { cards: more, confirm } })
    expect([createdDeck['isDeck'], (await addCards(cards))['cards']]).toMatchObject([
      true,
      [{ updatedExisting: false }],
    ])
    expect((await addCards(cards))['cards']).toMatchObject([{ updatedExisting: true }])
    const cardsWithTwoQuestions = [{ ...cards[0], questionContentId: 'x' }]
    expect((await addCards(cardsWithTwoQuestions)).error?.code).toBe('BODY_INVALID')
    const deleted = await askJson('studySets.delete', {
      params: { topicid: String(createdDeck['deckId']) },
      body: { expectedTitle: 'D', keepHighlights: false, confirm },
    })
    expect(deleted['removedFromLibrary']).toBe(true)
    expect(await getStatusAndCode('decks.cards', { params: { deckId: String(createdDeck['deckId']) } })).toEqual([
      404,
      'DECK_NOT_FOUND',
    ])
  })

  it('a queued change of the interface happens later', async () => {
    // The steps are so slow that a busy machine still sees the state before and after.
    const slow = await startDemo({ stepMs: 3_000 })
    const askSlowHost = async (id: string, request: DemoRequest = {}) => (await slow.ask(id, request)).json
    await slow.ask('studySets.open', { params: { topicid: set.topicid }, body: {} })
    const state = { theme: 'dark', play: true, researchurl: 'http://x', focusnoteid: set.cards[1]?.noteid }
    const applied = await askSlowHost('uiState.apply', { body: { state } })
    expect(applied).toMatchObject({
      queued: true,
      accepted: ['theme', 'focusnoteid'],
      conditional: ['researchurl'],
      rejected: ['play'],
    })
    expect((await askSlowHost('uiState.get'))['state']).not.toHaveProperty('theme')
    await expect
      .poll(async () => (await askSlowHost('uiState.get'))['state'])
      .toMatchObject({ theme: 'dark', focusnoteid: state.focusnoteid })
    const unknown = await slow.ask('uiState.apply', { body: { state: { focusnoteid: 'NOBODY' } } })
    expect([unknown.status, unknown.json.error?.code]).toEqual([404, 'NOTE_NOT_FOUND'])
    await slow.host.close()
  })
})

describe('files that the host creates', () => {
  it('a print plan contains every card once, and only that plan is printed', async () => {
    const params = { topicid: set.topicid }
    const plan = await askJson('studySets.printPreview', { params, body: { mode: 'keepStructure', densityValue: 0.3 } })
    const pages = plan['pages'] as { kind: string; visibleNoteIds: string[] }[]
    expect([plan['schema'], plan['pageCountEstimate']]).toEqual(['mn.mindMapPrintPlan.v0', pages.length])
    expect(pages.flatMap(({ visibleNoteIds }) => visibleNoteIds).sort()).toEqual(
      set.cards.map(({ noteid }) => noteid).sort(),
    )
    const denser = await askJson('studySets.printPreview', {
      params,
      body: { mode: 'keepStructure', densityValue: 0.9 },
    })
    expect((denser['pages'] as unknown[]).length).toBeLessThan(pages.length)
    const exportPlan = (printPlan: object) =>
      host.ask('studySets.printExport', { params, body: { plan: printPlan, fileName: 'map' } })
    vi.useFakeTimers({ toFake: ['Date'] })
    const done = (await exportPlan(plan)).json
    expect([done['path'], done['pageCount']]).toEqual(['MindMapExports/map.pdf', pages.length])
    const busy = await exportPlan(plan)
    expect([busy.status, busy.json.error?.code]).toEqual([429, 'EXPORT_BUSY'])
    expect((await exportPlan({ ...plan, pages: [] })).json.error?.code).toBe('PLAN_INVALID')
  })

  it('an exported document contains only the listed pages, and no virtual ones', async () => {
    host.host.state.exports.busyUntil = 0
    const params = { bookmd5: set.documents[0] ?? '' }
    const exportPages = (selectedPageNos?: number[]) =>
      host.ask('documents.export', {
        params,
        body: { topicid: set.topicid, ...(selectedPageNos ? { selectedPageNos } : {}) },
      })
    for (const pageNos of [[], [66_036], [0], [9999]])
      expect((await exportPages(pageNos)).status, String(pageNos)).toBe(422)
    expect((await exportPages([1, 3])).json).toMatchObject({ pageCount: 2 })
  })
})

describe('task bundle', () => {
  const segments = [
    { startPage: 1, endPage: 3, title: 'First' },
    { startPage: 3, endPage: 4, title: 'Overlap' },
    { startPage: 8, endPage: 9, title: 'Last' },
  ]
  const createBody = () => ({ topicid: set.topicid, bookmd5: set.documents[0], segments })
  const findBundle = async (id: unknown) =>
    ((await askJson('bundles.list'))['bundles'] as Record<string, unknown>[]).find(({ bundleId }) => bundleId === id)

  it('is prepared in the background with progress, one at a time', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const started = await host.ask('bundles.prepare', { body: { ...createBody(), async: true, colour: 'red' } })
    expect([started.status, started.json]).toMatchObject([
      202,
      { state: 'preparing', pagesTotal: 6, ignoredFields: ['colour'] },
    ])
    const busy = await host.ask('bundles.prepare', { body: createBody() })
    expect([busy.status, busy.json.error]).toMatchObject([
      429,
      { code: 'PREPARE_BUSY', details: { runningJob: started.json['jobId'] } },
    ])
    const { bundleId } = started.json
    expect(await findBundle(bundleId)).toMatchObject({ running: true, progress: { pagesTotal: 6 } })
    vi.advanceTimersByTime(10_000)
    expect((await findBundle(bundleId))?.['state']).toBe('prepared')
    const { json } = await host.ask('bundles.files', { params: { bundleId: String(bundleId) } })
    const paths = (json['files'] as { path: string }[]).map(({ path }) => path)
    expect(paths).toEqual([1, 2, 3, 4, 8, 9].map((page) => `pages/${page}.txt`).concat('source.json'))
  })

  it('is imported at once, replaced the second time, but not over edits of the user', async () => {
    const { bundleId } = (await askJson('bundles.prepare', { body: createBody() })) as unknown as { bundleId: string }
    const submit = (more: object = {}) => askJson('bundles.submit', { params: { bundleId }, body: more })
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
      await getStatusAndCode('notes.title', {
        params: { noteid: String(first['rootNoteId']) },
        body: { text: 'x', confirm },
      }),
    ).toEqual([404, 'NOTE_NOT_FOUND'])
    const changed = (second['receipt'] as { noteid: string }[])[1]?.noteid ?? ''
    await host.ask('notes.title', { params: { noteid: changed }, body: { text: 'By hand', confirm } })
    expect((await submit()).error).toMatchObject({ code: 'USER_EDITS_PRESENT', details: { changedNodes: [changed] } })
    expect((await submit({ force: true }))['version']).toBe(3)
    const withoutExcerpts = await submit({ resultMarkdown: '# A\ntext\n## B', force: true })
    expect(withoutExcerpts['parsed']).toMatchObject({
      headings: 2,
      excerptsAnchored: 0,
      failedExcerpts: [{ reason: 'missing_info' }, {}],
    })
    await host.ask('bundles.focus', { params: { bundleId }, body: {} })
    expect(await askJson('context.get')).toMatchObject({ focusedNote: { noteid: withoutExcerpts['rootNoteId'] } })
  })

  it('is discarded even while being prepared, and a second time without an error', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const started = await askJson('bundles.prepare', { body: { ...createBody(), async: true } })
    const params = { bundleId: String(started['bundleId']) }
    expect((await askJson('bundles.discard', { params, body: {} }))['cancelledJob']).toBe(started['jobId'])
    expect(await findBundle(started['bundleId'])).toBeUndefined()
    expect((await askJson('bundles.discard', { params, body: {} }))['cancelledJob']).toBeNull()
    expect(await getStatusAndCode('bundles.discard', { params: { bundleId: 'never' }, body: {} })).toEqual([
      404,
      'BUNDLE_NOT_FOUND',
    ])
  })
})

describe('legacy sync', () => {
  const fetchEvents = (afterSequence: number, limit?: number) =>
    askJson('sync.events', { query: { afterSequence, ...(limit === undefined ? {} : { limit }) } })

  it('leads its cursor through every event once, even across a gap', async () => {
    const sequences: number[] = []
    let emptyPages = 0
    let after = 0
    for (;;) {
      const { events, lastSequence, hasMore, cursorAdvancedPastGap } = (await fetchEvents(after, 2)) as unknown as {
        events: { sequence: number }[]
        lastSequence: number
        hasMore: boolean
        cursorAdvancedPastGap?: boolean
      }
      sequences.push(...events.map(({ sequence }) => sequence))
      if (events.length === 0) emptyPages += 1
      expect(cursorAdvancedPastGap ?? false).toBe(events.length === 0)
      expect(lastSequence).toBeGreaterThan(after)
      after = lastSequence
      if (!hasMore) break
    }
    expect([sequences.length, new Set(sequences).size, emptyPages]).toEqual([42, 42, 1])
    expect(await fetchEvents(9_999)).toMatchObject({ cursorAhead: true, events: [] })
  })

  it('accepts a recheck, and lists its events later', async () => {
    const accepted = await askJson('sync.recheck', { body: { documents: false } })
    const { operationId, startSequence } = accepted as unknown as { operationId: string; startSequence: number }
    expect(accepted['accepted']).toBe(true)
    const fetchKinds = async () =>
      ((await fetchEvents(startSequence))['events'] as { kind: string; operationId: string }[])
        .filter((event) => event.operationId === operationId)
        .map(({ kind }) => kind)
    await expect.poll(fetchKinds).toEqual(['recheck-database-begun', 'recheck-database-ended'])
    expect(await askJson('sync.inventory', { body: {} })).toMatchObject({ accepted: true, observeOnly: true })
  })
})

describe('installation and the JSON-RPC channel', () => {
  it('an installation code works once and needs no token', async () => {
    const { code: installCode } = (await askJson('install.code', { body: {} })) as unknown as { code: string }
    const getScript = (query: string) => host.ask('install.get', { query: { code: query }, token: null })
    expect((await getScript('wrong')).status).toBe(403)
    const script = await getScript(installCode)
    expect([script.status, script.type]).toEqual([200, 'text/x-shellscript; charset=utf-8'])
    expect((await getScript(installCode)).status).toBe(403)
  })

  it('the channel calls the same routes under the same rules', async () => {
    const callRpc = (method: string, params: object = {}) =>
      askJson('mcp.post', { body: { jsonrpc: '2.0', id: 7, method, params } })
    const callTool = async (args: object) =>
      (await callRpc('tools/call', { name: 'mn_call', arguments: args }))['result'] as {
        isError?: boolean
        content: { type: string; text?: string; mimeType?: string }[]
      }
    expect((await callRpc('tools/list'))['result']).toMatchObject({
      tools: [{ name: 'mn_guide' }, { name: 'mn_call' }],
    })
    expect((await callTool({ method: 'GET', path: '/decks?query=anat' })).content[0]?.text).toContain('Anatomy')
    const refused = await callTool({ method: 'POST', path: '/decks', body: { title: 'D' } })
    expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('CONFIRM_REQUIRED')])
    const card = [...host.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'ink'),
    )
    const contentId = card?.parts.find(({ kind }) => kind === 'ink')?.contentId ?? ''
    const picture = await callTool({
      method: 'GET',
      path: `/notes/${card?.noteid ?? ''}/content/${contentId}?maxEdge=64`,
    })
    expect(picture.content).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
    expect(await callRpc('nothing/like/it')).toMatchObject({ id: 7, error: { code: -32601 } })
    expect((await callTool({ method: 'POST', path: '/mcp' })).isError).toBe(true)
  })
})
