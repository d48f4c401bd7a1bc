import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Card } from '../../../electron/demo-host/library/model.ts'
import { routes } from '../../../electron/demo-host/handle.ts'
import { endpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { demo, problemsOf, type Demo } from '../../support/demo.ts'

let host: Demo
let set: { topicid: string; title: string; cards: Card[] }
const at = (index: number): string => set.cards[index]?.noteid ?? ''

beforeAll(async () => {
  host = await demo()
  const [first] = host.host.state.library.sets
  if (!first) throw new Error('no study set')
  set = first
})
afterAll(() => host.host.close())

const item = async (noteid: string): Promise<Record<string, unknown>> => {
  const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
  return (json['items'] as Record<string, unknown>[])[0] ?? {}
}
const hasChildWithParts = ({ noteid }: Card): boolean =>
  set.cards.some(({ parent, parts }) => parent === noteid && parts.length > 0)
const treeIds = async (topicid = set.topicid): Promise<string[]> => {
  const { json } = await host.ask('studySets.tree', { params: { topicid } })
  return (json['nodes'] as { noteid: string }[]).map(({ noteid }) => noteid)
}

it('every row of the endpoint table has a route, and every route a row', () => {
  const rows = endpoints.map(({ id }) => id).filter((id) => id !== 'status.get' && id !== 'pair.post')
  expect(Object.keys(routes).sort()).toEqual(rows.sort())
})

/** Parameters and a body for each write; what can be read afterwards is looked at in the tests below. */
function sample(id: string): { params?: Record<string, string>; body: object } {
  const params = { topicid: set.topicid, noteid: at(5), index: '0' }
  const deckId = host.host.state.library.decks[0]?.deckId ?? ''
  const snapshotId = host.host.state.library.sets[1]?.snapshots[0]?.snapshotId ?? ''
  const image = [...host.host.state.library.cards.values()].find(({ parts }) =>
    parts.some(({ kind }) => kind === 'image'),
  )
  const bookmd5 = [...host.host.state.library.books.keys()][4] ?? ''
  const session = { requestId: `r-${id}`, runId: 'run', questionId: 'q', carrier: 'focus' }
  const samples: Record<string, { params?: Record<string, string>; body: object }> = {
    'studySets.create': { body: { title: 'New' } },
    'studySets.addDocuments': { params, body: { bookmd5s: [bookmd5] } },
    'studySets.delete': {
      params: { topicid: host.host.state.library.sets[4]?.topicid ?? '' },
      body: { expectedTitle: host.host.state.library.sets[4]?.title },
    },
    'snapshots.restore': { params: { snapshotId }, body: {} },
    'decks.create': { body: { title: 'New' } },
    'decks.addCards': { params: { deckId }, body: { noteIds: [at(3)] } },
    'decks.open': { params: { deckId }, body: {} },
    'documents.toc': { params: { bookmd5 }, body: { segments: [{ title: 'One', page: 1, depth: 0 }] } },
    'bundles.submit': { params: { bundleId: 'bundle-1' }, body: {} },
    'uiState.apply': { body: { state: { topicid: set.topicid, focusnoteid: at(1), bookmd5 } } },
    'notes.hashtags': { body: { noteIds: [at(5)], add: ['#a'], remove: [] } },
    'notes.metadata': { body: { noteIds: [at(5)], colorIndex: 3, fillIndex: -1 } },
    'notes.move': { body: { noteIds: [at(6)], parent: at(0) } },
    'notes.copy': { body: { noteIds: [at(6)], parent: at(0) } },
    'notes.delete': { body: { noteIds: [at(7)] } },
    'notes.fold': { body: { noteIds: [at(5)] } },
    'notes.title': { params, body: { title: 'T' } },
    'notes.text': { params, body: { text: 'T', index: 0 } },
    'notes.comment': { params, body: { text: 'T' } },
    'notes.imageOcclusions': {
      params: { noteid: image?.noteid ?? '' },
      body: {
        contentId: image?.parts.find(({ kind }) => kind === 'image')?.contentId,
        masks: [{ rect: [0, 0, 0.5, 0.5] }],
      },
    },
    'notes.practiceVerdict': {
      params,
      body: { expectedRevision: String(set.cards[5]?.revision), self: 'good', practice: { topic: set.topicid } },
    },
    'writing.sessionFocusBegin': { body: session },
    'writing.sessionReserve': { body: session },
    'writing.sessionPause': { body: session },
    'writing.pencilCommit': {
      body: { requestId: 'p', surfaceId: 'main', target: { topicid: set.topicid, noteid: at(5), layerId: '' } },
    },
  }
  return samples[id] ?? { params, body: {} }
}

describe('every write that is confirmed is done, and says so', () => {
  // Deleting the first comment comes after the writes that change it.
  const ids = endpoints.filter(({ access, id }) => access !== 'read' && id !== 'pair.post').map(({ id }) => id)
  it.each(ids)('%s', async (id) => {
    const row = endpoint(id)
    const { params = {}, body } = sample(id)
    const wanted = row.parameters.map(({ name }) => name)
    const own = Object.fromEntries(Object.entries(params).filter(([name]) => wanted.includes(name)))
    const answer = await host.ask(id, { params: own, body: { ...body, confirm: true } })
    expect([answer.status, answer.json.error]).toEqual([id === 'writing.pencilCommit' ? 202 : 200, undefined])
    // Accepted is not written, and of a band the contract shows no word of it.
    if (!['writing.pencilCommit', 'notes.blankBands'].includes(id)) expect(answer.json['persisted']).toBe(true)
    expect(answer.json['bridgeApiVersion']).toBe('0.91')
    if (row.response.kind === 'json') expect(problemsOf(row.id, answer.json)).toEqual([])
  })
})

describe('the shape of a mind map', () => {
  it('a branch moves whole, also to another study set, and parents stay before their children', async () => {
    const other = host.host.state.library.sets[1]
    const parent = other?.cards[0]?.noteid ?? ''
    const root = set.cards.find((card) => set.cards.filter(({ parent }) => parent === card.noteid).length > 1)
    const before = await treeIds()
    const { json } = await host.ask('notes.move', { body: { noteIds: [root?.noteid], parent, confirm: true } })
    const after = await treeIds()
    expect(before.length - after.length).toBe(json['moved'])
    expect(after).not.toContain(root?.noteid)
    const { json: there } = await host.ask('studySets.tree', { params: { topicid: other?.topicid ?? '' } })
    const nodes = there['nodes'] as { noteid: string; parent: string | null; depth: number }[]
    const seen = new Map<string, number>()
    for (const node of nodes) {
      expect(node.depth).toBe(node.parent === null ? 0 : (seen.get(node.parent) ?? Number.NaN) + 1)
      seen.set(node.noteid, node.depth)
    }
    expect(nodes.find(({ noteid }) => noteid === root?.noteid)?.parent).toBe(parent)
    expect((await item(root?.noteid ?? ''))['topicid']).toBe(other?.topicid)
  })

  it('a card never moves below itself, and then nothing moves', async () => {
    const child = set.cards.find(({ parent }) => parent !== null)
    const before = await treeIds()
    const body = { noteIds: [at(1), child?.parent], parent: child?.noteid, confirm: true }
    expect((await host.ask('notes.move', { body })).json.error?.code).toBe('MOVE_INTO_ITSELF')
    expect(await treeIds()).toEqual(before)
  })

  it('a copy shares nothing with its original', async () => {
    const source = set.cards.find((card) => card.parts.length > 0 && hasChildWithParts(card)) ?? set.cards[2]
    const noteid = source?.noteid ?? ''
    const original = await item(noteid)
    const { json } = await host.ask('notes.copy', { body: { noteIds: [noteid], parent: at(0), confirm: true } })
    const [copy = ''] = json['noteIds'] as string[]
    await host.ask('notes.text', { params: { noteid: copy }, body: { text: 'Only here', index: 0, confirm: true } })
    await host.ask('notes.mergeBranch', { params: { noteid: copy }, body: { confirm: true } })
    const changed = await item(copy)
    expect((changed['parts'] as unknown[]).length).toBeGreaterThan((original['parts'] as unknown[]).length)
    expect(JSON.stringify(changed)).toContain('Only here')
    expect(await item(noteid)).toEqual(original)
  })

  it('a branch is merged into its card', async () => {
    const root = set.cards.find((card) => set.cards.some(({ parent }) => parent === card.noteid))
    const noteid = root?.noteid ?? ''
    const children = set.cards.filter(({ parent }) => parent === noteid)
    const { json } = await host.ask('notes.mergeBranch', { params: { noteid }, body: { confirm: true } })
    expect(json['merged']).toEqual(expect.arrayContaining(children.map((card) => card.noteid)))
    const texts = (await item(noteid))['texts'] as { text: string }[]
    const [line] = children[0]?.texts ?? []
    expect(texts.map(({ text }) => text)).toContain(line?.text)
    expect(await treeIds()).not.toContain(children[0]?.noteid)
  })

  it('an id that does not exist stops the write before anything is done', async () => {
    const before = await treeIds()
    const body = { noteIds: [at(1), 'NOBODY'], confirm: true }
    for (const id of ['notes.delete', 'notes.move', 'notes.copy', 'notes.hashtags', 'notes.metadata', 'notes.fold']) {
      expect((await host.ask(id, { body })).json.error?.code, id).toBe('NOTE_NOT_FOUND')
    }
    expect(await treeIds()).toEqual(before)
  })

  it('a version point brings back what was deleted', async () => {
    const topicid = set.topicid
    const made = await host.ask('studySets.createSnapshot', { params: { topicid }, body: {} })
    const before = await treeIds()
    await host.ask('notes.delete', { body: { noteIds: [before[0]], confirm: true } })
    expect((await treeIds()).length).toBeLessThan(before.length)
    const snapshotId = String(made.json['snapshotId'])
    await host.ask('snapshots.restore', { params: { snapshotId }, body: { confirm: true } })
    expect(await treeIds()).toEqual(before)
    expect((await item(before[0] ?? ''))['noteid']).toBe(before[0])
  })

  it('a deck says that the source of a card is gone', async () => {
    const deckId = host.host.state.library.decks[0]?.deckId ?? ''
    const cards = async () =>
      (await host.ask('decks.cards', { params: { deckId } })).json['cards'] as {
        sourceNoteId: string
        sourceAlive: boolean
      }[]
    const alive = (await cards()).find(({ sourceAlive }) => sourceAlive)
    await host.ask('notes.delete', { body: { noteIds: [alive?.sourceNoteId], confirm: true } })
    const now = (await cards()).find(({ sourceNoteId }) => sourceNoteId === alive?.sourceNoteId)
    expect(now?.sourceAlive).toBe(false)
  })
})

describe('what stands on a card', () => {
  it('comments are added, changed, taken away, and guarded by their revision', async () => {
    const params = { noteid: at(1) }
    const read = (await item(at(1)))['commentsRevision']
    const body = { text: 'First', expectedRevision: read, confirm: true }
    const added = await host.ask('notes.comments', { params, body })
    expect((await host.ask('notes.comments', { params, body })).json.error?.code).toBe('COMMENT_CHANGED')
    const index = String(added.json['index'])
    await host.ask('notes.comment', { params: { ...params, index }, body: { text: 'Second', confirm: true } })
    expect(JSON.stringify(await item(at(1)))).toContain('Second')
    await host.ask('notes.deleteComment', { params: { ...params, index }, body: { confirm: true } })
    expect(JSON.stringify(await item(at(1)))).not.toContain('Second')
    const gone = await host.ask('notes.deleteComment', { params: { ...params, index }, body: { confirm: true } })
    expect([gone.status, gone.json.error?.code]).toEqual([404, 'COMMENT_NOT_FOUND'])
  })

  it('occlusions change the picture', async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) => parts.some(({ masks }) => masks))
    const noteid = card?.noteid ?? ''
    const contentId = card?.parts.find(({ masks }) => masks)?.contentId ?? ''
    const picture = async () => Buffer.from((await host.ask('notes.content', { params: { noteid, contentId } })).bytes)
    const before = await picture()
    const masks = [{ rect: [0, 0, 1, 0.5] }]
    await host.ask('notes.imageOcclusions', { params: { noteid }, body: { contentId, masks, confirm: true } })
    expect((await picture()).equals(before)).toBe(false)
    const wrong = { contentId, masks: [{ rect: [0, 0, 2, 1] }], confirm: true }
    expect((await host.ask('notes.imageOcclusions', { params: { noteid }, body: wrong })).status).toBe(422)
  })

  it('folding and sub-maps are seen in the tree', async () => {
    await host.ask('notes.fold', { body: { noteIds: [at(1)], confirm: true } })
    await host.ask('notes.foldIntoSubMap', { params: { noteid: at(1) }, body: { confirm: true } })
    const { json } = await host.ask('studySets.tree', { params: { topicid: set.topicid } })
    const node = (json['nodes'] as { noteid: string; folded?: boolean; subMapId?: string }[]).find(
      ({ noteid }) => noteid === at(1),
    )
    expect(node).toMatchObject({ folded: true, subMapId: expect.any(String) as string })
    const maps = (await host.ask('studySets.subMaps', { params: { topicid: set.topicid } })).json['subMaps']
    expect((maps as { noteid: string }[]).map(({ noteid }) => noteid)).toContain(at(1))
  })

  it('levels outside the capabilities are refused', async () => {
    const body = { noteIds: [at(1)], colorIndex: 16, confirm: true }
    expect((await host.ask('notes.metadata', { body })).json.error?.code).toBe('PARAMETER_INVALID')
  })
})

