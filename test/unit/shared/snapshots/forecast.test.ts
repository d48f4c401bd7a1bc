import { describe, expect, test } from 'vitest'
import { appendMember, DETAILS_MEMBER } from '../../../../shared/snapshots/card-content.ts'
import { checkForecast } from '../../../../shared/snapshots/forecast-check.ts'
import { forecastWrite, listForecastIds, type ForecastRequest } from '../../../../shared/snapshots/forecast.ts'
import { buildForest } from '../../../../shared/snapshots/forest.ts'
import { buildListedForest, listCard, toSide, type ListedNode } from './forests.ts'

const request = (endpoint: string, path: string, body: object): ForecastRequest => ({
  ...{ endpoint, path, body: JSON.stringify(body) },
})
const nodes = [
  listCard('A'),
  listCard('B', 'A', { title: 'Old' }),
  listCard('C', 'B'),
  listCard('D', 'C'),
  listCard('E', 'A', { colorIndex: 3 }),
]
const forest = buildListedForest(nodes)
const check = (write: ForecastRequest, after: readonly ListedNode[], facts: object = {}) => {
  const forecast = forecastWrite(write, forest)
  if (!forecast) throw new Error('no forecast')
  return checkForecast(forecast, forest, toSide(after, facts))
}
const removeB = request('notes.delete', '/notes/delete', { noteIds: ['B'] })
const moveB = request('notes.move', '/notes/move', { noteIds: ['B', 'C'], targetParentNoteId: 'E' })
const rename = request('notes.title', '/notes/b/title?x=1', { text: 'New' })

