import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareJson, findIncreasingRun, type DifferenceNode } from '../../../../shared/bridge/compare.ts'
import { compareBodies, createBodyComparer } from '../../../../renderer/workers/body-comparison.ts'

const kindsOf = (before: unknown, after: unknown): string[] =>
  compareJson(before, after).changes.map(
    ({ kind, pointerBefore: a, pointerAfter: b }) => `${kind} ${a ?? ''}>${b ?? ''}`,
  )
const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer

describe('a comparison of two bodies', () => {
  test('finds no difference if they are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(compareJson(value, structuredClone(value)).total).toBe(0)
      }),
    )
  })

  test('finds a difference if they are not equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (entry, other) => {
        const sorted = (value: unknown): string => JSON.stringify(value, (_, inner: unknown) => ordered(inner))
        expect(compareJson(entry, other).total === 0).toBe(sorted(entry) === sorted(other))
      }),
    )
  })

  test('matches objects in lists by id, and distinguishes moved from changed', () => {
    const card = (noteid: string, title = noteid): object => ({ noteid, title })
    const before = { notes: [card('a'), card('b'), card('c'), card('d')] }
    const after = { notes: [card('d'), card('a'), card('b', 'B'), card('e')] }
    expect(kindsOf(before, after)).toEqual([
      'changed /notes/1/title>/notes/2/title',
      'moved /notes/3>/notes/0',
      'removed /notes/2>',
      'added >/notes/3',
    ])
    expect(compareJson(before, after).changes.find(({ kind }) => kind === 'moved')?.id).toBe('d')
  })

  test('distinguishes moved from changed for plain values in lists as well', () => {
    expect(kindsOf(['x', 'y', 'z'], ['y', 'z', 'x'])).toEqual(['moved /0>/2'])
    expect(kindsOf([1, 2, 3], [1, 9, 3])).toEqual(['changed /1>/1'])
  })

  test('does not guess which objects are moved if their ids are missing or repeated', () => {
    const untitled = [
      { title: 'A', text: 1 },
      { title: 'B', text: 2 },
    ]
    const swapped = [
      { title: 'B', text: 1 },
      { title: 'A', text: 2 },
    ]
    expect(kindsOf(untitled, swapped)).toEqual(['changed /0/title>/0/title', 'changed /1/title>/1/title'])
    const card = (noteid: string, text: number): object => ({ noteid, text })
    const kinds = kindsOf([card('a', 1), card('a', 2)], [card('a', 2), card('a', 3)])
    expect(kinds.filter((kind) => kind.startsWith('changed'))).toHaveLength(1)
  })

  test('applied to the older value gives the newer one', () => {
    const element = fc.oneof(
      fc.integer({ max: 3, min: 0 }),
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), n: fc.nat({ max: 2 }) }),
    )
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'x', true),
        fc.array(element, { maxLength: 5 }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', '/~'), tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applyChanges(before, compareJson(before, after).nodes)).toEqual(after)
      }),
      { numRuns: 500 },
    )
  })

  test('is a tree that has every change once, inside its containers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const { changes, nodes } = compareJson(before, after)
        const toKey = ({
          kind,
          pointerBefore,
          pointerAfter,
        }: Pick<DifferenceNode, 'kind' | 'pointerBefore' | 'pointerAfter'>) =>
          `${kind} ${pointerBefore ?? '-'} ${pointerAfter ?? '-'}`
        expect(nodes.filter(({ kind }) => kind !== 'container').map(toKey)).toEqual(changes.map(toKey))
        nodes.forEach(({ parent, pointerAfter, pointerBefore }, index) => {
          expect(parent).toBeLessThan(index)
          const container = nodes[parent]
          if (container === undefined) return
          expect(['container', 'moved']).toContain(container.kind)
          if (pointerAfter !== null) expect(pointerAfter.startsWith(`${container.pointerAfter ?? ''}/`)).toBe(true)
          if (pointerBefore !== null) expect(pointerBefore.startsWith(`${container.pointerBefore ?? ''}/`)).toBe(true)
        })
      }),
    )
  })

  test('names the objects, puts changes into the moved object, and lists the equal rest when asked', () => {
    const card = (noteid: string, title: string): object => ({ noteid, title, tags: ['x', 'y'] })
    const before = { ok: true, notes: [card('a', 'A'), card('b', 'B'), card('c', 'C')] }
    const after = { ok: true, notes: [card('c', 'New'), card('a', 'A'), card('b', 'B')] }
    const comparer = createBodyComparer()
    const result = comparer.compare({ before: bytesOf(JSON.stringify(before)), after: bytesOf(JSON.stringify(after)) })
    if (result.kind !== 'json') throw new Error('the bodies are JSON')
    expect(
      result.nodes.map(({ parent, kind, name, title, id, sameCount }) => [parent, kind, name, title, id, sameCount]),
    ).toEqual([
      [-1, 'container', '', '', null, 1],
      [0, 'container', 'notes', '', null, 2],
      [1, 'moved', '0', 'New', 'c', 2],
      [2, 'changed', 'title', '', null, 0],
    ])
    expect(comparer.listMembers({ pointer: '/notes', omittedSteps: ['0'] })).toEqual({
      left: 0,
      members: [
        { name: '1', title: 'A', pointer: '/notes/1', text: null, memberCount: 3 },
        { name: '2', title: 'B', pointer: '/notes/2', text: null, memberCount: 3 },
      ],
    })
    const { members } = comparer.listMembers({ pointer: '/notes/1', omittedSteps: [] })
    expect(members.map(({ name, text }) => [name, text])).toEqual([
      ['noteid', '"a"'],
      ['title', '"A"'],
      ['tags', null],
    ])
    expect(comparer.listMembers({ pointer: '/ok/none', omittedSteps: [] })).toEqual({ members: [], left: 0 })
  })

  test('treats names with a meaning in JavaScript like any other', () => {
    expect(kindsOf(JSON.parse('{"__proto__":1,"_t":"a"}'), JSON.parse('{"__proto__":2,"_t":"a"}'))).toEqual([
      'changed /__proto__>/__proto__',
    ])
    expect(kindsOf({ 'a/b': 1 }, { 'a~b': 1 })).toEqual(['removed /a~1b>', 'added >/a~0b'])
  })

  // How long that takes: test/bench.
  test('of 5 MB each is done entry by entry', () => {
    const list = (shift: number): object[] =>
      Array.from({ length: 20_000 }, (_, index) => ({
        noteid: `note-${(index + shift) % 20_000}`,
        title: 'A title of an ordinary length',
        text: 'x'.repeat(160),
        tags: ['one', 'two', index % 97 === 0 ? String(shift) : 'three'],
      }))
    const before = bytesOf(JSON.stringify({ notes: list(0) }))
    const after = bytesOf(JSON.stringify({ notes: list(700) }))
    expect(before.byteLength).toBeGreaterThan(5_000_000)
    const result = compareBodies({ before, after })
    expect(result.kind === 'json' && result.changes.filter(({ kind }) => kind === 'moved').length).toBe(700)
  })
})

