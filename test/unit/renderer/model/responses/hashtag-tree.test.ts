import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHashtags, addListedNoteIds } from '../../../../../renderer/model/responses/hashtag-tree.ts'

const paths = (response: unknown) => parseHashtags(response).map(({ path }) => path)

describe('the tags of a study set', () => {
  test('are read from the flat nodes, else the nested tree, else the bare list', () => {
    const nodes = [
      { path: 'a/b', directCardCount: 2, cardCount: 3, noteIds: ['N'] },
      { path: 'a', derived: true },
    ]
    expect(parseHashtags({ nodes })).toMatchObject([
      { path: 'a', isDerived: true, directCount: null },
      { path: 'a/b', name: 'b', directCount: 2, totalCount: 3, noteIds: ['N'] },
    ])
    expect(paths({ tree: [{ name: 'a', children: [{ name: 'b' }] }] })).toEqual(['a', 'a/b'])
    expect(paths({ hashtags: ['#x/y', '#x', 'z'] })).toEqual(['x', 'x/y', 'z'])
  })

  test.each([
    ['nodes with the tag whole', { nodes: [{ hashtag: '#a/b', cardCount: '3', noteIds: [{ noteid: 'N' }] }] }],
    [
      'a tree with counts as texts',
      { tree: [{ name: 'a', children: [{ tag: 'b', cardCount: '3', noteIds: ['N'] }] }] },
    ],
    ['objects among the tags', { hashtags: [{ hashtag: '#a/b', cardCount: 3, noteIds: ['N'] }] }],
  ])('are read from %s', (_shape, response) => {
    expect(parseHashtags(response).at(-1)).toMatchObject({ path: 'a/b', name: 'b', totalCount: 3, noteIds: ['N'] })
  })

  test('include missing levels between a tag and the top, which are marked', () => {
    expect(parseHashtags({ hashtags: ['a/b/c'] }).map(({ path, isDerived: derived }) => [path, derived])).toEqual([
      ['a', true],
      ['a/b', true],
      ['a/b/c', false],
    ])
  })

  test('are cut to 64 of thousands of levels without extra time', () => {
    const tags = parseHashtags({ hashtags: [`${'x'.repeat(50_000)}/${'deep/er/'.repeat(10_000)}end`, 'fine'] })
    expect(tags).toHaveLength(65)
    expect(tags.at(0)).toMatchObject({ path: 'fine', parentPath: '' })
    const deepest = tags.at(-1)
    expect(deepest?.name.endsWith('deep/er/end')).toBe(true)
    expect(tags.at(-2)?.path).toBe(deepest?.parentPath)
  })

  test('appear once each and after their parent, whatever the host sends', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a b', '中', '-'), { minLength: 1, maxLength: 4 })
      .map((steps) => steps.join('/'))
    const node = fc.oneof(fc.record({ path }), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.record({
          nodes: fc.oneof(fc.array(node), fc.jsonValue()),
          tree: fc.jsonValue(),
          hashtags: fc.oneof(fc.array(path), fc.jsonValue()),
        }),
        (response) => {
          const observations = new Set<string>()
          for (const tag of parseHashtags(response)) {
            expect(observations.has(tag.path)).toBe(false)
            const end = tag.path.lastIndexOf('/')
            expect(tag.parentPath).toBe(tag.path.slice(0, Math.max(0, end)))
            if (end > 0) expect(observations.has(tag.parentPath)).toBe(true)
            observations.add(tag.path)
          }
        },
      ),
    )
  })
})

test('safety 52: a tag with more child tags than a function call takes as arguments is read', () => {
  const children = Array.from({ length: 200_000 }, (_, index) => ({ name: `t${index}` }))
  expect(parseHashtags({ tree: [{ name: 'a', children }] })).toHaveLength(200_001)
})

test('the cards of tags are read from a card listing, by path or as a list', () => {
  const tags = parseHashtags({ nodes: [{ path: 'heart', directCardCount: 2 }] })
  const expected = [
    ['heart', ['A', 'B']],
    ['lung', ['C']],
  ]
  for (const hashtags of [
    { '#heart': ['A', 'B'], lung: ['C'] },
    [
      { hashtag: '#heart', noteIds: ['A', 'B'] },
      { path: 'lung', noteIds: ['C'] },
    ],
  ]) {
    expect(addListedNoteIds(tags, { nodes: [], hashtags }).map(({ path, noteIds }) => [path, noteIds])).toEqual(
      expected,
    )
  }
  expect(addListedNoteIds(tags, null)).toEqual(tags)
})

test.each([
  ['a map with the cards of each', { tags: { '#a/b': { held: 1, by: ['N'] }, '#c': { held: 0, by: [] } } }],
  ['a map by tags, wrapped', { result: { all: { '#a/b': ['N'], '#c': [] } } }],
  [
    'a list of objects under another name',
    {
      result: {
        list: [
          { tag: 'a/b', cardIds: ['N'] },
          { tag: 'c', cardIds: [] },
        ],
      },
    },
  ],
])('tags and their cards are read from %s', (_shape, response) => {
  const tags = parseHashtags(response).filter(({ isDerived }) => !isDerived)
  expect(tags.map(({ path, noteIds }) => [path, noteIds])).toEqual([
    ['a/b', ['N']],
    ['c', []],
  ])
})

test('nothing else is taken for tags or their cards', () => {
  expect(parseHashtags({ nodes: [{ path: 'a/b', segments: ['a', 'b'], ancestors: ['a'] }] }).at(-1)?.noteIds).toBeNull()
  expect(parseHashtags({ names: ['a', 'b'], count: 2 })).toEqual([])
  const listing = { nodes: [{ noteid: 'N' }], documents: [{ title: 'Book' }], tags: { '#a': { notes: ['N'] } } }
  expect(addListedNoteIds([], listing).map(({ path, noteIds }) => [path, noteIds])).toEqual([['a', ['N']]])
})
