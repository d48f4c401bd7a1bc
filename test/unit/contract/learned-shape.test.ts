import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LearnedShape } from '../../../electron/core/contract/learned-shape.ts'
import { observeResponse } from '../../../electron/core/contract/response-observer.ts'
import { countResponses, hashResponseId } from '../../../electron/core/contract/response-sketch.ts'
import { formatShape, parseShape } from '../../../electron/core/contract/shape-codec.ts'
import { mergeShape } from '../../../electron/core/contract/shape-merge.ts'
import { listTypes } from '../../../shared/contract/json-schema.ts'
import { toRecordedSchema } from '../../../electron/core/contract/recorded-schemas.ts'
import { ALL_FORMATS, listFormats, narrowFormats } from '../../../shared/contract/string-traits.ts'

interface Sample {
  readonly id: string
  readonly body: unknown
}

function learn(samples: readonly Sample[]): LearnedShape {
  const shape: LearnedShape = {}
  for (const { id, body } of samples) observeResponse(shape, body, hashResponseId(id))
  return shape
}

function merge(...shapes: readonly LearnedShape[]): LearnedShape {
  const merged: LearnedShape = {}
  for (const shape of shapes) mergeShape(merged, shape)
  return merged
}

const learnBodies = (...bodies: readonly unknown[]): LearnedShape =>
  learn(bodies.map((body, index) => ({ id: `exchange ${index}`, body })))

function expectSameInAnyOrder(...bodies: readonly unknown[]): void {
  const list = bodies.map((body, index): Sample => ({ id: `exchange ${index}`, body }))
  const parts = list.map((sample) => learn([sample]))
  const expected = formatShape(learn(list))
  expect(formatShape(learn([...list].reverse()))).toBe(expected)
  expect(formatShape(merge(...parts))).toBe(expected)
  expect(formatShape(merge(...parts.reverse()))).toBe(expected)
}

const key = fc.oneof(
  fc.constantFrom('kind', 'type', 'id', 'state', 'count', '__proto__', 'constructor', 'ns', 'list', 'tags', 'byTag'),
  fc.integer({ min: 0, max: 300 }).map((index) => `member${index}`),
  fc.uuid(),
  fc.string({ maxLength: 6 }),
)
const leaf = fc.oneof(
  fc.constantFrom('text', 'picture', 'NOT_FOUND', 'a free text', '', '2026-11-26T03:00:00Z', '12', -0),
  fc.uuid(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
)
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.array(tie('body'), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie('body')), { maxLength: 8 }).map((entries) => Object.fromEntries(entries) as unknown),
    fc
      .integer({ min: 30, max: 260 })
      .map((size) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`member${index}`, index]))),
  ),
}))
const samples = fc.array(fc.record({ id: fc.uuid(), body }), { maxLength: 12 })

