import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { DemoCard, DemoStudySet } from '../../../electron/demo-host/library/model.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let set: DemoStudySet
const getNoteId = (index: number): string => set.cards[index]?.noteid ?? ''
const confirm = true

beforeAll(async () => {
  host = await startDemo({ stepMs: 10 })
  const [first] = host.host.state.library.sets
  if (!first) throw new Error('no study set')
  set = first
})
afterAll(() => host.host.close())

const fetchItem = async (noteid: string): Promise<Record<string, unknown>> => {
  const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
  return (json['items'] as Record<string, unknown>[])[0] ?? {}
}
const fetchTree = async (topicid = set.topicid) => {
  const { json } = await host.ask('studySets.tree', { params: { topicid } })
  return json['nodes'] as {
    noteid: string
    parent: string | null
    depth: number
    folded?: boolean
    subMapId?: string
  }[]
}
const fetchTreeIds = async (topicid = set.topicid): Promise<string[]> =>
  (await fetchTree(topicid)).map(({ noteid }) => noteid)
const findChildren = (noteid: string): DemoCard[] => set.cards.filter(({ parent }) => parent === noteid)
const findCardWithChildren = (minChildren: number, fits: (card: DemoCard) => boolean = () => true): DemoCard => {
  const card = set.cards.find(
    (candidate) => candidate.parent !== null && findChildren(candidate.noteid).length >= minChildren && fits(candidate),
  )
  if (!card) throw new Error('no such card')
  return card
}
const getStatusAndCode = async (id: string, body: object, params: Record<string, string> = {}) => {
  const { status, json } = await host.ask(id, { params, body })
  return [status, json.error?.code]
}

