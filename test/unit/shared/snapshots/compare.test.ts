import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareSnapshots, markLongestIncreasing, type SnapshotSide } from '../../../../shared/snapshots/compare.ts'
import { getForestHash } from '../../../../shared/snapshots/forest.ts'
import { buildListedForest, listCard, toSide } from './forests.ts'

/** The changes as text, for instance `B moved+renamed`, sorted. */
function compare(
  before: readonly unknown[],
  after: readonly unknown[],
  [beforeFacts, afterFacts]: readonly [Partial<SnapshotSide>, Partial<SnapshotSide>] = [{}, {}],
): string[] {
  const [old, young] = [toSide(before, beforeFacts), toSide(after, afterFacts)]
  return compareSnapshots(old, young)
    .changes.map((change) => {
      const id = change.after >= 0 ? young.forest.ids[change.after] : old.forest.ids[change.before]
      return `${id} ${change.kinds.join('+')}`
    })
    .sort()
}

describe('compareSnapshots', () => {
  const tree = [
    listCard('A'),
    listCard('B', 'A'),
    listCard('C', 'A'),
    listCard('D', 'A'),
    listCard('E', 'A'),
    listCard('F', 'C'),
  ]

  test('finds nothing between equal listings', () => {
    expect(compare(tree, structuredClone(tree))).toEqual([])
  })

  test('finds what was added, removed, renamed, recoloured and folded', () => {
    const after = [
      listCard('A', null, { folded: true }),
      listCard('B', 'A', { title: 'new' }),
      listCard('C', 'A', { colorIndex: 3 }),
      listCard('E', 'A'),
      listCard('G', 'A'),
      listCard('F', 'C'),
    ]
    expect(compare(tree, after)).toEqual(['A folded', 'B renamed', 'C recoloured', 'D removed', 'G added'])
  })

  test('says that one dragged card was moved, and not the cards that made room', () => {
    const after = ['A', 'E', 'B', 'C', 'D'].map((id) => listCard(id, id === 'A' ? null : 'A'))
    expect(compare(tree.slice(0, 5), after)).toEqual(['E moved'])
  })

  test('says that a card with another parent was moved, and not what is below it', () => {
    expect(
      compare(tree, [
        listCard('A'),
        listCard('B', 'A'),
        listCard('D', 'A'),
        listCard('E', 'A'),
        listCard('C', 'E'),
        listCard('F', 'C'),
      ]),
    ).toEqual(['C moved'])
  })

  test('finds changes below a moved card', () => {
    const after = [
      listCard('A'),
      listCard('B', 'A'),
      listCard('D', 'A'),
      listCard('E', 'A'),
      listCard('C', 'E'),
      listCard('F', 'C', { title: 'x' }),
      listCard('H', 'F'),
    ]
    expect(compare(tree, after)).toEqual(['C moved', 'F renamed', 'H added'])
  })

  test('finds a card that left a removed parent', () => {
    const after = [listCard('A'), listCard('B', 'A'), listCard('D', 'A'), listCard('E', 'A'), listCard('F', 'A')]
    expect(compare(tree, after)).toEqual(['C removed', 'F moved'])
  })

  test('of two neighbours that changed places, takes the one that is known to have been moved', () => {
    const [before, after] = [toSide([listCard('a'), listCard('b')]), toSide([listCard('b'), listCard('a')])]
    for (const [index, id] of ['A', 'B'].entries()) {
      const { changes } = compareSnapshots(before, after, new Set([id]))
      expect(changes.map((change) => change.before)).toEqual([index])
    }
  })

  test('finds parent and child that changed places', () => {
    expect(
      compare(
        [listCard('A'), listCard('B', 'A'), listCard('C', 'B')],
        [listCard('A'), listCard('C', 'A'), listCard('B', 'C')],
      ),
    ).toEqual(['B moved', 'C moved'])
  })

  test('finds a dragged card below a moved one', () => {
    const before = [listCard('A'), listCard('M'), ...['1', '2', '3', '4'].map((id) => listCard(id, 'M'))]
    const after = [listCard('A'), listCard('M', 'A'), ...['4', '1', '2', '3'].map((id) => listCard(id, 'M'))]
    expect(compare(before, after)).toEqual(['4 moved', 'M moved'])
  })

  test('finds no change in another order of inner members or of tags', () => {
    const before = [listCard('a', null, { meta: { x: 1, y: [{ p: 1, q: 2 }] }, hashtags: ['#a', '#b'] })]
    const after = [listCard('a', null, { meta: { y: [{ q: 2, p: 1 }], x: 1 }, hashtags: ['#b', '#a'] })]
    expect(compare(before, after)).toEqual([])
  })

  test('survives a member that is nested deeper than any card', () => {
    const nest = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    const before = [listCard('a', null, { meta: nest(50_000) })]
    expect(compare(before, [listCard('a', null, { meta: nest(50_000), title: 'b' })])).toEqual(['a renamed'])
  })

  test('compares the order only of cards that have the same parent, also where no parent is listed', () => {
    const [root, other, first, second] = [listCard('r'), listCard('o'), listCard('a', 'p1'), listCard('b', 'p2')]
    expect(compare([root, first, second], [second, first, root])).toEqual([])
    expect(compare([root, first, other], [other, first, root])).toHaveLength(1)
    const siblings = [listCard('c', 'p1'), listCard('d', 'p1')]
    expect(compare([first, ...siblings], [...siblings, first])).toEqual(['a moved'])
  })

  test('treats null, an empty text and no parent alike, and a missing value like none', () => {
    expect(
      compare(
        [{ noteid: 'A', parent: null }, { noteid: 'B', parent: '' }, { noteid: 'C' }],
        [{ noteid: 'A', title: '', folded: false, colorIndex: null }, { noteid: 'B' }, { noteid: 'C', parent: null }],
      ),
    ).toEqual([])
  })

  test('ignores what follows from the tree and what only a sorted listing has', () => {
    expect(
      compare(
        [listCard('A', null, { depth: 0, childCount: 2 })],
        [listCard('A', null, { docPage: 3, docBookmd5: 'x' })],
      ),
    ).toEqual([])
  })

  test('reports a member that nobody explains, if both listings have it', () => {
    const [before, after] = [[listCard('A', null, { extra: 1 })], [listCard('A', null, { extra: 2 })]]
    const [oldMembers, newMembers] = [{ members: new Set(['extra']) }, { members: new Set(['extra']) }]
    expect(compare(before, after, [oldMembers, newMembers])).toEqual(['A other'])
    expect(compare(before, after, [{ members: new Set() }, newMembers])).toEqual([])
  })

  test('never says that a card appeared or vanished where a listing is not whole', () => {
    const after = [listCard('A'), listCard('C', 'A'), listCard('B', 'A', { title: 'new' })]
    expect(compare(tree, after, [{}, { isWhole: false }])).toEqual(['B moved+renamed'])
    const { uncoveredAfter } = compareSnapshots(toSide(tree), toSide(after, { isWhole: false }))
    expect(uncoveredAfter).toBe(3)
    const { uncoveredBefore } = compareSnapshots(toSide(after, { isWhole: false }), toSide(tree))
    expect(uncoveredBefore).toBe(3)
  })

  test('does not compare the order with a listing in another order', () => {
    const after = ['A', 'E', 'D', 'C', 'B'].map((id) => listCard(id, id === 'A' ? null : 'A'))
    expect(compare(tree.slice(0, 5), after, [{}, { isInTreeOrder: false }])).toEqual([])
  })

  test('survives orphans, circles, repeated ids and entries that are no cards', () => {
    const odd = [
      listCard('A', 'B'),
      listCard('B', 'C'),
      listCard('C', 'A'),
      listCard('D', 'D'),
      listCard('O', 'nowhere'),
      listCard('O', 'A'),
      null,
      7,
      { title: 'no id' },
      { noteid: 9, parent: 'A' },
    ]
    const forest = buildListedForest(odd)
    expect(forest.anomalies).toEqual({ duplicates: 1, orphans: 1, circles: 2 })
    expect(forest.count).toBe(6)
    expect(compare(odd, odd)).toEqual([])
    expect(
      compare(odd, [
        listCard('B', 'C'),
        listCard('C', 'A', { title: 'x' }),
        listCard('A', 'B'),
        listCard('D', 'D'),
        listCard('9', 'A', { title: null }),
      ]),
    ).toEqual(['C renamed', 'O removed'])
  })

  test('compares a chain of 100,000 cards without recursion', () => {
    const chain = Array.from({ length: 100_000 }, (_, index) =>
      listCard(`c${index}`, index === 0 ? null : `c${index - 1}`),
    )
    const after = [...chain.slice(0, -1), { ...chain.at(-1), title: 'x' }]
    expect(compare(chain, after)).toEqual(['c99999 renamed'])
  })
})

