import { expect, test } from 'vitest'
import { listCommentChoices } from '../../../shared/cards.ts'

test.each<[string, Record<string, unknown>, string[]]>([
  [
    'a list of comments',
    { comments: [{ commentId: 'c1', text: 'x' }, { id: 'c2' }, 'c3', 4, null] },
    ['c1', 'c2', 'c3'],
  ],
  [
    'texts behind the own one',
    {
      texts: [
        { index: 0, noteid: 'x' },
        { index: 1, noteid: 'c1' },
      ],
    },
    ['c1'],
  ],
  ['a text that names its comment', { texts: [{ index: 1, noteid: 'c1', commentId: 'c9' }] }, ['c9']],
  ['bands', { bands: [{ noteid: 'N', physicalNoteId: 'b1', role: 'practice' }] }, ['b1']],
  ['earlier verdicts', { practice: [{ commentId: 'p1' }, { at: 1 }] }, ['p1']],
  ['the same one twice', { texts: [{ index: 1, noteid: 'c1' }], bands: [{ physicalNoteId: 'c1' }] }, ['c1']],
  ['the card itself', { texts: [{ index: 1, noteid: 'N' }] }, []],
  ['nothing', {}, []],
  ['anything else', { comments: 'x', texts: 5, bands: null, practice: { a: 1 } }, []],
])('offers the comments of a card from %s', (_, item, expected) => {
  expect(listCommentChoices({ noteid: 'N', ...item }).map(({ id }) => id)).toEqual(expected)
})
