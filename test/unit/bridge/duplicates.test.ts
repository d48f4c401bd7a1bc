import { describe, expect, test } from 'vitest'
import { groupDuplicates, parseDuplicateExcerpts } from '../../../shared/bridge/duplicates.ts'

const first = { noteid: 'R1', cardNoteId: 'C1', topicid: 'T1' }
const second = { noteid: 'R2', cardNoteId: 'C2', topicid: 'T2' }
const place = { page: 3, startpos: 10, endpos: 20, text: 'same' }
const both = [
  { ...place, ...first },
  { ...place, ...second },
]

describe('the excerpts of a duplicate segment are recognised in any shape (spec §2: not shown)', () => {
  test.each<[string, unknown]>([
    ['a list of excerpts', both],
    ['a group', { ...place, items: [first, second] }],
    ['a pair', { a: both[0], b: both[1] }],
    ['one that names the other', { ...place, ...first, duplicateOf: second }],
    ['lists side by side', { ...place, noteids: ['R1', 'R2'], cardNoteIds: ['C1', 'C2'], topicids: ['T1', 'T2'] }],
    [
      'marked members',
      { ...place, noteidA: 'R1', cardNoteIdA: 'C1', topicidA: 'T1', noteidB: 'R2', cardNoteIdB: 'C2', topicidB: 'T2' },
    ],
    ['members of another one', { ...place, ...first, otherNoteId: 'R2', otherCardNoteId: 'C2', otherTopicId: 'T2' }],
    [
      'other spellings',
      {
        pageNo: 3,
        start: 10,
        end: 20,
        excerpt: 'same',
        notes: both.map(({ noteid, cardNoteId, topicid }) => ({
          recordId: noteid,
          cardId: cardNoteId,
          studySetId: topicid,
        })),
      },
    ],
  ])('%s', (_, value) => {
    expect(parseDuplicateExcerpts(value)).toEqual(both)
  })

  test('nothing is made up where there is none', () => {
    for (const value of [null, 7, 'R1', [], {}, { page: 1, text: 'x' }, { noteids: [] }])
      expect(parseDuplicateExcerpts(value)).toEqual([])
  })

  test('a hostile value takes bounded time', () => {
    let deep: unknown = first
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep }
    expect(parseDuplicateExcerpts(deep)).toEqual([])
    expect(parseDuplicateExcerpts(Array.from({ length: 100_000 }, () => first)).length).toBeLessThanOrEqual(100)
  })
})

test('elements that are one excerpt each belong together by their place', () => {
  const elsewhere = { ...place, ...second, page: 4 }
  expect(groupDuplicates([both[0], elsewhere, both[1]])).toEqual([
    { indexes: [0, 2], excerpts: both },
    { indexes: [1], excerpts: [elsewhere] },
  ])
})

test('what an element leaves out is taken from the excerpts, by record', () => {
  const [group] = groupDuplicates([{ noteids: ['R1', 'R2'] }], both)
  expect(group?.excerpts).toEqual(both)
})
