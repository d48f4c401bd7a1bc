import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setAllExpanded } from '../../../../../renderer/model/tree/expansion.ts'
import { Forest } from '../../../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../../../renderer/model/tree/tree-reader.ts'
import {
  createTreeFilter,
  sortMatchesByRow,
  TreeRowWalker,
  computeVisibleRows,
  type TreeRows,
} from '../../../../../renderer/model/tree/tree-rows.ts'

interface Node {
  readonly noteid: string
  readonly parent: string | null
}

const ids = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L']
/** Mostly distinct ids, so that cycles of several cards occur besides duplicates. */
const anyNodes = fc
  .array(
    fc.record({
      own: fc.option(fc.constantFrom(...ids), { freq: 4 }),
      parent: fc.option(fc.constantFrom(...ids, 'nobody', '')),
    }),
    { maxLength: 30 },
  )
  .map((list): Node[] => list.map(({ own, parent }, n) => ({ noteid: own ?? ids[n % ids.length] ?? '', parent })))
const anySizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })

/**
 * Pages of the given sizes, the last size repeated; `stopAfter` = cancelled after this many pages,
 * then resumed.
 */
function inPages(nodes: readonly Node[], sizes: readonly number[], stopAfter = -1): Forest {
  const reader = new TreeReader()
  const forest = new Forest()
  for (let index = 0, page = 0; index < nodes.length || page === 0; page += 1) {
    if (page === stopAfter) forest.finishLoading(false)
    const size = sizes[Math.min(page, sizes.length - 1)] ?? 1
    forest.appendChunk(reader.addNodes(nodes.slice(index, index + size)))
    index += size
  }
  forest.finishLoading(true)
  return forest
}

/** A slow reference: plain objects, every card compared with every other. */
function plainly(nodes: readonly Node[]) {
  const firstOf = (id: string): number => nodes.findIndex(({ noteid }) => noteid === id)
  const parents = nodes.map(({ noteid, parent }) => (!parent || parent === noteid ? -1 : firstOf(parent)))
  const hasTop = nodes.some(({ noteid, parent }) => !parent || parent === noteid)
  const unknown = nodes.flatMap(({ parent }, n) => (hasTop && parent && firstOf(parent) < 0 ? [n] : []))
  const circles: number[] = []
  nodes.forEach((_, start) => {
    const around = [start]
    for (let index = parents[start] ?? -1; index >= 0 && index !== start; index = parents[index] ?? -1) {
      if (around.length > nodes.length) return
      around.push(index)
    }
    const closes = (parents[around.at(-1) ?? 0] ?? -1) === start
    if (closes && Math.min(...around) === start) circles.push(start)
  })
  for (const cut of circles) parents[cut] = -1
  const below = (parent: number, depth: number): [number, number][] =>
    parents.flatMap((ownParent, n) =>
      ownParent === parent ? [[n, depth] as [number, number], ...below(n, depth + 1)] : [],
    )
  return { rows: below(-1, 0), unknown, circles }
}

const rowsOf = (forest: Forest): [number, number][] => {
  setAllExpanded(forest, true)
  const { length, nodes, depths } = computeVisibleRows(forest, null)
  return Array.from({ length }, (_, row) => [nodes[row] ?? -1, depths[row] ?? -1])
}

function childrenOf(forest: Forest, index: number): number[] {
  const children: number[] = []
  for (let child = forest.getFirstChild(index); child >= 0; child = forest.getNextSibling(child)) children.push(child)
  return children
}

/** Node, depth and position of each row, by recursion. */
function plainRows(
  forest: Forest,
  isVisible: (index: number) => boolean,
  opens: (index: number) => boolean,
): number[][] {
  const roots: number[] = []
  for (let root = forest.firstRoot; root >= 0; root = forest.getNextSibling(root)) roots.push(root)
  const rowsFor = (siblings: readonly number[], depth: number): number[][] =>
    siblings
      .filter(isVisible)
      .flatMap((node, n) => [
        [node, depth, n + 1],
        ...(opens(node) ? rowsFor(childrenOf(forest, node), depth + 1) : []),
      ])
  return rowsFor(roots, 0)
}

function allRows(forest: Forest, filter: ReturnType<typeof createTreeFilter> | null): number[][] {
  return listed(computeVisibleRows(forest, filter))
}

function listed({ length, nodes, depths, positions }: TreeRows): number[][] {
  return Array.from({ length }, (_, row) => [nodes[row] ?? -1, depths[row] ?? -1, positions[row] ?? -1])
}