/** A tree as the tests edit it: the children of each card, '' for the roots. */
type Tree = Map<string, string[]>
interface Model {
  readonly children: Tree
  readonly titles: Map<string, string>
}

function listModel({ children, titles }: Model): object[] {
  const nodes: object[] = []
  const visit = (parent: string): void => {
    for (const id of children.get(parent) ?? []) {
      nodes.push({ noteid: id, parent: parent === '' ? null : parent, title: titles.get(id) })
      visit(id)
    }
  }
  visit('')
  return nodes
}

const cloneModel = ({ children, titles }: Model): Model => ({
  children: new Map([...children].map(([id, list]) => [id, [...list]])),
  titles: new Map(titles),
})

/** Builds a tree from numbers: the parent of card n is the root or an earlier card. */
const modelArbitrary = fc.array(fc.nat(), { minLength: 1, maxLength: 60 }).map((picks): Model => {
  const model: Model = { children: new Map([['', []]]), titles: new Map() }
  for (const [index, pick] of picks.entries()) {
    const parent = pick % (index + 1)
    model.children.get(parent === 0 ? '' : `n${parent - 1}`)?.push(`n${index}`)
    model.children.set(`n${index}`, [])
    model.titles.set(`n${index}`, `title ${index}`)
  }
  return model
})

