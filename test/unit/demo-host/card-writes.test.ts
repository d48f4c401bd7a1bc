import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DemoCard, DemoStudySet } from '../../../electron/demo-host/library/model.ts'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let set: DemoStudySet
const at = (index: number): string => set.cards[index]?.noteid ?? ''
const confirm = true

beforeAll(async () => {
  host = await startDemo({ stepMs: 10 })
  const [first] = host.host.state.library.sets
  if (!first) throw new Error('no study set')
  set = first
})
afterAll(() => host.host.close())

const item = async (noteid: string): Promise<Record<string, unknown>> => {
  const { json } = await host.ask('notes.batchGet', { body: { noteIds: [noteid] } })
  return (json['items'] as Record<string, unknown>[])[0] ?? {}
}
const tree = async (topicid = set.topicid) => {
  const { json } = await host.ask('studySets.tree', { params: { topicid } })
  return json['nodes'] as {
    noteid: string
    parent: string | null
    depth: number
    folded?: boolean
    subMapId?: string
  }[]
}
const treeIds = async (topicid = set.topicid): Promise<string[]> => (await tree(topicid)).map(({ noteid }) => noteid)
const childrenOf = (noteid: string): DemoCard[] => set.cards.filter(({ parent }) => parent === noteid)
const withChildren = (least: number, fits: (card: DemoCard) => boolean = () => true): DemoCard => {
  const found = set.cards.find((card) => card.parent !== null && childrenOf(card.noteid).length >= least && fits(card))
  if (!found) throw new Error('no such card')
  return found
}
const code = async (id: string, body: object, params: Record<string, string> = {}) => {
  const { status, json } = await host.ask(id, { params, body })
  return [status, json.error?.code]
}

