import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expandToLevel,
  revealNode,
  setAllExpanded,
  setSubtreeExpanded,
} from '../../../../../renderer/model/tree/expansion.ts'
import { Forest } from '../../../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../../../renderer/model/tree/tree-reader.ts'
import { createTreeFilter, findRowOfNode, computeVisibleRows } from '../../../../../renderer/model/tree/tree-rows.ts'
import { getElementText } from '../../../../../shared/json/list-elements.ts'
import { pickRunCount } from '../../../../support/data/run-count.ts'

interface Node {
  noteid: string
  parent: string | null
  title: string
}

/** Builds a forest from nodes in pages of the given sizes (the last size repeats). */
function build(nodes: readonly unknown[], sizes: readonly number[] = [1000], root = '') {
  const reader = new TreeReader(root)
  const forest = new Forest()
  for (let index = 0, page = 0; index < nodes.length || page === 0; page += 1) {
    const size = Math.max(1, sizes[Math.min(page, sizes.length - 1)] ?? 1)
    forest.appendChunk(reader.addNodes(nodes.slice(index, index + size)))
    index += size
  }
  forest.finishLoading(true)
  return { reader, forest }
}

const titles = (forest: Forest): string[] => {
  const rows = computeVisibleRows(forest, null)
  return [...rows.nodes.subarray(0, rows.length)].map((node) => forest.getTitle(node))
}

/**
 * Ids and parents from a small set, so that duplicates, orphans, cycles and self-parents are
 * common.
 */
const anyNodes = fc.array(
  fc.record({
    noteid: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'),
    parent: fc.option(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'nobody', '')),
    title: fc.string({ maxLength: 6 }),
  }),
  { maxLength: 60 },
)

