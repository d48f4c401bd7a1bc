import { describe, expect, test } from 'vitest'
import { compareSnapshots } from '../../../../shared/snapshots/compare.ts'
import { findFormerPlaces } from '../../../../electron/core/snapshots/former-places.ts'
import { listCard, toSide, type ListedNode } from './forests.ts'

/** Each place as `card < parent, behind sibling`, and how many cards were below it. */
function listPlaces(before: readonly ListedNode[], after: readonly ListedNode[], isWhole = true) {
  const [old, young] = [toSide(before), toSide(after, { isWhole })]
  const difference = compareSnapshots(old, young)
  const { places, uncovered } = findFormerPlaces(old.forest, young.forest, difference)
  const nameOf = (index: number): string => young.forest.ids[index] ?? '-'
  const lines = places.map(({ change, parent, follows, below }) => {
    const card = old.forest.ids[difference.changes[change]?.before ?? -1]
    return `${card} < ${nameOf(parent)}, ${nameOf(follows)}${below > 0 ? ` +${below}` : ''}`
  })
  return { lines, uncovered }
}

const tree = [
  ...[listCard('A'), listCard('B', 'A'), listCard('C', 'A'), listCard('D', 'A'), listCard('E', 'A')],
  ...[listCard('F'), listCard('G', 'F')],
]

describe('findFormerPlaces', () => {
  test('moved and removed cards left a place behind the sibling that stayed', () => {
    const after = [
      ...[listCard('A'), listCard('B', 'A'), listCard('E', 'A')],
      ...[listCard('F'), listCard('G', 'F'), listCard('C', 'F')],
    ]
    expect(listPlaces(tree, after)).toEqual({ lines: ['C < A, B', 'D < A, B'], uncovered: 0 })
  })

  test('a card that was dragged among its siblings left a place as well', () => {
    const after = ['A', 'C', 'D', 'E', 'B', 'F', 'G'].map(
      (id) => tree.find(({ noteid }) => noteid === id) as ListedNode,
    )
    expect(listPlaces(tree, after).lines).toEqual(['B < A, -'])
  })

  test('what was below a removed card is counted at its place', () => {
    const before = [...tree, listCard('H', 'C'), listCard('I', 'H'), listCard('J', 'H')]
    const after = [
      ...[listCard('A'), listCard('B', 'A'), listCard('D', 'A'), listCard('E', 'A')],
      ...[listCard('F'), listCard('G', 'F'), listCard('J', 'G')],
    ]
    expect(listPlaces(before, after).lines).toEqual(['C < A, B +3'])
  })

  test('a root left a place at the top', () => {
    expect(listPlaces(tree, tree.slice(0, 5)).lines).toEqual(['F < -, A +1'])
  })

  test('a listing that is not whole removes nothing, and has no place below what it does not cover', () => {
    const after = [listCard('F'), listCard('G', 'F'), listCard('C', 'F')]
    expect(listPlaces(tree, after, false)).toEqual({ lines: [], uncovered: 1 })
  })

  test('long chains of removed cards take linear time', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) =>
      listCard(`${index}`, index === 0 ? null : `${index - 1}`),
    )
    expect(listPlaces(chain, chain.slice(0, 1)).lines).toEqual(['1 < 0, - +49998'])
  })
})