describe('the shape of a mind map', () => {
  it('a branch moves whole below the card that is named, and parents stay before their children', async () => {
    const root = withChildren(2)
    const target = set.cards.find(({ parent, noteid }) => parent === null && noteid !== at(0))?.noteid ?? ''
    const before = await treeIds()
    await host.ask('notes.move', { body: { noteIds: [root.noteid], targetParentNoteId: target, confirm } })
    const nodes = await tree()
    expect(nodes.map(({ noteid }) => noteid).sort()).toEqual([...before].sort())
    const seen = new Map<string, number>()
    for (const node of nodes) {
      expect(node.depth).toBe(node.parent === null ? 0 : (seen.get(node.parent) ?? Number.NaN) + 1)
      seen.set(node.noteid, node.depth)
    }
    expect(nodes.find(({ noteid }) => noteid === root.noteid)?.parent).toBe(target)
  })

  it('several moves happen at once, never to another study set or below themselves', async () => {
    const [a, b] = [at(3), at(4)]
    const moves = [a, b].map((noteid) => ({ noteIds: [noteid], targetParentNoteId: at(0) }))
    expect(await code('notes.move', { moves, confirm })).toEqual([200, undefined])
    const parents = (await tree()).filter(({ noteid }) => noteid === a || noteid === b).map(({ parent }) => parent)
    expect(parents).toEqual([at(0), at(0)])
    const before = await treeIds()
    const elsewhere = host.host.state.library.sets[1]?.cards[0]?.noteid
    expect(await code('notes.move', { noteIds: [a], targetParentNoteId: elsewhere, confirm })).toEqual([
      422,
      'DIFFERENT_STUDY_SETS',
    ])
    const child = set.cards.find(({ parent }) => parent !== null)
    expect(await code('notes.move', { noteIds: [child?.parent], targetParentNoteId: child?.noteid, confirm })).toEqual([
      422,
      'MOVE_INTO_ITSELF',
    ])
    expect(await treeIds()).toEqual(before)
  })

  it('a copy shares nothing with its original, and lists what it omits', async () => {
    const source = withChildren(1, (card) => card.parts.length > 0)
    const original = await item(source.noteid)
    const before = new Set(await treeIds())
    const [child] = childrenOf(source.noteid)
    const body = { noteIds: [source.noteid, child?.noteid], targetParentNoteId: at(0), mode: 'clone' }
    const skipped = [{ noteid: child?.noteid, reason: 'covered_by_selected_ancestor' }]
    const asked = await host.ask('notes.copy', { body })
    expect(asked.json.error).toMatchObject({ code: 'CONFIRM_REQUIRED', details: { skipped } })
    const { wouldCopy } = asked.json.error?.details as { wouldCopy: number }
    const done = await host.ask('notes.copy', { body: { ...body, confirm } })
    expect(done.json).toMatchObject({ persisted: true, skipped })
    const added = (await treeIds()).filter((id) => !before.has(id))
    expect(added.length).toBe(wouldCopy)
    const copy = added[0] ?? ''
    await host.ask('notes.text', { params: { noteid: copy }, body: { text: 'Only here', confirm } })
    expect(JSON.stringify(await item(copy))).toContain('Only here')
    expect(await item(source.noteid)).toEqual(original)
  })

  it('only the listed card is deleted: its children move to the card above', async () => {
    const card = withChildren(
      2,
      ({ docBookmd5, texts }) => docBookmd5 === null || !texts.some(({ excerpt }) => excerpt),
    )
    const children = childrenOf(card.noteid).map(({ noteid }) => noteid)
    const body = { noteIds: [card.noteid] }
    const asked = await host.ask('notes.delete', { body })
    expect(asked.json.error).toMatchObject({
      code: 'CONFIRM_REQUIRED',
      details: { wouldDelete: 1, cards: [{ noteid: card.noteid, outcome: 'deleted' }] },
    })
    const done = await host.ask('notes.delete', { body: { ...body, confirm } })
    expect(done.json).toMatchObject({
      deleted: [{ noteid: card.noteid, outcome: 'deleted' }],
      childrenReattachedTo: 'grandparent',
      orphanedChildren: children.length,
    })
    const nodes = await tree()
    expect(nodes.some(({ noteid }) => noteid === card.noteid)).toBe(false)
    for (const id of children) expect(nodes.find(({ noteid }) => noteid === id)?.parent).toBe(card.parent)
    const [top] = nodes
    const last = await host.ask('notes.delete', { body: { noteIds: [top?.noteid], confirm } })
    expect(last.json['childrenReattachedTo']).toBe('topLevel')
  })

  it('an excerpt is hidden and its highlight stays; a deleted source takes its review cards along', async () => {
    const [deck] = host.host.state.library.decks
    const cards = () => host.ask('decks.cards', { params: { deckId: deck?.deckId ?? '' } })
    const list = async () => (await cards()).json['cards'] as { sourceNoteId: string; sourceAlive: boolean }[]
    const isExcerpt = ({ docBookmd5, texts }: DemoCard): boolean =>
      docBookmd5 !== null && texts.some(({ excerpt }) => excerpt)
    const sources = (await list()).flatMap(({ sourceNoteId }) => host.host.state.library.cards.get(sourceNoteId) ?? [])
    const [hidden, gone] = [sources.find(isExcerpt), sources.find((card) => !isExcerpt(card))]
    const done = await host.ask('notes.delete', { body: { noteIds: [hidden?.noteid, gone?.noteid], confirm } })
    expect(done.json['deleted']).toEqual([
      { noteid: hidden?.noteid, outcome: 'hidden' },
      { noteid: gone?.noteid, outcome: 'deleted' },
    ])
    const now = await list()
    expect(now.find(({ sourceNoteId }) => sourceNoteId === hidden?.noteid)?.sourceAlive).toBe(false)
    expect(now.some(({ sourceNoteId }) => sourceNoteId === gone?.noteid)).toBe(false)
  })

  it('children are merged into their card, deeper levels only on request', async () => {
    const card = withChildren(1, ({ noteid }) =>
      childrenOf(noteid).some((child) => childrenOf(child.noteid).length > 0 && child.subMapId === null),
    )
    const child = childrenOf(card.noteid).find(({ noteid }) => childrenOf(noteid).length > 0)
    const below = childrenOf(child?.noteid ?? '').map(({ noteid }) => noteid)
    const { title } = card
    const asked = await host.ask('notes.mergeBranch', { params: { noteid: card.noteid }, body: {} })
    const { willMerge } = asked.json.error?.details as { willMerge: { noteid: string; title: string }[] }
    const done = await host.ask('notes.mergeBranch', { params: { noteid: card.noteid }, body: { confirm } })
    expect(done.json).toMatchObject({ persisted: true, notMergedCount: 0, skipped: [] })
    const ids = await treeIds()
    for (const { noteid } of willMerge) expect(ids).not.toContain(noteid)
    expect((await item(card.noteid))['title']).toBe([title, ...willMerge.map((one) => one.title)].join('; '))
    for (const id of below) expect((await tree()).find(({ noteid }) => noteid === id)?.parent).toBe(card.noteid)
  })

  it('an unknown id stops the write before anything is done', async () => {
    const before = await treeIds()
    const noteIds = [at(1), 'NOBODY']
    const bodies = {
      'notes.delete': {},
      'notes.move': { targetParentNoteId: at(0) },
      'notes.copy': { targetParentNoteId: at(0), mode: 'clone' },
      'notes.hashtags': { operation: 'add', hashtags: ['#x'] },
      'notes.metadata': { patch: { colorIndex: 1 } },
      'notes.fold': { folded: true },
    }
    for (const [id, body] of Object.entries(bodies)) {
      expect(await code(id, { noteIds, ...body, confirm }), id).toEqual([404, 'NOTE_NOT_FOUND'])
    }
    expect(await treeIds()).toEqual(before)
  })
})

