import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkRows } from '../../../../../renderer/model/map/map-layout.ts'
import { TidyBranchLayout } from '../../../../../renderer/model/map/tidy-branch.ts'

interface OracleNode {
  readonly row: number
  readonly size: [number, number]
  readonly children: OracleNode[]
}
interface Flextree {
  (node: unknown): void
  hierarchy(root: OracleNode): { descendants(): { data: OracleNode; x: number }[] }
}
// The module of the package imports its files without their extension, which Node.js cannot.
const { flextree } = createRequire(import.meta.url)('d3-flextree') as {
  flextree: (options: { nodeSize?: (node: { data: OracleNode }) => [number, number] }) => Flextree
}

/** A tree as the depth of each row and the sizes of its box, across and along. */
const trees = fc
  .array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 200 })), {
    minLength: 1,
    maxLength: 60,
  })
  .map((rows) => {
    let previous = -1
    return rows.map(([jump, across, along]) => {
      previous = previous < 0 ? 0 : Math.max(1, previous + 1 - (jump % (previous + 2)))
      return { depth: previous, across, along }
    })
  })

function place(rows: readonly { depth: number; across: number; along: number }[]) {
  const links = linkRows(Uint32Array.from(rows, ({ depth }) => depth))
  const alongSizes = Float32Array.from(rows, ({ along }) => along)
  const acrossSizes = Float32Array.from(rows, ({ across }) => across)
  const along = new Float32Array(rows.length)
  for (let row = 1; row < rows.length; row += 1) {
    const parent = links.parents[row] ?? 0
    along[row] = (along[parent] ?? 0) + (alongSizes[parent] ?? 0)
  }
  const across = new Float64Array(rows.length)
  const branch = { ...links, along, alongSizes, acrossSizes }
  new TidyBranchLayout(branch).place(0, 1, rows.length, across)
  return { ...branch, across }
}

test('every box is where the reference implementation puts it', () => {
  fc.assert(
    fc.property(trees, (rows) => {
      const { across, parents } = place(rows)
      const nodes = rows.map(({ across: width, along }, row): OracleNode => ({
        row,
        size: [width, along],
        children: [],
      }))
      nodes.forEach((node, row) => nodes[parents[row] ?? -1]?.children.push(node))
      const layout = flextree({ nodeSize: ({ data }) => data.size })
      const root = layout.hierarchy(nodes[0] as OracleNode)
      layout(root)
      for (const { data, x } of root.descendants()) expect((across[data.row] ?? 0) + data.size[0] / 2).toBeCloseTo(x, 6)
    }),
  )
})

test('boxes do not overlap, children keep their order, and parents are in the middle of them', () => {
  fc.assert(
    fc.property(trees, (rows) => {
      const { across, along, alongSizes, acrossSizes, parents, ends } = place(rows)
      for (let row = 0; row < rows.length; row += 1) {
        for (let other = row + 1; other < rows.length; other += 1) {
          const isBeside =
            (along[row] ?? 0) + (alongSizes[row] ?? 0) <= (along[other] ?? 0) ||
            (along[other] ?? 0) + (alongSizes[other] ?? 0) <= (along[row] ?? 0)
          // A later row that is beside an earlier one is always after it.
          const gap = (across[other] ?? 0) - (across[row] ?? 0) - (acrossSizes[row] ?? 0)
          if (!isBeside) expect(gap).toBeGreaterThan(-1e-6)
        }
        const children = rows.map((_row, index) => index).filter((index) => parents[index] === row)
        const [first = row, last = row] = [children[0], children.at(-1)]
        const getMiddle = (index: number): number => (across[index] ?? 0) + (acrossSizes[index] ?? 0) / 2
        const middle = ((across[first] ?? 0) + (across[last] ?? 0) + (acrossSizes[last] ?? 0)) / 2
        expect(getMiddle(row)).toBeCloseTo(middle, 6)
        expect(ends[row]).toBeGreaterThan(row)
      }
    }),
  )
})

test('a chain and a fan of a hundred thousand cards are placed without recursion', () => {
  const chain = place(Array.from({ length: 100_000 }, (_, depth) => ({ depth, across: 10, along: 1 })))
  expect(Math.max(...chain.across.subarray(0, 10))).toBe(-5)
  const fan = place(Array.from({ length: 100_001 }, (_, row) => ({ depth: Math.min(1, row), across: 10, along: 1 })))
  expect([fan.across[1], fan.across[100_000]]).toEqual([-500_000, 499_990])
})
