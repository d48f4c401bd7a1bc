import { expect, test } from 'vitest'
import { ComparedSnapshots, type ComparedSnapshot } from '../../../../electron/core/snapshots/snapshot-comparison.ts'
import type { RecordedWrite } from '../../../../shared/snapshots/cause.ts'
import { buildListedForest, listCard, type ListedNode } from '../../shared/snapshots/forests.ts'

const createSide = (id: number, nodes: readonly ListedNode[]): ComparedSnapshot => {
  const forest = buildListedForest(nodes)
  const info = {
    ...{ id, topicid: 'T', host: 'http://127.0.0.1:1', startedAt: id, endedAt: id, seenAt: id, isRequested: false },
    ...{ origin: { kind: 'place' as const, label: null }, cards: forest.count, detailed: 0, pages: 1, hostCount: null },
    ...{ gaps: [], isInTreeOrder: true, members: ['title'], anomalies: forest.anomalies, bytes: null },
    ...{ excerpts: null, palette: null },
  }
  return { info, forest }
}

test('every changed card is marked, and a removed one counts at the nearest card that is still there', () => {
  const before = [
    listCard('root'),
    listCard('heart', 'root'),
    listCard('valve', 'heart'),
    listCard('gone', 'heart'),
    listCard('gone below', 'gone'),
    listCard('gone deeper', 'gone below'),
    listCard('dragged', 'heart'),
    listCard('lone', null),
    listCard('below lone', 'lone'),
  ]
  const after = [
    listCard('root'),
    listCard('heart', 'root'),
    listCard('valve', 'heart', { title: 'Valves' }),
    listCard('dragged', 'root'),
    listCard('new', 'heart'),
  ]
  const write: RecordedWrite = {
    ...{ exchangeId: 'x', startedAt: 1, endedAt: 2, method: 'POST', path: '/notes/valve/title' },
    ...{
      endpoint: 'notes.title',
      origin: { kind: 'write', label: 'o' },
      cards: ['valve'],
      sets: [],
      requestedValues: {},
      isCertain: true,
    },
  }
  const compared = new ComparedSnapshots(createSide(1, before), createSide(2, after), [write])
  const { marks, ...facts } = compared.readMarks(0, 10)
  expect(facts).toMatchObject({ before: { id: 1 }, after: { id: 2 }, changes: 8, removedAtTop: 2, markCount: 4 })
  const byNobody = { certainty: 'nobody', writes: [] }
  const byCall = { method: 'POST', path: '/notes/valve/title', origin: { kind: 'write', label: 'o' } }
  expect(marks).toEqual([
    { noteid: 'heart', kinds: [], removed: 3, cause: null },
    { noteid: 'valve', kinds: ['renamed'], removed: 0, cause: { certainty: 'named', writes: [byCall] } },
    { noteid: 'dragged', kinds: ['moved'], removed: 0, cause: byNobody },
    { noteid: 'new', kinds: ['added'], removed: 0, cause: byNobody },
  ])
  expect(compared.readMarks(2, 1)).toMatchObject({ offset: 2, markCount: 4, marks: [{ noteid: 'dragged' }] })
})

test('a very deep subtree that is gone is counted once, without a walk for each of its cards', () => {
  const depth = 20_000
  const chain = Array.from({ length: depth }, (_, index) =>
    listCard(`c${index}`, index === 0 ? 'root' : `c${index - 1}`),
  )
  const root = listCard('root')
  const { marks } = new ComparedSnapshots(createSide(1, [root, ...chain]), createSide(2, [root]), []).readMarks(0, 10)
  expect(marks).toEqual([{ noteid: 'root', kinds: [], removed: depth, cause: null }])
})

test('a part of the rows ends where its cards become too long for one message', () => {
  const nodes = (title: string) =>
    ['a', 'b', 'c'].map((noteid) => listCard(noteid, null, { title: title.repeat(1_000) }))
  const compared = new ComparedSnapshots(createSide(1, nodes('x')), createSide(2, nodes('y')), [])
  const readIds = (offset: number, maxChars?: number): string[] =>
    compared.readRows('list', offset, 100, maxChars).rows.flatMap((row) => (row.row === 'change' ? [row.noteid] : []))
  expect(readIds(0)).toEqual(['a', 'b', 'c'])
  expect(readIds(0, 5_000)).toEqual(['a', 'b'])
  expect(readIds(2, 10)).toEqual(['c'])
})