describe('the interface', () => {
  it('shows what was opened, focused and applied', async () => {
    const other = host.host.state.library.sets[1]?.topicid ?? ''
    await host.ask('studySets.open', { params: { topicid: other }, body: {} })
    expect((await host.ask('uiState.get')).json['state']).toMatchObject({ topicid: other })
    await host.ask('notes.focus', { params: { noteid: at(2) }, body: {} })
    expect((await host.ask('context.get')).json).toMatchObject({
      studySet: { topicid: set.topicid },
      focusedNote: { noteid: at(2) },
    })
    const unknown = await host.ask('uiState.apply', { body: { state: { topicid: other, focusnoteid: 'NOBODY' } } })
    expect(unknown.json.error?.code).toBe('NOTE_NOT_FOUND')
    expect((await host.ask('uiState.get')).json['state']).toMatchObject({ topicid: set.topicid })
  })

  it('a study set that is open is not deleted', async () => {
    const { topicid, title } = set
    await host.ask('studySets.open', { params: { topicid }, body: {} })
    const refused = await host.ask('studySets.delete', {
      params: { topicid },
      body: { expectedTitle: title, confirm: true },
    })
    expect([refused.status, refused.json.error?.code]).toEqual([409, 'STUDY_SET_IN_USE'])
  })
})