describe('a learned shape', () => {
  it('is the same for any order and any split of the responses', () => {
    fc.assert(
      fc.property(samples, fc.array(fc.nat(), { maxLength: 12 }), fc.nat(), (list, order, seed) => {
        const expected = formatShape(learn(list))
        const shuffled = list
          .map((sample, index) => ({ sample, rank: (order[index] ?? seed) % 7 }))
          .sort((first, second) => first.rank - second.rank)
          .map(({ sample }) => sample)
        expect(formatShape(learn(shuffled))).toBe(expected)
        const cut = list.length === 0 ? 0 : seed % list.length
        const [head, tail] = [learn(shuffled.slice(0, cut)), learn(shuffled.slice(cut))]
        expect(formatShape(merge(head, tail))).toBe(expected)
        expect(formatShape(merge(tail, head))).toBe(expected)
        expect(formatShape(merge(tail, head, tail, merge(head, tail)))).toBe(expected)
      }),
      { numRuns: 100 },
    )
  })

  it('merges associatively', () => {
    fc.assert(
      fc.property(samples, samples, samples, (first, second, third) => {
        const [a, b, d] = [learn(first), learn(second), learn(third)]
        expect(formatShape(merge(merge(a, b), d))).toBe(formatShape(merge(a, merge(b, d))))
      }),
      { numRuns: 60 },
    )
  })

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const text = formatShape(learn(list))
        const parsed = parseShape(text)
        expect(parsed && formatShape(parsed)).toBe(text)
      }),
      { numRuns: 100 },
    )
    expect(parseShape('{"n":[1]}')).toBeNull()
    expect(parseShape('no json')).toBeNull()
  })

  it('is the same for ten thousand responses in any order and any split', () => {
    const list = Array.from({ length: 10_000 }, (_, index): Sample => ({
      id: `exchange ${index}`,
      body: {
        kind: ['text', 'picture', 'band'][index % 3],
        revision: index % 977,
        ...(index % 10 === 0 ? { note: `a text ${index}` } : {}),
        entries: { [`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`]: { depth: index % 4 } },
        [`member${index % 400}`]: index % 5 === 0 ? null : 'on',
      },
    }))
    const expected = formatShape(learn(list))
    const parts = Array.from({ length: 7 }, (_, part) => learn(list.filter((__, index) => (index * 31) % 7 === part)))
    expect(formatShape(merge(...parts.reverse()))).toBe(expected)
    expect(formatShape(learn([...list].reverse()))).toBe(expected)
    expect(formatShape(merge(learn(list.slice(0, 6_000)), learn(list.slice(4_000))))).toBe(expected)
  })

  it('counts responses exactly while they are few, and estimates them beyond', () => {
    const small = learnBodies(...Array.from({ length: 20 }, () => 1))
    expect(small.number && countResponses(small.number.responses)).toEqual({ count: 20, isExact: true })
    const large = learnBodies(...Array.from({ length: 10_000 }, () => 1))
    const { count, isExact } = countResponses(large.number?.responses ?? { hashes: [] })
    expect(isExact).toBe(false)
    expect(count).toBeGreaterThan(5_000)
    expect(count).toBeLessThan(20_000)
  })

  it('makes one small dictionary of 100,000 different keys', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => [`key${index}`, { count: index }])
    const shape = learnBodies(Object.fromEntries(keys))
    const record = shape.object?.variants?.get('')
    expect(record?.members).toBeNull()
    expect(record?.isSampled).toBe(true)
    expect(record?.entries?.object?.variants?.get('')?.members?.get('count')?.shape.number?.isInteger).toBe(true)
    expect(formatShape(shape).length).toBeLessThan(1_000)
  })

  it('makes a dictionary of ids beside named members', () => {
    const shape = learnBodies({ total: 1, 'D2C0DD3B-1111-4111-8111-0123456789AB': { page: 1 }, 颈椎: { page: 2 } })
    const record = shape.object?.variants?.get('')
    expect([...(record?.members?.keys() ?? [])]).toEqual(['total'])
    expect(record?.entries?.object?.variants?.get('')?.members?.has('page')).toBe(true)
  })

  it('notices members that are sometimes missing, and keeps variants by tag apart', () => {
    const shape = learnBodies({ kind: 'text', text: 'a' }, { kind: 'picture', url: 'b' }, { kind: 'text' })
    const variants = shape.object?.variants
    expect([...(variants?.keys() ?? [])].sort()).toEqual(['kind=picture', 'kind=text'])
    expect(variants?.get('kind=text')?.members?.get('text')?.isOptional).toBe(true)
    expect(variants?.get('kind=picture')?.members?.get('url')?.isOptional).toBe(false)
  })

  it('keeps no texts of a library', () => {
    const text = formatShape(
      learnBodies(
        {
          title: 'cell',
          noteid: 'abc',
          tags: ['exam'],
          kind: 'Cell Biology',
          state: 'a b',
          author: 'ada',
          mode: '颈椎',
        },
        {
          title: 'cell',
          noteid: 'abc',
          tags: ['exam'],
          kind: 'Cell Biology',
          state: 'a b',
          author: 'ada',
          mode: '颈椎',
        },
      ),
    )
    for (const word of ['cell', 'abc', 'exam', 'Cell', 'a b', 'ada', '颈椎']) expect(text).not.toContain(`"${word}"`)
  })

  it('does not depend on whether a word is twice in one response', () => {
    const names = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`member${index}`, { mode: 'y' }]))
    const tags = Array.from({ length: 17 }, (_, index) => ({ type: `t${String.fromCharCode(97 + index)}` }))
    const pair = ['aa', 'bb'].map((type) => ({ type, state2: 'x' }))
    expectSameInAnyOrder({ ka: { mode: 'x' }, kb: { mode: 'x' } }, names)
    expectSameInAnyOrder(pair, tags)
  })

  it('does not take a key of a dictionary for the member of the same name', () => {
    const names = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`member${index}`, index]))
    const bodies = [names, { 'D2C0DD3B-1111-4111-8111-0123456789AB': { page: 'a' }, tags: { page: 1 } }]
    expectSameInAnyOrder(...bodies)
    const entries = learnBodies(...bodies).object?.variants?.get('')?.entries
    expect(entries?.object?.variants?.get('')?.members?.get('page')?.isOptional).toBe(true)
  })

  it('has no range if a number is too large for the program', () => {
    const shape = learnBodies({ a: 1 }, JSON.parse('{"a": 1e999}'), { a: 2 })
    expect(shape.object?.variants?.get('')?.members?.get('a')?.shape.number?.range).toBeNull()
    expect(parseShape(formatShape(shape))).not.toBeNull()
    expect(parseShape('{"n":[[1],1,[null,null]]}')?.number?.range).toBeNull()
  })

  it('takes no values of a library for names of members', () => {
    const dictionaries = {
      ...{ byTag: { anatomie: [1] }, notes_by_tag: { kind: 'heart' }, users: { anna: {} }, hashtags: { herz: [] } },
      ...{ 'anna@example.org': 1, 'vorlesung.pdf': 1 },
    }
    const text = formatShape(learnBodies(dictionaries, { tag: { name: 'x' }, notes: [{ pages: 1 }] }))
    for (const word of ['anatomie', 'heart', 'anna', 'herz', 'vorlesung']) expect(text).not.toContain(word)
    for (const name of ['byTag', 'users', 'name', 'pages']) expect(text).toContain(`"${name}"`)
  })

  it('claims only formats that the texts have', () => {
    const list = (text: string): readonly string[] => listFormats(narrowFormats(ALL_FORMATS, text))
    const texts = ['2026-11-26T10:00:00+0100', '2026-99-99', '2026-02-29', '2026-11-26T25:00:00Z', 'x-a://ä|b']
    for (const text of texts) expect(list(text)).toEqual([])
    expect(list('2026-11-26T10:00:00.5+01:00')).toEqual(['date-time'])
    expect(['2024-02-29', '2000-02-29', '2026-12-31'].flatMap(list)).toEqual(['date', 'date', 'date'])
    expect(list('bridge://card/a%20b?x=[1]')).toEqual(['uri'])
  })

  it('drops what a hostile response multiplies', () => {
    const fill = (depth: number): unknown =>
      depth === 0
        ? 1
        : Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`member${index}`, fill(depth - 1)]))
    const [shape, part] = [learnBodies({ list: fill(3) }, [fill(3)]), learnBodies([{ a: 1 }])]
    expect(formatShape(shape).length).toBeLessThan(200)
    expect(formatShape(merge(part, shape))).toBe(formatShape(merge(shape, part)))
    expectSameInAnyOrder(
      [fill(3)],
      Array.from({ length: 201 }, () => 1),
    )
    expectSameInAnyOrder(fill(3), ...Array.from('abcdefghijklmnopq', (letter) => ({ type: `t${letter}` })))
    expect(merge(shape, part).list?.element).toBeNull()
    expect(listTypes(toRecordedSchema(merge(shape, part)))).toContainEqual(
      expect.objectContaining({ type: 'array', 'x-recorded': expect.objectContaining({ isSampled: true }) as object }),
    )
  })

  it('does not descend without end', () => {
    const shape = learnBodies(JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)))
    expect(formatShape(shape).length).toBeLessThan(2_000)
  })
})