describe('the contents of a card', () => {
  it('a title, a text and a comment change only if the prefix is the expected one', async () => {
    const params = { noteid: at(1) }
    const { title } = (await item(at(1))) as { title: string }
    const stale = { text: 'New', expectedPrefix: 'something else', confirm }
    expect(await code('notes.title', stale, params)).toEqual([409, 'COMMENT_CHANGED'])
    expect(await code('notes.text', stale, params)).toEqual([409, 'COMMENT_CHANGED'])
    expect(await code('notes.title', { ...stale, expectedPrefix: [...title].slice(0, 32).join('') }, params)).toEqual([
      200,
      undefined,
    ])
    expect((await item(at(1)))['title']).toBe('New')
    await host.ask('notes.comments', { params, body: { text: 'First', confirm } })
    const texts = (await item(at(1)))['texts'] as { index: number; text: string; kind: string }[]
    const index = String(texts.findLast(({ text }) => text === 'First')?.index)
    const one = { ...params, index }
    expect(await code('notes.comment', { ...stale }, one)).toEqual([409, 'COMMENT_CHANGED'])
    expect(await code('notes.comment', { text: 'Second', expectedPrefix: 'First', confirm }, one)).toEqual([
      200,
      undefined,
    ])
    expect(await code('notes.deleteComment', { expectedPrefix: 'First', confirm }, one)).toEqual([
      409,
      'COMMENT_CHANGED',
    ])
    expect(await code('notes.deleteComment', { expectedPrefix: 'Second', confirm }, one)).toEqual([200, undefined])
    expect(await code('notes.deleteComment', { confirm }, one)).toEqual([404, 'COMMENT_NOT_FOUND'])
    expect(await code('notes.comment', { text: 'x', confirm }, { ...params, index: '0' })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
  })

  it('an empty prefix matches only an empty text', async () => {
    const params = { noteid: at(1) }
    expect(await code('notes.title', { text: '', expectedPrefix: '', confirm }, params)).toEqual([
      409,
      'COMMENT_CHANGED',
    ])
    expect(await code('notes.title', { text: '', confirm }, params)).toEqual([200, undefined])
    expect(await code('notes.title', { text: 'Again', expectedPrefix: '', confirm }, params)).toEqual([200, undefined])
  })

  it('hashtags are added, removed with those below, and replaced; the first spelling stays', async () => {
    const noteIds = [at(1)]
    const change = (operation: string, hashtags: string[], more: object = {}) =>
      host.ask('notes.hashtags', { body: { noteIds, operation, hashtags, ...more, confirm } })
    const tags = async () => (await item(at(1)))['hashtags']
    await change('replace', ['#A', 'a/b', '#c'])
    expect(await tags()).toEqual(['#A', '#a/b', '#c'])
    await change('add', ['#a', '#C', '#d'])
    expect(await tags()).toEqual(['#A', '#a/b', '#c', '#d'])
    await change('remove', ['#a'])
    expect(await tags()).toEqual(['#a/b', '#c', '#d'])
    await change('remove', ['#a'], { includeDescendants: true })
    expect(await tags()).toEqual(['#c', '#d'])
    await change('replace', [])
    expect(await tags()).toEqual([])
    for (const wrong of ['#a//b', '#a b', '#a #b', '', '#']) {
      expect((await change('add', [wrong])).status, wrong).toBe(422)
    }
    const asText = await host.ask('notes.text', { params: { noteid: at(1) }, body: { text: '#a/b #c', confirm } })
    expect(asText.json.error).toMatchObject({
      code: 'HASHTAG_ROUTE_REQUIRED',
      details: { example: { hashtags: ['#a/b', '#c'] } },
    })
  })

  it('color and fill are set only from the patch, within what the capabilities list', async () => {
    const noteIds = [at(1)]
    expect(await code('notes.metadata', { noteIds, patch: { colorIndex: 11 }, confirm })).toEqual([200, undefined])
    expect((await item(at(1)))['metadata']).toMatchObject({ colorIndex: 11 })
    expect(await code('notes.metadata', { noteIds, patch: { colorIndex: 16 }, confirm })).toEqual([
      422,
      'PARAMETER_INVALID',
    ])
    expect(await code('notes.metadata', { noteIds, patch: {}, confirm })).toEqual([422, 'PARAMETER_INVALID'])
  })

  it('folding says what it changed and what it skipped, and a sub-map can be undone', async () => {
    const card = withChildren(1)
    const leaf = set.cards.find(({ noteid }) => childrenOf(noteid).length === 0)?.noteid
    const folded = await host.ask('notes.fold', { body: { noteIds: [card.noteid, leaf], folded: true, confirm } })
    expect(folded.json).toMatchObject({ changed: 1, skipped: [{ noteid: leaf, reason: 'no_children' }] })
    const node = async () => (await tree()).find(({ noteid }) => noteid === card.noteid)
    expect(await node()).toMatchObject({ folded: true })
    const params = { noteid: card.noteid }
    await host.ask('notes.foldIntoSubMap', { params, body: { confirm } })
    expect(await node()).toHaveProperty('subMapId')
    await host.ask('notes.foldIntoSubMap', { params, body: { undo: true, confirm } })
    expect(await node()).not.toHaveProperty('subMapId')
    expect(await code('notes.foldIntoSubMap', { confirm }, { noteid: leaf ?? '' })).toEqual([422, 'NO_CHILDREN'])
  })

  it('occlusions change the picture, after a preview and only if nothing has changed since', async () => {
    const card = [...host.host.state.library.cards.values()].find(({ parts }) => parts.some(({ masks }) => masks))
    const noteid = card?.noteid ?? ''
    const contentId = card?.parts.find(({ masks }) => masks)?.contentId ?? ''
    const picture = async () => Buffer.from((await host.ask('notes.content', { params: { noteid, contentId } })).bytes)
    const before = await picture()
    const masks = [{ rect: { x: 0, y: 0, width: 1, height: 0.5 } }]
    const body = { coordinateSpace: 'normalized', operation: 'replace', masks }
    const asked = await host.ask('notes.imageOcclusions', { params: { noteid }, body })
    const { sourceFingerprint, maskFingerprint } = asked.json.error?.details as Record<string, string>
    expect(await code('notes.imageOcclusions', { ...body, confirm }, { noteid })).toEqual([422, 'PARAMETER_INVALID'])
    const whole = {
      ...body,
      expectedSourceFingerprint: sourceFingerprint,
      expectedMaskFingerprint: maskFingerprint,
      confirm,
    }
    expect(await code('notes.imageOcclusions', { ...whole, expectedSourceFingerprint: 'x' }, { noteid })).toEqual([
      409,
      'IMAGE_SOURCE_CHANGED',
    ])
    expect((await picture()).equals(before)).toBe(true)
    expect(await code('notes.imageOcclusions', whole, { noteid })).toEqual([200, undefined])
    expect((await picture()).equals(before)).toBe(false)
    expect(await code('notes.imageOcclusions', whole, { noteid })).toEqual([409, 'OCCLUSION_CHANGED'])
    const wide = [{ rect: { x: 0, y: 0, w: 2, h: 1 } }]
    expect(
      (await host.ask('notes.imageOcclusions', { params: { noteid }, body: { ...body, masks: wide } })).status,
    ).toBe(422)
  })

  it('a blank is written to by its own id, and a link to a card creates a backlink', async () => {
    const card = set.cards.find(({ bands }) => bands.length > 0)
    const blanks = async () =>
      ((await item(card?.noteid ?? ''))['texts'] as { kind: string; noteid: string; text: string }[]).filter(
        ({ kind }) => kind === 'blank',
      )
    const [blank] = await blanks()
    const done = await host.ask('notes.text', {
      params: { noteid: blank?.noteid ?? '' },
      body: { text: 'On the blank', expectedPrefix: '', confirm },
    })
    expect(done.json).toMatchObject({ persisted: true, groupCacheUpdated: true })
    expect((await blanks())[0]?.text).toBe('On the blank')
    const [from, to] = [at(1), at(2)]
    await host.ask('notes.comments', {
      params: { noteid: from },
      body: { text: `marginnote4app://note/${to}`, confirm },
    })
    expect(JSON.stringify(await item(to))).toContain(`marginnote4app://note/${from}`)
  })
})