describe('safety 38: a forest with arbitrary parents', () => {
  it('contains every node exactly once, with any paging', () => {
    fc.assert(
      fc.property(
        anyNodes,
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }),
        (nodes, sizes) => {
          const { forest } = build(nodes, sizes)
          setAllExpanded(forest, true)
          const rows = computeVisibleRows(forest, null)
          const visibleNodes = [...rows.nodes.subarray(0, rows.length)]
          expect(visibleNodes.length).toBe(nodes.length)
          expect(new Set(visibleNodes).size).toBe(nodes.length)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('does not depend on the paging', () => {
    fc.assert(
      fc.property(
        anyNodes,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (nodes, sizes) => {
          const fullForest = build(nodes, [1000]).forest
          const paged = build(nodes, sizes).forest
          const shape = (forest: Forest): (readonly [number, number])[] =>
            nodes.map((_, index) => [forest.getParent(index), forest.getChildCount(index)] as const)
          expect(shape(paged)).toEqual(shape(fullForest))
          expect(paged.rootCount).toBe(fullForest.rootCount)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('has the same anomalies as a slow reference', () => {
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const { forest } = build(nodes, [7])
        const first = new Map<string, number>()
        const duplicates: number[] = []
        nodes.forEach(({ noteid }, index) => (first.has(noteid) ? duplicates.push(index) : first.set(noteid, index)))
        const selfish = nodes.flatMap(({ noteid, parent }, index) => (parent === noteid ? [index] : []))
        // Where no card is at the top by itself, a parent that is not listed marks the top.
        const hasTop = nodes.some(({ noteid, parent }) => !parent || parent === noteid)
        const orphans = nodes.flatMap(({ parent }, index) => (hasTop && parent && !first.has(parent) ? [index] : []))
        expect(forest.problems['duplicate-id']).toEqual(duplicates)
        expect(forest.problems['self-parent'].toSorted((a, b) => a - b)).toEqual(selfish)
        expect(forest.problems['unknown-parent']).toEqual(orphans)
        // There is a cycle exactly if following parents never ends.
        const up = (index: number): number => {
          const { noteid, parent } = nodes[index] as Node
          return !parent || parent === noteid ? -1 : (first.get(parent) ?? -1)
        }
        const endless = nodes.some((_, index) => {
          let position = index
          for (let step = 0; step <= nodes.length && position >= 0; step += 1) position = up(position)
          return position >= 0
        })
        expect(forest.problems.cycle.length > 0).toBe(endless)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps entries that are not cards, named and reachable', () => {
    const { forest } = build([null, 7, 'x', { parent: 'A' }, { noteid: 3 }, { noteid: 'A', title: ['no'] }])
    expect(forest.count).toBe(6)
    expect(forest.problems['malformed-node']).toEqual([0, 1, 2, 3, 4])
    setAllExpanded(forest, true)
    expect(computeVisibleRows(forest, null).length).toBe(6)
  })

  it('holds nothing against a card with members that the contract leaves open', () => {
    const good = {
      noteid: 'A',
      parent: null,
      depth: 0,
      childCount: 2.5,
      subMapId: null,
      docPage: null,
      docBookmd5: 'B',
    }
    const others = [{ depth: null }, { childCount: {} }, { subMapId: 7 }, { docPage: 'first' }, { docBookmd5: [] }]
    const { forest } = build([good, ...others.map((member, n) => ({ ...good, noteid: `N${n}`, ...member }))])
    expect(forest.problems['malformed-node']).toEqual([])
    expect(forest.count).toBe(6)
  })

  it('resolves a reversed chain and a cycle of (in full) a million cards', { tags: 'long' }, () => {
    const size = pickRunCount(200_000, 1_000_000)
    const reversed = Array.from({ length: size }, (_, n) => ({
      noteid: `n${n}`,
      parent: n + 1 < size ? `n${n + 1}` : null,
      title: '',
    }))
    const chain = build(reversed, [50_000]).forest
    expect([chain.rootCount, chain.problems.cycle.length]).toEqual([1, 0])
    const round = build(
      reversed.map((node, n) => (n === size - 1 ? { ...node, parent: 'n0' } : node)),
      [50_000],
    ).forest
    expect([round.rootCount, round.problems.cycle]).toEqual([1, [0]])
  })
})

const small: Node[] = [
  { noteid: 'R', parent: null, title: 'Root' },
  { noteid: 'A', parent: 'R', title: 'Alpha' },
  { noteid: 'A1', parent: 'A', title: 'Alpha one' },
  { noteid: 'B', parent: 'R', title: 'Beta 细胞膜' },
  { noteid: 'S', parent: '', title: 'Second root' },
]

describe('tree rows', () => {
  it('are the expanded nodes in the order of the host', () => {
    const { forest } = build(small)
    expect(titles(forest)).toEqual(['Root', 'Second root'])
    expandToLevel(forest, 1)
    expect(titles(forest)).toEqual(['Root', 'Alpha', 'Beta 细胞膜', 'Second root'])
    setSubtreeExpanded(forest, 0, true)
    expect(titles(forest)).toEqual(['Root', 'Alpha', 'Alpha one', 'Beta 细胞膜', 'Second root'])
    const rows = computeVisibleRows(forest, null)
    expect([...rows.depths.subarray(0, 5)]).toEqual([0, 1, 2, 1, 0])
    expect([...rows.positions.subarray(0, 5)]).toEqual([1, 1, 1, 2, 2])
  })

  it('of a filter are the matches with their ancestors', () => {
    const { reader, forest } = build(small)
    const matches = reader.search('细胞')
    const rows = computeVisibleRows(forest, createTreeFilter(forest, matches))
    expect([...rows.nodes.subarray(0, rows.length)].map((node) => forest.getNoteid(node))).toEqual(['R', 'B'])
  })

  it('expand the path to a revealed card', () => {
    const { forest } = build(small)
    revealNode(forest, 2)
    expect(findRowOfNode(computeVisibleRows(forest, null), 2)).toBe(2)
    expect(forest.getPath(2)).toEqual([0, 1, 2])
  })

  it('do not report the root of a sub-map as an orphan', () => {
    const { forest } = build([{ noteid: 'A', parent: 'R', title: 'Alpha' }, small[2]], [10], 'A')
    expect(forest.problems['unknown-parent']).toEqual([])
    expect(forest.rootCount).toBe(1)
  })

  it('under a root that the host does not list are no orphans', () => {
    const { forest } = build([
      { noteid: 'A', parent: 'ROOT', title: 'Alpha' },
      { noteid: 'B', parent: 'ROOT', title: 'Beta' },
    ])
    expect(forest.problems['unknown-parent']).toEqual([])
    expect(forest.rootCount).toBe(2)
  })

  it('of a partial listing do not report what is still to come', () => {
    const reader = new TreeReader()
    const forest = new Forest()
    forest.appendChunk(reader.addNodes([{ noteid: 'x', parent: 'later' }]))
    forest.finishLoading(false)
    expect(forest.problems['unknown-parent']).toEqual([])
    expect(forest.pendingCount).toBe(1)
  })
})

describe('tree search', () => {
  it('finds what a plain search of the titles finds, without matches across two titles', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'İ', '中', ' '), maxLength: 5 }), { maxLength: 40 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'A', '中'), minLength: 1, maxLength: 3 }),
        (names, needle) => {
          const nodes = names.map((title, n) => ({ noteid: `id${n}`, parent: null, title }))
          const { reader } = build(nodes, [9])
          const plain = names.flatMap((name, n) => {
            const lower = [...name]
              .map((char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char))
              .join('')
            return lower.includes(needle.toLowerCase()) ? [n] : []
          })
          expect([...reader.search(needle)]).toEqual(plain)
        },
      ),
    )
  })

  it('finds a card by its new title, and the others as before', () => {
    const names = ['Aorta', '', 'Bone', 'Cell']
    for (let index = 0; index < names.length; index += 1) {
      for (const title of ['Vein, renamed', '', 'x']) {
        const { reader, forest } = build(
          names.map((name, n) => ({ noteid: `id${n}`, parent: null, title: name })),
          [3],
        )
        reader.setTitle(index, title)
        forest.setTitle(index, title)
        names.forEach((name, n) => {
          expect(forest.getTitle(n)).toBe(n === index ? title : name)
          const matches = [...reader.search(name)]
          if (name !== '') expect(matches).toEqual(n === index ? [] : [n])
        })
        if (title !== '' && title !== 'x') expect([...reader.search('vein, RENAMED')]).toEqual([index])
      }
    }
  })

  it('finds a card by its id', () => {
    const id = 'BE2A4808-0000-4000-8000-00000000004F'
    const { reader } = build([
      { noteid: 'x', title: 'y' },
      { noteid: id, title: 'z' },
    ])
    expect([...reader.search(id)]).toEqual([1])
    expect([...reader.search(id.toLowerCase().slice(0, 13))]).toEqual([1])
    expect(reader.search('')).toHaveLength(0)
  })
})

describe('the exact text of a node', () => {
  it('is the text between its commas', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 12 }), fc.jsonValue(), (nodes, other) => {
        const text = JSON.stringify({ other, nodes, after: { nodes: [1] } })
        nodes.forEach((node, n) => expect(getElementText(text, 'nodes', n)).toBe(JSON.stringify(node)))
        expect(getElementText(text, 'nodes', nodes.length)).toBeNull()
      }),
    )
  })

  it('keeps numbers, escapes and duplicate keys', () => {
    const node = '{"a":12345678901234567890, "a":1.0e2,"t":"\\u0041\\"}]"}'
    expect(getElementText(`{"nodes":[ {} , ${node} ]}`, 'nodes', 1)).toBe(node)
  })
})
