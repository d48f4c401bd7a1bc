import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoRoutes } from '../../../electron/demo-host/routes/index.ts'
import type { DemoCard } from '../../../electron/demo-host/library/model.ts'
import { getEndpointById, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { judgeOutcome } from '../../../electron/services/operations/outcome/reported-facts.ts'
import { startDemo, listProblems, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let set: { topicid: string; title: string; cards: DemoCard[]; documents: string[] }
const getNoteId = (index: number): string => set.cards[index]?.noteid ?? ''

beforeAll(async () => {
  host = await startDemo({ stepMs: 20 })
  const [first] = host.host.state.library.sets
  if (!first) throw new Error('no study set')
  set = first
})
afterAll(() => host.host.close())

it('every row of the endpoint table has a route, and every route a row', () => {
  const rows = endpoints.map(({ id }) => id).filter((id) => id !== 'status.get' && id !== 'pair.post')
  expect(Object.keys(demoRoutes).sort()).toEqual(rows.sort())
})

interface Sample {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body: unknown
}

/**
 * Returns parameters and a body for a write, and creates what it needs. Other tests check the
 * effects.
 */
async function createSample(id: string): Promise<Sample> {
  const { library, generatedSet: generated } = host.host.state
  const deckId = library.decks[0]?.deckId ?? ''
  const image = [...library.cards.values()].find(({ parts }) => parts.some(({ kind }) => kind === 'image'))
  const books = [...library.books.keys()]
  const bookmd5 = books.find((book) => !set.documents.includes(book) && !generated.books.includes(book)) ?? ''
  const params = { topicid: set.topicid, noteid: getNoteId(5), index: '9', bookmd5: set.documents[0] ?? '' }
  const parent = set.cards.find(({ noteid }) => set.cards.some((card) => card.parent === noteid))?.noteid ?? ''
  const session = { requestId: `r-${id}`, runId: 'run', questionId: 'q', carrier: 'focus' }
  const target = { noteIds: [getNoteId(6)], targetParentNoteId: getNoteId(0) }
  const masks = {
    coordinateSpace: 'normalized',
    operation: 'replace',
    masks: [{ rect: { x: 0, y: 0, width: 0.5, height: 0.5 } }],
  }
  const other = library.sets[4]
  const bundleBody = {
    topicid: set.topicid,
    bookmd5: params.bookmd5,
    segments: [{ startPage: 1, endPage: 2, title: 'S' }],
  }
  switch (id) {
    case 'studySets.create':
    case 'decks.create':
      return { body: { title: 'New' } }
    case 'library.upload':
      return { query: { filename: 'a.txt', topicid: set.topicid, folder: 'New', confirm: 1 }, body: 'a file' }
    case 'library.deleteDocument': {
      await host.ask('library.upload', { query: { filename: 'b.txt', confirm: 1 }, body: 'another file' })
      const added = [...library.books.values()].find(({ title }) => title === 'b.txt')
      return { params: { bookmd5: added?.bookmd5 ?? '' }, body: {} }
    }
    case 'studySets.addDocuments':
      return { params, body: { bookmd5 } }
    case 'studySets.delete':
      return { params: { topicid: other?.topicid ?? '' }, body: { expectedTitle: other?.title } }
    case 'studySets.printExport': {
      const { json } = await host.ask('studySets.printPreview', {
        params: { topicid: set.topicid },
        body: { mode: 'classic' },
      })
      return { params, body: { plan: json } }
    }
    case 'snapshots.restore':
      return { params: { snapshotId: library.sets[1]?.snapshots[0]?.snapshotId ?? '' }, body: {} }
    case 'decks.addCards':
      return { params: { deckId }, body: { cards: [{ sourceNoteId: getNoteId(3), question: 'What is {{this}}?' }] } }
    case 'decks.open':
      return { params: { deckId }, body: {} }
    case 'documents.toc':
      return { params: { bookmd5 }, body: { entries: [{ title: 'One', page: 1, level: 0 }] } }
    case 'documents.export':
      await sleep(50)
      return { params, body: { topicid: set.topicid, selectedPageNos: [1, 2] } }
    case 'bundles.prepare':
      return { body: bundleBody }
    case 'bundles.submit':
      return { params: { bundleId: 'bundle-1' }, body: {} }
    case 'bundles.focus':
      return { params: { bundleId: 'bundle-1' }, body: {} }
    case 'bundles.discard':
      return { params: { bundleId: 'bundle-2' }, body: {} }
    case 'sync.recheck':
      return { body: { database: true } }
    case 'mcp.post':
      return { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
    case 'install.get':
      return { query: { code: String((await host.ask('install.code', { body: {} })).json['code']) }, body: undefined }
    case 'uiState.apply':
      return { body: { state: { topicid: set.topicid, focusnoteid: getNoteId(1), theme: 'dark' } } }
    case 'notes.hashtags':
      return { body: { noteIds: [getNoteId(5)], operation: 'add', hashtags: ['#a'] } }
    case 'notes.metadata':
      return { body: { noteIds: [getNoteId(5)], patch: { colorIndex: 3, fillIndex: -1 } } }
    case 'notes.move':
      return { body: target }
    case 'notes.copy':
      return { body: { ...target, mode: 'clone' } }
    case 'notes.delete':
      return { body: { noteIds: [getNoteId(7)] } }
    case 'notes.fold':
      return { body: { noteIds: [parent], folded: true } }
    case 'notes.foldIntoSubMap':
      return { params: { noteid: parent }, body: {} }
    case 'notes.title':
    case 'notes.text':
    case 'notes.comments':
      return { params, body: { text: 'T' } }
    case 'notes.comment':
    case 'notes.deleteComment': {
      const { json } = await host.ask('notes.batchGet', { body: { noteIds: [getNoteId(5)] } })
      const texts = (json['items'] as { texts: { index: number; kind: string }[] }[])[0]?.texts ?? []
      const index = String(texts.findLast(({ kind }) => kind === 'text')?.index)
      return { params: { ...params, index }, body: id === 'notes.comment' ? { text: 'T', expectedPrefix: 'T' } : {} }
    }
    case 'notes.imageOcclusions': {
      const noteid = image?.noteid ?? ''
      const { json } = await host.ask(id, { params: { noteid }, body: masks })
      const { sourceFingerprint, maskFingerprint } = json.error?.details as Record<string, string>
      return {
        params: { noteid },
        body: { ...masks, expectedSourceFingerprint: sourceFingerprint, expectedMaskFingerprint: maskFingerprint },
      }
    }
    case 'notes.practiceVerdict': {
      const expectedRevision = String(set.cards[5]?.revision)
      return { params, body: { expectedRevision, self: 'good', practice: { topic: set.topicid } } }
    }
    case 'writing.sessionFocusBegin':
    case 'writing.sessionReserve':
    case 'writing.sessionPause':
      return { body: session }
    case 'writing.pencilCommit':
      return {
        body: {
          requestId: 'p',
          surfaceId: 'main',
          target: { topicid: set.topicid, noteid: getNoteId(5), layerId: '' },
        },
      }
    default:
      return { params, body: {} }
  }
}

/** Writes whose response only accepts, queues or shows something, or starts an installation. */
const outcomeNotReported = /^(writing\.|install\.|mcp\.|sync\.|uiState\.|.*\.(open|focus)$)/

describe('confirmed write', () => {
  const ids = endpoints.filter(({ access, id }) => access !== 'read' && id !== 'pair.post').map(({ id }) => id)
  it.each(ids)('%s is done and reports it', async (id) => {
    const row = getEndpointById(id)
    const { params = {}, query = {}, body } = await createSample(id)
    const parameterNames = row.parameters.map(({ name }) => name)
    const ownParams = Object.fromEntries(Object.entries(params).filter(([name]) => parameterNames.includes(name)))
    const confirmed = row.confirm === 'body' && typeof body === 'object' ? { ...body, confirm: true } : body
    const response = await host.ask(id, {
      params: ownParams,
      query,
      ...(confirmed === undefined ? {} : { body: confirmed }),
    })
    expect([response.status, response.json.error]).toEqual([id === 'writing.pencilCommit' ? 202 : 200, undefined])
    expect(judgeOutcome(id, response.json).done).toBe(outcomeNotReported.test(id) ? 'not reported' : 'yes')
    if (row.response.kind !== 'json') return
    if (!/^(install|mcp)\./.test(id)) expect(response.json['bridgeApiVersion']).toBe('0.91')
    expect(listProblems(row.id, response.json)).toEqual([])
  })
})