describe('safety 38: the order of the host', () => {
  it('is kept for siblings and roots with any paging, as in a slow reference', () => {
    fc.assert(
      fc.property(anyNodes, anySizes, (nodes, sizes) => {
        const forest = inPages(nodes, sizes)
        const plain = plainly(nodes)
        expect(rowsOf(forest)).toEqual(plain.rows)
        expect(forest.problems['unknown-parent']).toEqual(plain.unknown)
        expect(forest.problems.cycle.toSorted((a, b) => a - b)).toEqual(plain.circles)
      }),
      { numRuns: 2000 },
    )
  })

  it('is the same after pausing and resuming, with the same problems', () => {
    fc.assert(
      fc.property(anyNodes, anySizes, fc.integer({ min: 1, max: 4 }), (nodes, sizes, stopAfter) => {
        const forest = inPages(nodes, sizes, stopAfter)
        const plain = plainly(nodes)
        expect(rowsOf(forest)).toEqual(plain.rows)
        expect(forest.problems['unknown-parent']).toEqual(plain.unknown)
        expect(forest.problems.cycle.toSorted((a, b) => a - b)).toEqual(plain.circles)
      }),
      { numRuns: 2000 },
    )
  })

  it('determines visible rows, depths and positions, as in a slow reference', () => {
    const anyIndexes = fc.array(fc.nat(29), { maxLength: 6 })
    fc.assert(
      fc.property(anyNodes, anySizes, anyIndexes, anyIndexes, (nodes, sizes, opened, picked) => {
        const forest = inPages(nodes, sizes)
        for (const index of opened) forest.expanded[index % Math.max(1, nodes.length)] = 1
        const isOpen = (index: number): boolean => forest.expanded[index] === 1
        expect(allRows(forest, null)).toEqual(plainRows(forest, () => true, isOpen))
        const matches = [...new Set(picked.filter((index) => index < nodes.length))]
        const filter = createTreeFilter(forest, Uint32Array.from(matches))
        const hasMatch = (index: number): boolean =>
          matches.includes(index) || childrenOf(forest, index).some((child) => hasMatch(child))
        const isAbove = (index: number): boolean => childrenOf(forest, index).some((child) => hasMatch(child))
        const expected = plainRows(forest, hasMatch, isAbove)
        expect(allRows(forest, filter)).toEqual(expected)
        const inOrder = expected.map(([node]) => node).filter((node) => matches.includes(node ?? -1))
        expect([...sortMatchesByRow(computeVisibleRows(forest, filter), filter)]).toEqual(inOrder)
      }),
      { numRuns: 1000 },
    )
  })

  it('is the same for rows of a whole tree that are computed a few at a time', () => {
    fc.assert(
      fc.property(anyNodes, anySizes, fc.integer({ min: 1, max: 9 }), fc.nat(40), (nodes, sizes, maxRows, room) => {
        const forest = inPages(nodes, sizes)
        const walk = new TreeRowWalker(forest, null, null, room)
        let parts = 1
        while (!walk.advance(maxRows)) {
          expect(walk.rows.length).toBe(parts * maxRows)
          parts += 1
        }
        expect(listed(walk.rows)).toEqual(
          plainRows(
            forest,
            () => true,
            () => true,
          ),
        )
        expect(walk.advance(maxRows)).toBe(true)
        expect(walk.rows.length).toBe(nodes.length)
      }),
      { numRuns: 1000 },
    )
  })

  it('is complete for a tree with more rows than the initial capacity', () => {
    const nodes = Array.from({ length: 9000 }, (_, n) => ({ noteid: `card ${n}`, parent: n === 0 ? null : 'card 0' }))
    const rows = rowsOf(inPages(nodes, [5000]))
    expect(rows).toEqual(nodes.map((_, n) => [n, n === 0 ? 0 : 1]))
  })

  it('puts a waiting child before its siblings on the page of the parent', () => {
    const nodes = [
      { noteid: 'early', parent: 'P' },
      { noteid: 'P', parent: null },
      { noteid: 'late', parent: 'P' },
    ]
    expect(rowsOf(inPages(nodes, [1, 2]))).toEqual([
      [1, 0],
      [0, 1],
      [2, 1],
    ])
  })

  it('allows finding every card with a problem by its row', () => {
    fc.assert(
      fc.property(anyNodes, anySizes, (nodes, sizes) => {
        const forest = inPages(nodes, sizes)
        const listed = new Set(Object.values(forest.problems).flat())
        nodes.forEach((_, index) => expect(forest.hasProblem(index)).toBe(listed.has(index)))
      }),
    )
  })

  it('yields a finite path to a card even before a cycle is cut', () => {
    const reader = new TreeReader()
    const forest = new Forest()
    forest.appendChunk(
      reader.addNodes([
        { noteid: 'below', parent: 'x' },
        { noteid: 'x', parent: 'y' },
        { noteid: 'y', parent: 'x' },
      ]),
    )
    for (let n = 0; n < 3; n += 1) expect(forest.getPath(n).length).toBeLessThanOrEqual(3)
    expect(forest.getPath(0).at(-1)).toBe(0)
  })
})