describe('the words of an enumeration', () => {
  const listStrings = (...bodies: readonly unknown[]): string =>
    JSON.stringify(toRecordedSchema(learnBodies(...bodies)))

  it('are each in three responses, or known to the contract', () => {
    const enumerated = '"enum":["left","right"]'
    const [left, right] = [{ side: 'left' }, { side: 'right' }]
    expect(listStrings(left, right, left, right, left, right)).toContain(enumerated)
    expect(listStrings([left, left, left, right, right, right])).not.toContain(enumerated)
    expect(listStrings(left, left, left, left)).not.toContain('"enum"')
    expect(listStrings({ side: 'pending' }, { side: 'accepted' })).toContain('"enum":["accepted","pending"]')
  })

  it('tell shapes apart only if they are no words of a person', () => {
    const cells = [
      { type: 'mitochondria', a: 1 },
      { type: 'ribosom', b: 1 },
    ]
    expect(listStrings(cells)).not.toContain('"x-tag":{')
    expect(listStrings(cells, cells, cells)).toContain('"x-tag":{"member":"type","value":"ribosom"}')
  })

  it('are none of the member that names a person, a deck or an answer', () => {
    const cards = Array.from({ length: 8 }, (_, index) => ({
      ...{ owner: index % 2 === 0 ? 'anna' : 'ben', answer: index % 2 === 0 ? 'herz' : 'lunge', deck: 'anatomie' },
    }))
    const text = formatShape(learnBodies(...cards))
    for (const word of ['anna', 'ben', 'herz', 'lunge', 'anatomie']) expect(text).not.toContain(word)
  })
})
