import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCardBands } from '../../../../../renderer/model/cards/bands.ts'
import { parseBlanks } from '../../../../../renderer/model/cards/blanks.ts'
import { parseCardFacts, parsePracticeEntries, parseTagPaths } from '../../../../../renderer/model/cards/card-facts.ts'
import { buildHostLink } from '../../../../../renderer/model/cards/host-link.ts'
import { getPageContentId } from '../../../../../renderer/model/cards/page-content-id.ts'
import { locatePartContent, parseCardParts } from '../../../../../renderer/model/cards/card-parts.ts'
import { collapseEmptyBands, parseCardTexts } from '../../../../../shared/cards.ts'

describe('card texts', () => {
  test('keep the indexes of the host and report missing ones', () => {
    const texts = parseCardTexts({
      texts: [
        { index: 0, text: 'card', kind: 'text' },
        { index: 2, text: 'x', excerpt: true },
        { index: 7, text: null, kind: 'blank' },
        { index: 3, text: 'out of order' },
        { text: 'no index' },
      ],
    })
    expect(texts.map(({ index, missingIndexes: gap }) => [index, gap])).toEqual([
      [0, null],
      [2, [1, 1]],
      [7, [3, 6]],
      [3, null],
      [null, null],
    ])
    expect(texts[1]).toMatchObject({ isExcerpt: true, kind: '' })
  })

  test('combine consecutive empty bands into one line', () => {
    const blank = (index: number, noteid = 'A') => ({ index, kind: 'blank', text: '', noteid })
    const texts = [
      { index: 0, text: 'x' },
      blank(1),
      blank(2),
      blank(4),
      blank(5, 'B'),
      { ...blank(6, 'B'), text: 'not empty' },
    ]
    expect(
      collapseEmptyBands(parseCardTexts({ texts })).map(({ text, until, count }) => [text.index, until, count]),
    ).toEqual([
      [0, null, 1],
      [1, 2, 2],
      [4, null, 1],
      [5, null, 1],
      [6, null, 1],
    ])
  })

  test('are shown as sent if they are not objects', () => {
    expect(parseCardTexts({ texts: ['plain', 5, ['a']] }).map(({ text }) => text)).toEqual(['plain', '5', '["a"]'])
  })
})

test('parts keep their order, with a count of masks if there is an occlusion', () => {
  const parts = parseCardParts({
    parts: [
      { index: 4, kind: 'image', contentId: 'c', occlusion: { masks: [{}, {}] } },
      { kind: 'image', occlusion: {} },
      { kind: 'video', occlusion: null },
      'strange',
    ],
  })
  expect(
    parts.map(({ position: index, kind, maskCount: masks, contentId }) => [index, kind, masks, contentId]),
  ).toEqual([
    [0, 'image', 2, 'c'],
    [1, 'image', 0, null],
    [2, 'video', null, null],
    [3, '', null, null],
  ])
})

test.each([
  ['/notes/B/content/c%2F1', { noteid: 'B', contentId: 'c/1' }],
  ['http://127.0.0.1:1/bridge/v1/notes/B/content/c?layers=base', { noteid: 'B', contentId: 'c' }],
  ['/notes/B/content/%zz', { noteid: 'A', contentId: 'c' }],
  ['/elsewhere/c', { noteid: 'A', contentId: 'c' }],
  [null, { noteid: 'A', contentId: 'c' }],
])('the content of a part with the path %s is located', (contentPath, expected) => {
  expect(locatePartContent({ contentId: 'c', contentPath, kind: 'image', mimeType: '' }, 'A')).toEqual(expected)
})

test.each([
  ['a title with an id of its own', { kind: 'title', contentId: 'c' }, false],
  ['a text with one', { kind: 'text', contentId: 'c', mimeType: 'text/plain' }, false],
  ['an empty band with one', { type: 'blank', contentId: 'c' }, false],
  ['a text that has a path', { kind: 'text', contentId: 'c', contentPath: '/notes/A/content/c' }, true],
  ['a text whose type is a sound', { kind: 'text', contentId: 'c', mimeType: 'audio/mpeg' }, true],
  ['a sound', { kind: 'audio', contentId: 'c' }, true],
  ['a sound that has only a path', { kind: 'audio', contentPath: '/notes/A/content/c' }, true],
  ['a part of an unknown kind', { kind: 'hologram', contentId: 'c' }, true],
  ['a part of no kind', { contentId: 'c' }, true],
  ['a picture without any id', { kind: 'image', mimeType: 'image/png' }, false],
])('locatePartContent decides whether there are bytes of %s', (_label, rawValue, has) => {
  const [part] = parseCardParts({ parts: [rawValue] })
  expect(part && locatePartContent(part, 'A')).toEqual(has ? { noteid: 'A', contentId: 'c' } : null)
})