describe('the dry run of a write without confirm is what the write then does', () => {
  it('names the cards that are deleted', async () => {
    const root = set.cards.find((card) => set.cards.some(({ parent }) => parent === card.noteid))
    const body = { noteIds: [root?.noteid] }
    const asked = await host.ask('notes.delete', { body })
    expect([asked.status, asked.json.error?.code]).toEqual([422, 'CONFIRM_REQUIRED'])
    const { dryRun } = asked.json.error?.details as { dryRun: { cards: { noteid: string }[] } }
    const done = await host.ask('notes.delete', { body: { ...body, confirm: true } })
    expect(done.json['removed']).toEqual(dryRun.cards.map(({ noteid }) => noteid))
  })

  it('shows tags before and after', async () => {
    const body = { noteIds: [at(1)], add: ['#dry'] }
    const asked = await host.ask('notes.hashtags', { body })
    const { dryRun } = asked.json.error?.details as { dryRun: { cards: { after: string[] }[] } }
    const done = await host.ask('notes.hashtags', { body: { ...body, confirm: true } })
    expect((done.json['items'] as { hashtags: string[] }[])[0]?.hashtags).toEqual(dryRun.cards[0]?.after)
  })

  it('says that the write would be refused', async () => {
    const asked = await host.ask('notes.delete', { body: { noteIds: ['NOBODY'] } })
    expect(asked.json.error).toMatchObject({
      code: 'CONFIRM_REQUIRED',
      details: { dryRun: { error: { code: 'NOTE_NOT_FOUND' } } },
    })
  })
})
