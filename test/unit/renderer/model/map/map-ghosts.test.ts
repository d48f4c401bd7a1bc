import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  getGhostIndex,
  NOT_IN_TREE,
  placeGhosts,
  type MapGhosts,
} from '../../../../../renderer/model/map/map-ghosts.ts'
import { getGaps, layoutMap, linkRows, mapProjections } from '../../../../../renderer/model/map/map-layout.ts'

/** Where each former place is: the node of the parent and of the sibling that it follows. */
const createGhosts = (places: readonly (readonly [parent: number, follows: number])[]): MapGhosts => ({
  parents: Int32Array.from(places, ([parent]) => parent),
  follows: Int32Array.from(places, ([, follows]) => follows),
  cards: new Int32Array(places.length).fill(-1),
  below: new Uint32Array(places.length),
  removed: new Uint8Array(places.length).fill(1),
  titles: places.map((_place, index) => `ghost ${index}`),
})

/** Nodes in preorder with their depths; those in `hidden` are in collapsed branches. */
function createCards(depths: readonly number[], hidden: ReadonlySet<number> = new Set()) {
  const { parents } = linkRows(Uint32Array.from(depths))
  const nodes = depths.map((_depth, node) => node).filter((node) => !hidden.has(node))
  const rows = {
    length: nodes.length,
    nodes: Uint32Array.from(nodes),
    depths: Uint32Array.from(nodes, (node) => depths[node] ?? 0),
  }
  const rowByNode = Int32Array.from(depths, (_depth, node) => nodes.indexOf(node))
  const cards = {
    ...{ rowByNode, parents, getEnds: () => linkRows(rows.depths).ends },
    isCollapsed: (row: number) => {
      const node = nodes[row] ?? 0
      return parents.includes(node) && (nodes[row + 1] ?? -1) !== node + 1
    },
  }
  return { rows, cards, parents }
}

/** The rows as text: cards by node, ghosts as `g0`, groups as `n×`, indented by depth. */
function write(depths: readonly number[], places: Parameters<typeof createGhosts>[0], hidden?: ReadonlySet<number>) {
  const { rows, cards } = createCards(depths, hidden)
  const placed = placeGhosts(rows, createGhosts(places), cards)
  const lines = [...placed.rows.nodes].map((node, row) => {
    const index = getGhostIndex(node)
    const group = placed.groups[index - places.length]
    const name = index < 0 ? String(node) : group ? `${group.count}×` : `g${index}`
    return '.'.repeat(placed.rows.depths[row] ?? 0) + name
  })
  return { lines, placed }
}

describe('placeGhosts', () => {
  // 0 has 1 (with 2) and 3; 4 is another root.
  const depths = [0, 1, 2, 1, 0]

  test('a ghost stands behind the branch of the sibling that it followed', () => {
    expect(
      write(depths, [
        [0, -1],
        [0, 1],
        [0, 1],
        [0, 3],
        [1, 2],
        [-1, 0],
      ]).lines,
    ).toEqual(['0', '.g0', '.1', '..2', '..g4', '.g1', '.g2', '.3', '.g3', 'g5', '4'])
  })

  test('a card that has no children any more shows who they were', () => {
    expect(
      write(depths, [
        [3, -1],
        [4, -1],
        [-1, 4],
      ]).lines,
    ).toEqual(['0', '.1', '..2', '.3', '..g0', '4', '.g1', 'g2'])
  })

  test('former places in a collapsed branch are counted at the nearest card that is visible', () => {
    const { lines, placed } = write(
      depths,
      [
        [1, 2],
        [2, -1],
        [1, -1],
        [9, 0],
        [NOT_IN_TREE, -1],
      ],
      new Set([2]),
    )
    expect(lines).toEqual(['0', '.1', '..3×', '.3', '4'])
    expect(placed).toMatchObject({ drawn: 0, grouped: 3, outside: 2, groups: [{ node: 1, count: 3 }] })
  })

  test('a ghost whose sibling is hidden keeps its rank among those that are visible', () => {
    // A filter hides 3, and shows its siblings 1 and 5.
    const flat = [0, 1, 1, 1, 1, 1]
    expect(write(flat, [[0, 3]], new Set([2, 3, 4])).lines).toEqual(['0', '.1', '.g0', '.5'])
  })
})