test.each<[Record<string, string>, string | null]>([
  [{ contentId: 'c', contentPath: '/documents/B/pages/1/content/d' }, 'c'],
  [{ contentPath: '/documents/B/pages/1/content/c%2F1?studySet=T' }, 'c/1'],
  [{ contentPath: 'http://127.0.0.1:1/bridge/v1/documents/B/pages/1/content/c' }, 'c'],
  [{ contentId: '', contentPath: '/documents/B/pages/1' }, null],
  [{ contentPath: '/content/%zz' }, null],
  [{}, null],
])('getPageContentId reads the content id of the part %j', (part, contentId) => {
  expect(getPageContentId(part)).toBe(contentId)
})

describe('hashtags', () => {
  test('are split as the host reports, otherwise at slashes', () => {
    const tags = parseTagPaths({
      hashtags: ['#a/b', 'c', '#law/v. Smith/Jones'],
      hashtagPaths: [
        ['a', 'b'],
        ['law', 'v. Smith/Jones'],
      ],
    })
    expect(tags.map(({ steps }) => steps)).toEqual([['a', 'b'], ['c'], ['law', 'v. Smith/Jones']])
  })

  test('are shown even if only one of the two lists has them', () => {
    expect(parseTagPaths({ hashtagPaths: ['x/y', ['z']] })).toEqual([
      { tag: '#x/y', steps: ['x', 'y'] },
      { tag: '#z', steps: ['z'] },
    ])
    expect(parseTagPaths({ tags: ['#a/b'], lines: ['x'] })).toEqual([{ tag: '#a/b', steps: ['a', 'b'] }])
    expect(parseTagPaths({ hashtags: [], lines: ['# heading', 'x'] })).toEqual([])
    expect(parseTagPaths({ hashtags: [{ path: '#p/q' }, 7] }).map(({ steps }) => steps)).toEqual([['p', 'q'], ['7']])
  })

  test.each<[string, unknown]>([
    ['the object of the documents', { hashtag: '#a/b', path: 'a/b', name: 'b', segments: ['a', 'b'], depth: 2 }],
    ['one without its steps', { hashtag: '#a/b', name: 'b', depth: 2, ancestors: ['#a'] }],
    ['one with a path alone', { path: 'a/b' }],
    ['one with a name and what is above it', { name: 'b', ancestors: ['#a'] }],
    ['a text', '#a/b'],
    ['a text without a hash', 'a/b'],
    ['steps', ['a', 'b']],
    ['steps that are empty, and a path', { segments: [], fullPath: '#a/b' }],
  ])('are read from hashtagPaths as %s', (_shape, rawValue) => {
    expect(parseTagPaths({ hashtagPaths: [rawValue] })).toEqual([{ tag: '#a/b', steps: ['a', 'b'] }])
    expect(parseTagPaths({ hashtagPaths: [rawValue], hashtags: ['#a/b'] })).toEqual([
      { tag: '#a/b', steps: ['a', 'b'] },
    ])
    if (!Array.isArray(rawValue)) expect(parseTagPaths({ hashtags: [rawValue] })[0]?.steps.at(-1)).toBe('b')
  })
})

test('practice entries are read from a list or a single verdict, newest first', () => {
  const verdict = (timestamp: unknown, self: string) => ({ at: timestamp, self, reason: 'careless' })
  expect(
    parsePracticeEntries({ practice: [verdict(1, 'a'), verdict(3, 'b'), verdict('x', 'c')] }).map(({ self }) => self),
  ).toEqual(['b', 'a', 'c'])
  expect(parsePracticeEntries({ practice: verdict(1, 'only') })).toMatchObject([{ self: 'only', reasonLabel: null }])
  expect([parsePracticeEntries({}), parsePracticeEntries({ practice: null })]).toEqual([[], []])
  const responses = [{ practice: verdict(4, 'd') }, { practice: verdict(3, 'b') }, { persisted: true }, 'text']
  const entries = parsePracticeEntries({ practice: [verdict(1, 'a'), verdict(3, 'b')] }, responses)
  expect(entries.map(({ self, isFromWriteResponse: isResponse }) => [self, isResponse])).toEqual([
    ['d', true],
    ['b', false],
    ['a', false],
  ])
})

test('facts are null if the host omits them or sends another type', () => {
  expect(parseCardFacts({ title: 5, metadata: { colorIndex: 'red', fillIndex: -1 }, docPage: '2' })).toEqual({
    title: null,
    topicid: null,
    colorIndex: null,
    fillIndex: -1,
    bookmd5: null,
    page: 2,
  })
})