describe('forecasts a write on a snapshot', () => {
  test('the children of a removed card go to the next card above that stays', () => {
    expect(forecastWrite(removeB, forest)?.cards).toMatchObject([
      { noteid: 'B', title: 'Old', kinds: ['removed'], below: 1, place: { after: { noteid: 'A' } } },
    ])
    const nested = request('notes.delete', '/notes/delete', { noteIds: ['B', 'C', 'X', 'c'] })
    expect(forecastWrite(nested, forest)).toMatchObject({
      cards: [
        { noteid: 'B', below: 0, place: null },
        { noteid: 'C', below: 1, place: { after: { noteid: 'A' } } },
      ],
      missing: 1,
    })
  })

  test('the cards below a moved card go along, also those that are named', () => {
    expect(forecastWrite(moveB, forest)?.cards).toMatchObject([
      { noteid: 'B', kinds: ['moved'], below: 2, place: { before: { noteid: 'A' }, after: { noteid: 'E' } } },
    ])
    const several = {
      moves: [
        { noteIds: ['D'], targetParentNoteId: 'A' },
        { noteIds: ['E'], targetParentNoteId: 'A' },
      ],
    }
    expect(forecastWrite(request('notes.move', '/notes/move', several), forest)).toMatchObject({
      cards: [{ noteid: 'D' }],
      unchanged: 1,
    })
    const intoItself = request('notes.move', '/notes/move', { noteIds: ['B'], targetParentNoteId: 'D' })
    expect(forecastWrite(intoItself, forest)).toBeNull()
  })

  test('a title, a colour, tags, a comment, a band and a verdict', () => {
    const list = (write: ForecastRequest) =>
      forecastWrite(write, forest)?.cards.map(({ kinds, members }) => [kinds, members])
    expect(list(rename)).toEqual([[['renamed'], [{ name: 'title', change: 'set', before: 'Old', after: 'New' }]]])
    const color = { noteIds: ['B', 'E'], patch: { colorIndex: 3 } }
    expect(list(request('notes.metadata', '/notes/metadata', color))).toEqual([
      [['recoloured'], [{ name: 'colorIndex', change: 'set', after: 3 }]],
    ])
    const tags = { noteIds: ['B'], operation: 'add', hashtags: ['#x'] }
    expect(list(request('notes.hashtags', '/notes/hashtags', tags))).toEqual([
      [['tags'], [{ name: 'hashtags', change: 'add', after: ['#x'] }]],
    ])
    expect(list(request('notes.comments', '/notes/B/comments', { text: 'More' }))).toEqual([
      [['text'], [{ name: 'texts', change: 'add', after: ['More'] }]],
    ])
    expect(list(request('notes.blankBands', '/notes/B/blank-bands', { height: 80 }))).toMatchObject([[['bands'], [{}]]])
    expect(list(request('notes.practiceVerdict', '/notes/B/practice-verdict', {}))).toMatchObject([
      [['practice'], [{ change: 'new' }]],
    ])
  })

  test('merged cards go, and their titles are appended, unless roots of sub-maps are in between', () => {
    const forecast = (body: object, cards = nodes) =>
      forecastWrite(request('notes.mergeBranch', '/notes/B/merge-branch', body), buildListedForest(cards))?.cards
    expect(forecast({})).toMatchObject([
      { noteid: 'B', kinds: ['renamed'], members: [{ before: 'Old', after: 'Old; C' }] },
      { noteid: 'C', kinds: ['removed'], place: null },
    ])
    expect(forecast({ recursive: true })?.map(({ noteid }) => noteid)).toEqual(['B', 'C', 'D'])
    const mapped = nodes.map((node) => (node.noteid === 'C' ? { ...node, subMapId: 'M' } : node))
    expect(forecast({}, mapped)).toEqual([])
    const sibling = [...mapped, listCard('F', 'B')]
    expect(forecast({ recursive: true }, sibling)).toMatchObject([
      { noteid: 'B', members: [{ name: 'title', change: 'new', before: 'Old' }] },
      { noteid: 'F', kinds: ['removed'] },
    ])
  })

  test('copies of branches, also of cards that the snapshot does not have', () => {
    const copy = { noteIds: ['B', 'C', 'X'], targetParentNoteId: 'E', mode: 'clone' }
    const write = request('notes.copy', '/notes/copy', copy)
    expect(listForecastIds(write)).toEqual(['E'])
    expect(forecastWrite(write, forest)?.cards).toMatchObject([
      { noteid: 'B', kinds: ['added'], below: 2, place: { after: { noteid: 'E' } } },
      { noteid: 'X', kinds: ['added'], below: 0 },
    ])
    const copies = [listCard('B2', 'E', { title: 'Old' }), listCard('C2', 'B2'), listCard('D2', 'C2')]
    expect(check(write, [...nodes, ...copies, listCard('Y', 'E')])).toMatchObject({ differences: [], confirmed: 2 })
    expect(check(write, nodes).differences).toMatchObject([{ kind: 'noCopy' }, { kind: 'noCopy' }])
  })

  test('a sub-map only of a card with children, and folding as well', () => {
    const list = (endpoint: string, path: string, body: object) => forecastWrite(request(endpoint, path, body), forest)
    const path = (id: string) => `/notes/${id}/fold-into-sub-map`
    expect(list('notes.foldIntoSubMap', path('B'), {})?.cards).toMatchObject([
      { kinds: ['subMap'], members: [{ name: 'subMapId', change: 'new' }] },
    ])
    expect(list('notes.foldIntoSubMap', path('B'), { undo: true })).toMatchObject({ cards: [], unchanged: 1 })
    expect(list('notes.foldIntoSubMap', path('D'), {})).toMatchObject({ cards: [], unchanged: 1 })
    const fold = (folded: boolean) => list('notes.fold', '/notes/fold', { noteIds: ['B', 'D'], folded })
    expect(fold(true)).toMatchObject({ cards: [{ noteid: 'B', kinds: ['folded'] }], unchanged: 1 })
    expect(fold(false)).toMatchObject({ cards: [], unchanged: 2 })
  })

  test('a comment by its index, and masks, as far as the snapshot has details', () => {
    const texts = [
      { index: 0, text: 'Own' },
      { index: 2, text: 'Comment' },
    ]
    const toNodes = (details: object) => {
      const content = appendMember('{"title":"A"}', DETAILS_MEMBER, details)
      return buildForest({ ids: ['A'], parentIds: [''], contents: [content] })
    }
    const before = toNodes({ texts, parts: [{ kind: 'image' }] })
    const verify = (write: ForecastRequest, details: object) => {
      const forecast = forecastWrite(write, before)
      if (!forecast) throw new Error('no forecast')
      const after = { forest: toNodes(details), isWhole: true, isInTreeOrder: true, members: null }
      const { differences, confirmed, unchecked } = checkForecast(forecast, before, after)
      return [differences.length, confirmed, unchecked]
    }
    const edit = request('notes.comment', '/notes/A/comments/2', { text: 'New' })
    expect(forecastWrite(edit, before)?.cards[0]?.members).toEqual([
      { name: 'texts', change: 'set', before: 'Comment', after: 'New', index: 2 },
    ])
    expect(verify(edit, { texts: [texts[0], { index: 2, text: 'New' }] })).toEqual([0, 1, 0])
    const remove = request('notes.deleteComment', '/notes/A/comments/2/delete', {})
    expect(verify(remove, { texts: [texts[0]] })).toEqual([0, 1, 0])
    expect(verify(remove, { texts })).toEqual([1, 0, 0])
    const mask = request('notes.imageOcclusions', '/notes/A/image-occlusions', { masks: [] })
    expect(verify(mask, { texts, parts: [{ kind: 'image', occlusion: {} }] })).toEqual([0, 1, 0])
    expect(verify(mask, { texts, parts: [{ kind: 'image' }] })).toEqual([0, 0, 1])
  })

  test('nothing where the table says nothing, or the write is not about cards', () => {
    expect(forecastWrite(request('snapshots.restore', '/snapshots/V/restore', {}), forest)).toBeNull()
    expect(listForecastIds(request('studySets.delete', '/study-sets/T/delete', {}))).toBeNull()
    expect(listForecastIds(request('no such', '/notes/B', {}))).toBeNull()
    expect(listForecastIds({ endpoint: 'notes.move', path: '/notes/move', body: 'no JSON' })).toEqual([])
    expect(forecastWrite(request('notes.title', '/notes/B/title', {}), forest)?.cards).toEqual([])
    const broken = request('notes.move', '/notes/move', { moves: [null, { noteIds: 7 }, { noteIds: [1] }] })
    expect(forecastWrite(broken, forest)).toMatchObject({ cards: [], missing: 0 })
  })
})