const treeShape = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }).map((steps) => {
  const depths: number[] = []
  for (const step of steps)
    depths.push(Math.max(0, Math.min((depths.at(-1) ?? -1) + 1, (depths.at(-1) ?? 0) + 1 - step)))
  return depths
})

test('ghosts never lie on a card or on each other, and keep their rank', () => {
  fc.assert(
    fc.property(
      treeShape,
      fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }),
      fc.constantFrom(...mapProjections.filter((projection) => projection !== 'icicle')),
      (depths, seeds, projection) => {
        const { rows, cards, parents } = createCards(depths)
        const places = seeds
          .map(([parentSeed, followsSeed]) => {
            const parent = (parentSeed % (depths.length + 1)) - 1
            const siblings = [-1, ...[...parents.keys()].filter((node) => parents[node] === parent)]
            return [parent, siblings[followsSeed % siblings.length] ?? -1] as const
          })
          .sort((first, second) => first[0] - second[0] || first[1] - second[1])
        const { rows: placed } = placeGhosts(rows, createGhosts(places), cards)
        const { parents: rowParents, ends } = linkRows(placed.depths)
        const nodeOfRow = (row: number): number => (row < 0 ? -1 : (placed.nodes[row] ?? 0))
        expect([...placed.nodes].filter((node) => getGhostIndex(node) < 0)).toEqual([...rows.nodes])
        for (let row = 0; row < placed.length; row += 1) {
          const index = getGhostIndex(placed.nodes[row] ?? 0)
          if (index < 0) continue
          const [parent, follows] = places[index] ?? [0, 0]
          expect(nodeOfRow(rowParents[row] ?? -1)).toBe(parent)
          const first = (rowParents[row] ?? -1) + 1
          const before = []
          for (let sibling = first; sibling < row; sibling = ends[sibling] ?? row)
            if (getGhostIndex(placed.nodes[sibling] ?? 0) < 0) before.push(nodeOfRow(sibling))
          expect(before.at(-1) ?? -1).toBe(follows)
        }
        const layout = layoutMap(placed, projection, { getTextWidth: () => 60, getHiddenCount: () => 0 })
        const gaps = getGaps(projection)
        const boxes = [...placed.nodes.keys()].map((row) => ({
          along: layout.along[row] ?? 0,
          across: layout.across[row] ?? 0,
          length: (layout.alongSizes[row] ?? 0) - gaps.along,
          breadth: (layout.acrossSizes[row] ?? 0) - gaps.across,
        }))
        for (const [index, box] of boxes.entries())
          for (const other of boxes.slice(index + 1)) {
            const isApart =
              box.along + box.length <= other.along ||
              other.along + other.length <= box.along ||
              box.across + box.breadth <= other.across + 0.01 ||
              other.across + other.breadth <= box.across + 0.01
            expect(isApart).toBe(true)
          }
      },
    ),
    { numRuns: 150 },
  )
})

test('twenty thousand ghosts at one card take one pass over its children', () => {
  const depths = [0, ...new Array<number>(50_000).fill(1)]
  const wide = {
    length: depths.length,
    nodes: Uint32Array.from(depths.keys()),
    depths: Uint32Array.from(depths),
  }
  let questionCount = 0
  const placed = placeGhosts(
    wide,
    createGhosts(Array.from({ length: 20_000 }, (_, index) => [0, index * 2] as const)),
    {
      rowByNode: Int32Array.from(depths.keys()),
      parents: new Int32Array(depths.length).fill(0),
      getEnds: () => linkRows(wide.depths).ends,
      isCollapsed: () => {
        questionCount += 1
        return false
      },
    },
  )
  expect(questionCount).toBe(20_000)
  expect(placed.rows.length).toBe(70_001)
})