describe('card bands', () => {
  test('are in sequence order', () => {
    const { bands } = parseCardBands({ bands: [{ seq: 2 }, { seq: 0, hasInk: true }, { seq: 1, live: 'yes' }] })
    expect(bands?.map(({ seq, index: position }) => [seq, position])).toEqual([
      [0, 1],
      [1, 2],
      [2, 0],
    ])
    expect(bands?.map(({ hasInk, live }) => [hasInk, live])).toEqual([
      [true, null],
      [null, null],
      [null, null],
    ])
  })

  test('are unknown without a list, apart from their traces', () => {
    const bands = parseCardBands({
      texts: [{ kind: 'blank', index: 4 }, { kind: 'text' }],
      parts: [{ kind: 'blank_image', contentId: 'c', index: 1 }, { kind: 'ink' }],
    })
    expect(bands.bands).toBeNull()
    expect(bands.traces).toEqual([
      { from: 'text', index: 4, kind: 'blank', contentId: null },
      { from: 'part', index: 1, kind: 'blank_image', contentId: 'c' },
    ])
    expect(parseCardBands({ bands: [] }).bands).toEqual([])
    const created = { timestamp: 9, body: { band: { seq: 2 }, bands: [{ seq: 2 }, { seq: 1 }] } }
    expect(parseCardBands({}, created)).toMatchObject({ bands: [{ seq: 1 }, { seq: 2 }], respondedAt: 9 })
    expect(parseCardBands({ bands: [] }, created)).toMatchObject({ bands: [{ seq: 1 }, { seq: 2 }], respondedAt: 9 })
    expect(parseCardBands({ bands: [] }, { timestamp: 9, body: {} })).toMatchObject({ bands: [], respondedAt: null })
    expect(parseCardBands({}, { timestamp: 9, body: { band: { seq: 2 } } })).toMatchObject({
      bands: [{ seq: 2 }],
      respondedAt: 9,
    })
    expect(parseCardBands({ bands: [{ seq: 5 }] }, created)).toMatchObject({ bands: [{ seq: 5 }], respondedAt: null })
    expect(parseCardBands({}, { timestamp: 9, body: 'text' })).toMatchObject({ bands: null, respondedAt: null })
  })
})

test('numbers and flags sent as texts are converted', () => {
  expect(parseCardTexts({ texts: [{ index: '2', text: 'x', excerpt: 'true' }] })[0]).toMatchObject({
    index: 2,
    isExcerpt: true,
    missingIndexes: [0, 1],
  })
  expect(parseCardParts({ parts: [{ index: '4', kind: 'image', excerpt: 'false' }] })[0]).toMatchObject({
    index: 4,
    isExcerpt: false,
  })
  expect(
    parseCardBands({ bands: [{ seq: '1', height: '240.5', live: 'true', hasInk: 'false' }] }).bands?.[0],
  ).toMatchObject({
    seq: 1,
    height: 240.5,
    live: true,
    hasInk: false,
  })
  expect(parseCardFacts({ metadata: { colorIndex: '3', fillIndex: '-1' } })).toMatchObject({
    colorIndex: 3,
    fillIndex: -1,
  })
})

test('blanks of a page are read with segments of any shape', () => {
  const blanks = parseBlanks([
    { contentIds: ['a', 5], segments: [{ seq: 0, height: 240 }, [1, 2]], mapBacked: false, owner: 'me' },
    null,
  ])
  expect(blanks).toEqual([
    {
      index: 0,
      contentIds: ['a'],
      segments: [
        { seq: 0, height: 240, rawSegment: { seq: 0, height: 240 } },
        { seq: null, height: null, rawSegment: [1, 2] },
      ],
      mapBacked: false,
      owner: 'me',
    },
    { index: 1, contentIds: [], segments: [], mapBacked: null, owner: null },
  ])
})

test('a host link contains only the id', () => {
  expect(buildHostLink('A?b#c/../d')).toBe('marginnote4app://note/A%3Fb%23c%2F..%2Fd')
})

test('safety 33: no JSON value in place of a card causes an error', () => {
  const names = [
    'texts',
    'parts',
    'bands',
    'practice',
    'hashtags',
    'hashtagPaths',
    'metadata',
    'title',
    'occlusion',
    'segments',
  ]
  const item = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }))
  fc.assert(
    fc.property(item, (rawValue) => {
      const list = (value: unknown): number => (Array.isArray(value) ? value.length : 0)
      expect(parseCardTexts(rawValue).length).toBe(list(rawValue['texts']))
      expect(parseCardParts(rawValue).length).toBe(list(rawValue['parts']))
      expect(parseCardBands(rawValue).bands?.length ?? 0).toBe(list(rawValue['bands']))
      expect(parseTagPaths(rawValue).length).toBeGreaterThanOrEqual(list(rawValue['hashtags']))
      expect(parseBlanks(rawValue['segments']).length).toBe(list(rawValue['segments']))
      parseCardFacts(rawValue)
      parsePracticeEntries(rawValue)
    }),
  )
})