describe('compares the forecast with what came', () => {
  const withoutB = (parentOfC: string | null) => [
    ...[listCard('A'), listCard('C', parentOfC), listCard('D', 'C'), listCard('E', 'A')],
  ]

  test('children at the card above or at the top level are as forecast', () => {
    expect(check(removeB, withoutB('A'))).toEqual({ differences: [], confirmed: 2, unchecked: 0 })
    expect(check(removeB, withoutB(null)).differences).toEqual([])
    expect(check(removeB, withoutB('E')).differences).toMatchObject([{ kind: 'place', noteid: 'C', actual: 'E' }])
    expect(check(removeB, nodes).differences).toMatchObject([
      { kind: 'present', noteid: 'B' },
      { kind: 'place', noteid: 'C' },
    ])
  })

  test('a branch that went with its card is not as forecast, unless the snapshot is not whole', () => {
    const rest = [listCard('A'), listCard('E', 'A')]
    expect(check(removeB, rest).differences).toMatchObject([{ kind: 'gone', noteid: 'C' }])
    expect(check(removeB, rest, { isWhole: false })).toEqual({ differences: [], confirmed: 0, unchecked: 2 })
    expect(check(moveB, rest).differences).toMatchObject([
      { kind: 'gone', noteid: 'B' },
      { kind: 'gone', noteid: 'C' },
    ])
  })

  test('a title may be cut in the listing, and details that were not read are not compared', () => {
    const long = 'x'.repeat(80)
    const listed = (title: string) => [listCard('A'), listCard('B', 'A', { title })]
    expect(check(rename, listed('New'))).toEqual({ differences: [], confirmed: 1, unchecked: 0 })
    expect(check(rename, listed('Other')).differences).toMatchObject([
      { kind: 'member', member: 'title', actual: 'Other' },
    ])
    expect(check(request('notes.title', '/notes/B/title', { text: long }), listed(long.slice(0, 64))).confirmed).toBe(1)
    const composed = request('notes.title', '/notes/B/title', { text: 'Caf\u00e9' })
    expect(check(composed, listed('Cafe\u0301')).confirmed).toBe(1)
    const tags = request('notes.hashtags', '/notes/hashtags', { noteIds: ['B'], operation: 'add', hashtags: ['x'] })
    expect(check(tags, nodes, { members: new Set(['title']) })).toEqual({ differences: [], confirmed: 0, unchecked: 1 })
  })
})