test('numbers that a double cannot hold are compared exactly', () => {
  const result = compareBodies({ before: bytesOf('{"n":9007199254740993}'), after: bytesOf('{"n":9007199254740992}') })
  expect(result).toMatchObject({ kind: 'json', total: 1 })
})

test('a body that is not JSON is compared as text, and one that is not text as bytes', () => {
  expect(compareBodies({ before: bytesOf('# a'), after: bytesOf('# b') })).toEqual({
    kind: 'text',
    before: '# a',
    after: '# b',
  })
  const binary = new Uint8Array([0xff, 0xfe, 0]).buffer
  expect(compareBodies({ before: binary, after: binary.slice(0) })).toEqual({ kind: 'bytes', isSame: true })
})

test('texts are compared as their charsets say', () => {
  const toBytes = (...bytes: number[]): ArrayBuffer => Uint8Array.from(bytes).buffer
  const gb18030 = { mediaType: 'text/plain; charset=gb18030', missing: null }
  const utf8 = { mediaType: 'text/plain', missing: null }
  expect(compareBodies({ before: toBytes(0xd6, 0xd0), after: toBytes(0xce, 0xc4), facts: [gb18030, gb18030] })).toEqual(
    { kind: 'text', before: '中', after: '文' },
  )
  // One text in two encodings is not one body.
  expect(
    compareBodies({ before: toBytes(0xd6, 0xd0), after: toBytes(0xe4, 0xb8, 0xad), facts: [gb18030, utf8] }),
  ).toEqual({ kind: 'bytes', isSame: false })
})

