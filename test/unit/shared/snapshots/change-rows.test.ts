import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layOutChanges } from '../../../../electron/core/snapshots/change-rows.ts'
import { compareSnapshots } from '../../../../shared/snapshots/compare.ts'
import { listCard, toSide } from './forests.ts'

/** The rows as lines: indented by depth, with the card's id and what happened to it. */
function layOut(before: readonly unknown[], after: readonly unknown[]): string[] {
  const [old, young] = [toSide(before), toSide(after)]
  const difference = compareSnapshots(old, young)
  return layOutChanges(old.forest, young.forest, difference).map((row) => {
    const indent = '  '.repeat(row.depth)
    if (row.kind === 'gap') return `${indent}… ${row.count}`
    if (row.kind === 'context') return `${indent}${young.forest.ids[row.card]}`
    const change = difference.changes[row.change]
    const id = old.forest.ids[change?.before ?? -1] ?? young.forest.ids[change?.after ?? -1]
    return `${indent}${id} ${row.kind === 'ghost' ? 'ghost' : change?.kinds.join('+')}`
  })
}

describe('layOutChanges', () => {
  test('shows changes below the cards that lead to them, and counts the others', () => {
    const before = [
      ...[listCard('A'), listCard('B', 'A'), listCard('B1', 'B'), listCard('B2', 'B')],
      ...[listCard('C', 'A'), listCard('D', 'C'), listCard('E', 'C'), listCard('F', 'A'), listCard('G')],
    ]
    const after = before.map((card) => (card.noteid === 'D' ? { ...card, title: 'new' } : card))
    expect(layOut(before, after)).toEqual(['A', '  … 3', '  C', '    D renamed', '    … 1', '  … 1', '… 1'])
  })

  test('shows a removed card behind the card that it followed, with what was removed with it', () => {
    const before = [
      ...[listCard('A'), listCard('B', 'A'), listCard('C', 'A'), listCard('C1', 'C'), listCard('D', 'A')],
      listCard('first'),
    ]
    const after = [listCard('A'), listCard('B', 'A'), listCard('D', 'A')]
    expect(layOut(before, after)).toEqual([
      ...['A', '  … 1', '  C removed', '    C1 removed', '  … 1', 'first removed'],
    ])
    expect(layOut([listCard('X'), listCard('Y')], [listCard('Y')])).toEqual(['X removed', '… 1'])
  })

  test('shows a ghost where a card was before it got another parent', () => {
    const before = [listCard('A'), listCard('B', 'A'), listCard('C', 'A'), listCard('E')]
    const after = [listCard('A'), listCard('B', 'A'), listCard('E'), listCard('C', 'E')]
    expect(layOut(before, after)).toEqual(['A', '  … 1', '  C ghost', 'E', '  C moved'])
  })

  test('shows the ghost of a card that left a removed parent', () => {
    const before = [listCard('A'), listCard('B', 'A'), listCard('C', 'B')]
    const after = [listCard('A'), listCard('C', 'A')]
    expect(layOut(before, after)).toEqual(['A', '  B removed', '    C ghost', '  C moved'])
  })

  test('shows no ghost of a card that was dragged below the same parent', () => {
    const before = ['A', 'B', 'C', 'D'].map((id) => listCard(id))
    const after = ['D', 'A', 'B', 'C'].map((id) => listCard(id))
    expect(layOut(before, after)).toEqual(['D moved', '… 3'])
  })

  test('shows every change exactly once, whatever the parents are', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const nodes = fc.array(
      fc
        .record({
          id: fc.constantFrom(...ids),
          parent: fc.constantFrom(...ids, null),
          title: fc.constantFrom('x', 'y'),
        })
        .map(({ id, parent, title }) => listCard(id, parent, { title })),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(nodes, nodes, (before, after) => {
        const [old, young] = [toSide(before), toSide(after)]
        const difference = compareSnapshots(old, young)
        const rows = layOutChanges(old.forest, young.forest, difference)
        const shownChanges = rows.flatMap((row) => (row.kind === 'change' ? [row.change] : []))
        expect(shownChanges.toSorted((first, second) => first - second)).toEqual([...difference.changes.keys()])
        const unchanged = rows.reduce((sum, row) => sum + (row.kind === 'gap' ? row.count : 0), 0)
        expect(unchanged).toBeLessThanOrEqual(young.forest.count)
      }),
    )
  })
})