describe('shape of a mind map', () => {
  it('moves a whole branch below the target, with parents before their children', async () => {
    const root = findCardWithChildren(2)
    const target = set.cards.find(({ parent, noteid }) => parent === null && noteid !== getNoteId(0))?.noteid ?? ''
    const before = await fetchTreeIds()
    await host.ask('notes.move', { body: { noteIds: [root.noteid], targetParentNoteId: target, confirm } })
    const nodes = await fetchTree()
    expect(nodes.map(({ noteid }) => noteid).sort()).toEqual([...before].sort())
    const depthById = new Map<string, number>()
    for (const node of nodes) {
      expect(node.depth).toBe(node.parent === null ? 0 : (depthById.get(node.parent) ?? Number.NaN) + 1)
      depthById.set(node.noteid, node.depth)
    }
    expect(nodes.find(({ noteid }) => noteid === root.noteid)?.parent).toBe(target)
  })

  it('allows several moves at once, but never to another study set or below themselves', async () => {
    const [a, b] = [getNoteId(3), getNoteId(4)]
    const moves = [a, b].map((noteid) => ({ noteIds: [noteid], targetParentNoteId: getNoteId(0) }))
    expect(await getStatusAndCode('notes.move', { moves, confirm })).toEqual([200, undefined])
    const parents = (await fetchTree()).filter(({ noteid }) => noteid === a || noteid === b).map(({ parent }) => parent)
    expect(parents).toEqual([getNoteId(0), getNoteId(0)])
    const before = await fetchTreeIds()
    const cardOfOtherSet = host.host.state.library.sets[1]?.cards[0]?.noteid
    expect(await getStatusAndCode('notes.move', { noteIds: [a], targetParentNoteId: cardOfOtherSet, confirm })).toEqual(
      [422, 'DIFFERENT_STUDY_SETS'],
    )
    const child = set.cards.find(({ parent }) => parent !== null)
    expect(
      await getStatusAndCode('notes.move', { noteIds: [child?.parent], targetParentNoteId: child?.noteid, confirm }),
    ).toEqual([422, 'MOVE_INTO_ITSELF'])
    expect(await fetchTreeIds()).toEqual(before)
  })

  it('separates a copy from its original, and lists what the copy leaves out', async () => {
    const source = findCardWithChildren(1, (card) => card.parts.length > 0)
    const original = await fetchItem(source.noteid)
    const before = new Set(await fetchTreeIds())
    const [child] = findChildren(source.noteid)
    const body = { noteIds: [source.noteid, child?.noteid], targetParentNoteId: getNoteId(0), mode: 'clone' }
    const skipped = [{ noteid: child?.noteid, reason: 'covered_by_selected_ancestor' }]
    const unconfirmed = await host.ask('notes.copy', { body })
    expect(unconfirmed.json.error).toMatchObject({ code: 'CONFIRM_REQUIRED', details: { skipped } })
    const { wouldCopy } = unconfirmed.json.error?.details as { wouldCopy: number }
    const done = await host.ask('notes.copy', { body: { ...body, confirm } })
    expect(done.json).toMatchObject({ persisted: true, skipped })
    const added = (await fetchTreeIds()).filter((id) => !before.has(id))
    expect(added.length).toBe(wouldCopy)
    const copy = added[0] ?? ''
    await host.ask('notes.text', { params: { noteid: copy }, body: { text: 'Only here', confirm } })
    expect(JSON.stringify(await fetchItem(copy))).toContain('Only here')
    expect(await fetchItem(source.noteid)).toEqual(original)
  })

  it('deletes only the listed card and moves its children to the card above', async () => {
    const card = findCardWithChildren(
      2,
      ({ docBookmd5, texts }) => docBookmd5 === null || !texts.some(({ excerpt }) => excerpt),
    )
    const children = findChildren(card.noteid).map(({ noteid }) => noteid)
    const body = { noteIds: [card.noteid] }
    const unconfirmed = await host.ask('notes.delete', { body })
    expect(unconfirmed.json.error).toMatchObject({
      code: 'CONFIRM_REQUIRED',
      details: { wouldDelete: 1, cards: [{ noteid: card.noteid, outcome: 'deleted' }] },
    })
    const done = await host.ask('notes.delete', { body: { ...body, confirm } })
    expect(done.json).toMatchObject({
      deleted: [{ noteid: card.noteid, outcome: 'deleted' }],
      childrenReattachedTo: 'grandparent',
      orphanedChildren: children.length,
    })
    const nodes = await fetchTree()
    expect(nodes.some(({ noteid }) => noteid === card.noteid)).toBe(false)
    for (const id of children) expect(nodes.find(({ noteid }) => noteid === id)?.parent).toBe(card.parent)
    const [topCard] = nodes
    const last = await host.ask('notes.delete', { body: { noteIds: [topCard?.noteid], confirm } })
    expect(last.json['childrenReattachedTo']).toBe('topLevel')
  })

  it('hides an excerpt and keeps its highlight, and deletes a source together with its review cards', async () => {
    const [deck] = host.host.state.library.decks
    const fetchDeckCards = () => host.ask('decks.cards', { params: { deckId: deck?.deckId ?? '' } })
    const listDeckCards = async () =>
      (await fetchDeckCards()).json['cards'] as { sourceNoteId: string; sourceAlive: boolean }[]
    const isExcerpt = ({ docBookmd5, texts }: DemoCard): boolean =>
      docBookmd5 !== null && texts.some(({ excerpt }) => excerpt)
    const sources = (await listDeckCards()).flatMap(
      ({ sourceNoteId }) => host.host.state.library.cards.get(sourceNoteId) ?? [],
    )
    const [hidden, deleted] = [sources.find(isExcerpt), sources.find((card) => !isExcerpt(card))]
    const done = await host.ask('notes.delete', { body: { noteIds: [hidden?.noteid, deleted?.noteid], confirm } })
    expect(done.json['deleted']).toEqual([
      { noteid: hidden?.noteid, outcome: 'hidden' },
      { noteid: deleted?.noteid, outcome: 'deleted' },
    ])
    const remaining = await listDeckCards()
    expect(remaining.find(({ sourceNoteId }) => sourceNoteId === hidden?.noteid)?.sourceAlive).toBe(false)
    expect(remaining.some(({ sourceNoteId }) => sourceNoteId === deleted?.noteid)).toBe(false)
  })

  it('merges children into their card, and deeper levels only on request', async () => {
    const card = findCardWithChildren(1, ({ noteid }) =>
      findChildren(noteid).some((child) => findChildren(child.noteid).length > 0 && child.subMapId === null),
    )
    const child = findChildren(card.noteid).find(({ noteid }) => findChildren(noteid).length > 0)
    const grandchildren = findChildren(child?.noteid ?? '').map(({ noteid }) => noteid)
    const { title } = card
    const unconfirmed = await host.ask('notes.mergeBranch', { params: { noteid: card.noteid }, body: {} })
    const { willMerge } = unconfirmed.json.error?.details as { willMerge: { noteid: string; title: string }[] }
    const done = await host.ask('notes.mergeBranch', { params: { noteid: card.noteid }, body: { confirm } })
    expect(done.json).toMatchObject({ persisted: true, notMergedCount: 0, skipped: [] })
    const ids = await fetchTreeIds()
    for (const { noteid } of willMerge) expect(ids).not.toContain(noteid)
    expect((await fetchItem(card.noteid))['title']).toBe([title, ...willMerge.map((merged) => merged.title)].join('; '))
    for (const id of grandchildren)
      expect((await fetchTree()).find(({ noteid }) => noteid === id)?.parent).toBe(card.noteid)
  })

  it('changes nothing if one id is unknown', async () => {
    const before = await fetchTreeIds()
    const noteIds = [getNoteId(1), 'NOBODY']
    const bodies = {
      'notes.delete': {},
      'notes.move': { targetParentNoteId: getNoteId(0) },
      'notes.copy': { targetParentNoteId: getNoteId(0), mode: 'clone' },
      'notes.hashtags': { operation: 'add', hashtags: ['#x'] },
      'notes.metadata': { patch: { colorIndex: 1 } },
      'notes.fold': { folded: true },
    }
    for (const [id, body] of Object.entries(bodies)) {
      expect(await getStatusAndCode(id, { noteIds, ...body, confirm }), id).toEqual([404, 'NOTE_NOT_FOUND'])
    }
    expect(await fetchTreeIds()).toEqual(before)
  })
})

