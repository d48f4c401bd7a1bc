import { describe, expect, test } from 'vitest'
import { groupDuplicates, parseDuplicateExcerpts } from '../../../shared/bridge/duplicates.ts'

const first = { noteid: 'R1', cardNoteId: 'C1', topicid: 'T1' }
const second = { noteid: 'R2', cardNoteId: 'C2', topicid: 'T2' }
const place = { page: 3, startpos: 10, endpos: 20, text: 'same' }
const excerpts = [
  { ...place, ...first },
  { ...place, ...second },
]

describe('excerpts of a duplicate segment in any shape (spec §2 leaves it open)', () => {
  test.each<[string, unknown]>([
    ['a list of excerpts', excerpts],
    ['a group', { ...place, items: [first, second] }],
    ['a pair', { a: excerpts[0], b: excerpts[1] }],
    ['an excerpt that names the other', { ...place, ...first, duplicateOf: second }],
    ['lists side by side', { ...place, noteids: ['R1', 'R2'], cardNoteIds: ['C1', 'C2'], topicids: ['T1', 'T2'] }],
    [
      'marked members',
      { ...place, noteidA: 'R1', cardNoteIdA: 'C1', topicidA: 'T1', noteidB: 'R2', cardNoteIdB: 'C2', topicidB: 'T2' },
    ],
    [
      'members with the prefix other',
      { ...place, ...first, otherNoteId: 'R2', otherCardNoteId: 'C2', otherTopicId: 'T2' },
    ],
    [
      'other spellings',
      {
        pageNo: 3,
        start: 10,
        end: 20,
        excerpt: 'same',
        notes: excerpts.map(({ noteid, cardNoteId, topicid }) => ({
          recordId: noteid,
          cardId: cardNoteId,
          studySetId: topicid,
        })),
      },
    ],
  ])('are read from %s', (_, value) => {
    expect(parseDuplicateExcerpts(value)).toEqual(excerpts)
  })

  test('returns no excerpts for values that have none', () => {
    for (const value of [null, 7, 'R1', [], {}, { page: 1, text: 'x' }, { noteids: [] }])
      expect(parseDuplicateExcerpts(value)).toEqual([])
  })

  test('reads a hostile value in bounded time', () => {
    let deep: unknown = first
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep }
    expect(parseDuplicateExcerpts(deep)).toEqual([])
    expect(parseDuplicateExcerpts(Array.from({ length: 100_000 }, () => first)).length).toBeLessThanOrEqual(100)
  })
})

test('groups elements with one excerpt each by their position in the document', () => {
  const elsewhere = { ...place, ...second, page: 4 }
  expect(groupDuplicates([excerpts[0], elsewhere, excerpts[1]])).toEqual([
    { indexes: [0, 2], excerpts },
    { indexes: [1], excerpts: [elsewhere] },
  ])
})

test('completes an element from the excerpts with the same record id', () => {
  const [group] = groupDuplicates([{ noteids: ['R1', 'R2'] }], excerpts)
  expect(group?.excerpts).toEqual(excerpts)
})