const findParent = ({ children }: Model, id: string): string =>
  [...children].find(([, list]) => list.includes(id))?.[0] ?? ''

function listBelow({ children }: Model, id: string): string[] {
  return [id, ...(children.get(id) ?? []).flatMap((child) => listBelow({ children, titles: new Map() }, child))]
}

const edits = fc.array(
  fc.record({
    what: fc.constantFrom('add', 'remove', 'rename', 'reparent', 'drag'),
    card: fc.nat(),
    other: fc.nat(),
    place: fc.nat(),
  }),
  { maxLength: 12 },
)

/** Applies random edits one after the other, on any card. */
function applyEdits(model: Model, script: typeof edits extends fc.Arbitrary<infer Script> ? Script : never): Model {
  const result = cloneModel(model)
  for (const [step, { what, card: cardPick, other, place }] of script.entries()) {
    const ids = [...result.titles.keys()]
    const id = ids[cardPick % Math.max(1, ids.length)]
    if (id === undefined && what !== 'add') continue
    const otherId = ['', ...ids][other % (ids.length + 1)] ?? ''
    const insert = (parent: string, child: string): void => {
      const list = result.children.get(parent) ?? []
      list.splice(place % (list.length + 1), 0, child)
    }
    if (what === 'add') {
      insert(otherId, `new${step}`)
      result.children.set(`new${step}`, [])
      result.titles.set(`new${step}`, 'new')
    } else if (id !== undefined) {
      const siblings = result.children.get(findParent(result, id)) ?? []
      if (what === 'rename') result.titles.set(id, `renamed ${step}`)
      else if (what === 'remove') {
        for (const removedId of listBelow(result, id)) result.titles.delete(removedId)
        siblings.splice(siblings.indexOf(id), 1)
      } else if (what === 'drag') {
        siblings.splice(siblings.indexOf(id), 1)
        siblings.splice(place % (siblings.length + 1), 0, id)
      } else if (!listBelow(result, id).includes(otherId)) {
        siblings.splice(siblings.indexOf(id), 1)
        insert(otherId, id)
      }
    }
  }
  return result
}