describe('content of a card', () => {
  it('changes a title, a text and a comment only with the expected prefix', async () => {
    const params = { noteid: getNoteId(1) }
    const { title } = (await fetchItem(getNoteId(1))) as { title: string }
    const stale = { text: 'New', expectedPrefix: 'something else', confirm }
    expect(await getStatusAndCode('notes.title', stale, params)).toEqual([409, 'COMMENT_CHANGED'])
    expect(await getStatusAndCode('notes.text', stale, params)).toEqual([409, 'COMMENT_CHANGED'])
    expect(
      await getStatusAndCode('notes.title', { ...stale, expectedPrefix: [...title].slice(0, 32).join('') }, params),
    ).toEqual([200, undefined])
    expect((await fetchItem(getNoteId(1)))['title']).toBe('New')
    await host.ask('notes.comments', { params, body: { text: 'First', confirm } })
    const texts = (await fetchItem(getNoteId(1)))['texts'] as { index: number; text: string; kind: string }[]
    const index = String(texts.findLast(({ text }) => text === 'First')?.index)
    const commentParams = { ...params, index }
    expect(await getStatusAndCode('notes.comment', { ...stale }, commentParams)).toEqual([409, 'COMMENT_CHANGED'])
    expect(
      await getStatusAndCode('notes.comment', { text: 'Second', expectedPrefix: 'First', confirm }, commentParams),
    ).toEqual([200, undefined])
    expect(await getStatusAndCode('notes.deleteComment', { expectedPrefix: 'First', confirm }, commentParams)).toEqual([
      409,
      'COMMENT_CHANGED',
    ])
    expect(await getStatusAndCode('notes.deleteComment', { expectedPrefix: 'Second', confirm }, commentParams)).toEqual(
      [200, undefined],
    )
    expect(await getStatusAndCode('notes.deleteComment', { confirm }, commentParams)).toEqual([
      404,
      'COMMENT_NOT_FOUND',
    ])
    expect(await getStatusAndCode('notes.comment', { text: 'x', confirm }, { ...params, index: '0' })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
  })

  it('matches an empty prefix only with an empty text', async () => {
    const params = { noteid: getNoteId(1) }
    expect(await getStatusAndCode('notes.title', { text: '', expectedPrefix: '', confirm }, params)).toEqual([
      409,
      'COMMENT_CHANGED',
    ])
    expect(await getStatusAndCode('notes.title', { text: '', confirm }, params)).toEqual([200, undefined])
    expect(await getStatusAndCode('notes.title', { text: 'Again', expectedPrefix: '', confirm }, params)).toEqual([
      200,
      undefined,
    ])
  })

  it('adds, removes and replaces hashtags, and keeps the first spelling', async () => {
    const noteIds = [getNoteId(1)]
    const changeHashtags = (operation: string, hashtags: string[], more: object = {}) =>
      host.ask('notes.hashtags', { body: { noteIds, operation, hashtags, ...more, confirm } })
    const fetchTags = async () => (await fetchItem(getNoteId(1)))['hashtags']
    await changeHashtags('replace', ['#A', 'a/b', '#c'])
    expect(await fetchTags()).toEqual(['#A', '#a/b', '#c'])
    await changeHashtags('add', ['#a', '#C', '#d'])
    expect(await fetchTags()).toEqual(['#A', '#a/b', '#c', '#d'])
    await changeHashtags('remove', ['#a'])
    expect(await fetchTags()).toEqual(['#a/b', '#c', '#d'])
    await changeHashtags('remove', ['#a'], { includeDescendants: true })
    expect(await fetchTags()).toEqual(['#c', '#d'])
    await changeHashtags('replace', [])
    expect(await fetchTags()).toEqual([])
    for (const invalidTag of ['#a//b', '#a b', '#a #b', '', '#']) {
      expect((await changeHashtags('add', [invalidTag])).status, invalidTag).toBe(422)
    }
    const asText = await host.ask('notes.text', {
      params: { noteid: getNoteId(1) },
      body: { text: '#a/b #c', confirm },
    })
    expect(asText.json.error).toMatchObject({
      code: 'HASHTAG_ROUTE_REQUIRED',
      details: { example: { hashtags: ['#a/b', '#c'] } },
    })
  })

  it('sets color and fill only from the patch, within the listed range', async () => {
    const noteIds = [getNoteId(1)]
    expect(await getStatusAndCode('notes.metadata', { noteIds, patch: { colorIndex: 11 }, confirm })).toEqual([
      200,
      undefined,
    ])
    expect((await fetchItem(getNoteId(1)))['metadata']).toMatchObject({ colorIndex: 11 })
    expect(await getStatusAndCode('notes.metadata', { noteIds, patch: { colorIndex: 16 }, confirm })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
    expect(await getStatusAndCode('notes.metadata', { noteIds, patch: {}, confirm })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
  })

  it('reports folded and skipped cards, and can undo a sub-map', async () => {
    const card = findCardWithChildren(1)
    const leaf = set.cards.find(({ noteid }) => findChildren(noteid).length === 0)?.noteid
    const folded = await host.ask('notes.fold', { body: { noteIds: [card.noteid, leaf], folded: true, confirm } })
    expect(folded.json).toMatchObject({ changed: 1, skipped: [{ noteid: leaf, reason: 'no_children' }] })
    const fetchNode = async () => (await fetchTree()).find(({ noteid }) => noteid === card.noteid)
    expect(await fetchNode()).toMatchObject({ folded: true })
    const params = { noteid: card.noteid }
    await host.ask('notes.foldIntoSubMap', { params, body: { confirm } })
    expect(await fetchNode()).toHaveProperty('subMapId')
    await host.ask('notes.foldIntoSubMap', { params, body: { undo: true, confirm } })
    expect(await fetchNode()).not.toHaveProperty('subMapId')
    expect(await getStatusAndCode('notes.foldIntoSubMap', { confirm }, { noteid: leaf ?? '' })).toEqual([
      422,
      'NO_CHILDREN',
    ])
  })

  it('changes the occlusions of a picture only after a preview without changes since', async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) => parts.some(({ masks }) => masks))
    const noteid = card?.noteid ?? ''
    const contentId = card?.parts.find(({ masks }) => masks)?.contentId ?? ''
    const fetchPicture = async () =>
      Buffer.from((await host.ask('notes.content', { params: { noteid, contentId } })).bytes)
    const before = await fetchPicture()
    const masks = [{ rect: { x: 0, y: 0, width: 1, height: 0.5 } }]
    const body = { coordinateSpace: 'normalized', operation: 'replace', masks }
    const preview = await host.ask('notes.imageOcclusions', { params: { noteid }, body })
    const { sourceFingerprint, maskFingerprint } = preview.json.error?.details as Record<string, string>
    expect(await getStatusAndCode('notes.imageOcclusions', { ...body, confirm }, { noteid })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
    const completeBody = {
      ...body,
      expectedSourceFingerprint: sourceFingerprint,
      expectedMaskFingerprint: maskFingerprint,
      confirm,
    }
    expect(
      await getStatusAndCode('notes.imageOcclusions', { ...completeBody, expectedSourceFingerprint: 'x' }, { noteid }),
    ).toEqual([409, 'IMAGE_SOURCE_CHANGED'])
    expect((await fetchPicture()).equals(before)).toBe(true)
    expect(await getStatusAndCode('notes.imageOcclusions', completeBody, { noteid })).toEqual([200, undefined])
    expect((await fetchPicture()).equals(before)).toBe(false)
    expect(await getStatusAndCode('notes.imageOcclusions', completeBody, { noteid })).toEqual([
      409,
      'OCCLUSION_CHANGED',
    ])
    const wideMasks = [{ rect: { x: 0, y: 0, w: 2, h: 1 } }]
    expect(
      (await host.ask('notes.imageOcclusions', { params: { noteid }, body: { ...body, masks: wideMasks } })).status,
    ).toBe(422)
  })

  it('writes to a blank by its own id, and creates a backlink for a link to a card', async () => {
    const card = set.cards.find(({ bands }) => bands.length > 0)
    const fetchBlanks = async () =>
      ((await fetchItem(card?.noteid ?? ''))['texts'] as { kind: string; noteid: string; text: string }[]).filter(
        ({ kind }) => kind === 'blank',
      )
    const [blank] = await fetchBlanks()
    const done = await host.ask('notes.text', {
      params: { noteid: blank?.noteid ?? '' },
      body: { text: 'On the blank', expectedPrefix: '', confirm },
    })
    expect(done.json).toMatchObject({ persisted: true, groupCacheUpdated: true })
    expect((await fetchBlanks())[0]?.text).toBe('On the blank')
    const [from, to] = [getNoteId(1), getNoteId(2)]
    await host.ask('notes.comments', {
      params: { noteid: from },
      body: { text: `marginnote4app://note/${to}`, confirm },
    })
    expect(JSON.stringify(await fetchItem(to))).toContain(`marginnote4app://note/${from}`)
  })
})

test('the user of the host edits cards from time to time, and no request tells of it', async () => {
  const { host } = await startDemo({ userEditMs: 5 })
  const set = host.state.library.sets.find(({ topicid }) => topicid === host.state.openState.topicid)
  const readCards = (): string => JSON.stringify(set?.cards)
  const cardsAtStart = readCards()
  await expect.poll(readCards).not.toBe(cardsAtStart)
  expect(host.log).toEqual([])
  await host.close()
})