test('a longest increasing run is increasing, and no other is longer', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 9 }), (numbers) => {
      const run = findIncreasingRun(numbers).map((place) => numbers[place] ?? 0)
      expect(run).toEqual([...run].sort((a, b) => a - b))
      const best = (index: number, last: number): number =>
        index === numbers.length
          ? 0
          : Math.max(best(index + 1, last), (numbers[index] ?? 0) > last ? 1 + best(index + 1, numbers[index] ?? 0) : 0)
      expect(run.length).toBe(best(0, -1))
    }),
  )
})

const ordered = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

/**
 * Builds the newer value from the older one and the tree of changes alone. In a list, elements
 * that no change names keep their order in the places that are left.
 */
function applyChanges(before: unknown, changes: readonly DifferenceNode[], pointers = ['', '']): unknown {
  const [older, newer] = [pointers[0] ?? '', pointers[1] ?? '']
  const replacement = changes.find(
    (change) => change.kind === 'changed' && change.pointerAfter === newer && change.pointerBefore === older,
  )
  if (replacement) return JSON.parse(replacement.textAfter ?? 'null')
  const within = (pointer: string | null, container: string): string | null =>
    pointer?.startsWith(`${container}/`) === true ? `/${pointer.slice(container.length + 1).split('/')[0] ?? ''}` : null
  const steps = changes.map((change) => ({
    change,
    from: within(change.pointerBefore, older),
    to: within(change.pointerAfter, newer),
  }))
  const added = new Map(
    steps.flatMap(({ change, to }) =>
      change.kind === 'added' && change.pointerAfter === newer + to ? [[to, change.textAfter]] : [],
    ),
  )
  const removed = new Set(
    steps.flatMap(({ change, from }) =>
      change.kind === 'removed' && change.pointerBefore === older + from ? [from] : [],
    ),
  )
  if (Array.isArray(before)) {
    const result: unknown[] = Array.from({ length: before.length - removed.size + added.size })
    const placed = new Map(steps.flatMap(({ from, to }) => (from !== null && to !== null ? [[from, to]] : [])))
    const usedSteps = new Set([...placed.values(), ...added.keys()])
    const free = result.map((_, index) => `/${index}`).filter((step) => !usedSteps.has(step))
    before.forEach((value, index) => {
      const step = `/${index}`
      if (removed.has(step)) return
      const to = placed.get(step) ?? free.shift() ?? ''
      result[Number(to.slice(1))] = applyChanges(value, changes, [older + step, newer + to])
    })
    for (const [to, text] of added) result[Number(to?.slice(1))] = JSON.parse(text ?? 'null')
    return result
  }
  if (typeof before !== 'object' || before === null) return before
  const members = Object.entries(before).flatMap(([name, value]) => {
    const step = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return removed.has(step) ? [] : [[name, applyChanges(value, changes, [older + step, newer + step])] as const]
  })
  const news = [...added].map(
    ([to, text]) =>
      [to?.slice(1).replaceAll('~1', '/').replaceAll('~0', '~') ?? '', JSON.parse(text ?? 'null') as unknown] as const,
  )
  return Object.fromEntries([...members, ...news])
}