describe('random edits of random forests', () => {
  const runs = { numRuns: 400 }

  test('are all found, and nothing else', () => {
    fc.assert(
      fc.property(modelArbitrary, edits, (model, script) => {
        const edited = applyEdits(model, script)
        const changes = new Map(
          compare(listModel(model), listModel(edited)).map((line) => line.split(' ') as [string, string]),
        )
        const stayedMoved = new Set<string>()
        for (const id of new Set([...model.titles.keys(), ...edited.titles.keys()])) {
          const kinds = (changes.get(id) ?? '').split('+')
          const isOld = model.titles.has(id)
          const isNew = edited.titles.has(id)
          expect([id, kinds.includes('added')]).toEqual([id, isNew && !isOld])
          expect([id, kinds.includes('removed')]).toEqual([id, isOld && !isNew])
          if (!isOld || !isNew) continue
          expect([id, kinds.includes('renamed')]).toEqual([id, model.titles.get(id) !== edited.titles.get(id)])
          if (findParent(model, id) !== findParent(edited, id))
            expect([id, kinds.includes('moved')]).toEqual([id, true])
          else if (kinds.includes('moved')) stayedMoved.add(id)
        }
        // Below each parent, the unmoved cards have the same order, and no larger set has.
        for (const [parent, before] of model.children) {
          if (parent !== '' && !edited.titles.has(parent)) continue
          const after = edited.children.get(parent) ?? []
          const common = before.filter((id) => after.includes(id))
          const unmoved = common.filter((id) => !stayedMoved.has(id))
          expect(after.filter((id) => unmoved.includes(id))).toEqual(unmoved)
          expect(unmoved.length).toBe(
            longestCommonOrder(
              common,
              after.filter((id) => common.includes(id)),
            ),
          )
        }
      }),
      runs,
    )
  })

  test('name exactly the dragged card, if one card below a parent was dragged over two or more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), fc.nat(), fc.nat(), (count, fromPick, toPick) => {
        const ids = Array.from({ length: count }, (_, index) => `n${index}`)
        const from = fromPick % count
        const to = toPick % count
        fc.pre(Math.abs(from - to) >= 2)
        const after = ids.toSpliced(from, 1).toSpliced(to, 0, ids[from] ?? '')
        expect(
          compare(
            ids.map((id) => listCard(id)),
            after.map((id) => listCard(id)),
          ),
        ).toEqual([`n${from} moved`])
      }),
      runs,
    )
  })

  test('give equal hashes exactly to equal forests', () => {
    fc.assert(
      fc.property(modelArbitrary, edits, (model, script) => {
        const [before, after] = [listModel(model), listModel(applyEdits(model, script))]
        const isEqual = compare(before, after).length === 0
        expect(getForestHash(buildListedForest(before)) === getForestHash(buildListedForest(after))).toBe(isEqual)
      }),
      runs,
    )
  })

  test('do not break on any parents at all', () => {
    const anyNodes = fc.array(
      fc.record({
        noteid: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        parent: fc.constantFrom('a', 'b', 'c', 'd', 'x', null),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(anyNodes, anyNodes, (before, after) => {
        const changes = compare(before, after)
        const oldIds = new Set(before.map(({ noteid }) => noteid))
        const newIds = new Set(after.map(({ noteid }) => noteid))
        expect(changes.filter((line) => line.endsWith(' added')).length).toBe(
          [...newIds].filter((id) => !oldIds.has(id)).length,
        )
        expect(changes.filter((line) => line.endsWith(' removed')).length).toBe(
          [...oldIds].filter((id) => !newIds.has(id)).length,
        )
        const firstParent = (nodes: typeof before, id: string) => nodes.find(({ noteid }) => noteid === id)?.parent
        for (const id of oldIds)
          if (newIds.has(id) && firstParent(before, id) !== firstParent(after, id))
            expect(changes).toContain(`${id} moved`)
      }),
      runs,
    )
  })
})

/** Length of a longest common subsequence, by the textbook table. */
function longestCommonOrder(first: readonly string[], second: readonly string[]): number {
  let previous = new Array<number>(second.length + 1).fill(0)
  for (const id of first) {
    const row = [0]
    for (const [index, other] of second.entries())
      row.push(id === other ? (previous[index] ?? 0) + 1 : Math.max(row[index] ?? 0, previous[index + 1] ?? 0))
    previous = row
  }
  return previous.at(-1) ?? 0
}

test('markLongestIncreasing marks an increasing sequence of the greatest length', () => {
  expect([...markLongestIncreasing([3, 0, 1, 2, 4])]).toEqual([0, 1, 1, 1, 1])
  expect([...markLongestIncreasing([])]).toEqual([])
  expect([...markLongestIncreasing([1, 0], (place) => place === 0)]).toEqual([0, 1])
  expect([...markLongestIncreasing([1, 0], (place) => place === 1)]).toEqual([1, 0])
})
