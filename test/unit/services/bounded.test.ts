import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concealed } from '../../../electron/handlers/dispatch.ts'
import { bounded } from '../../../electron/services/bounded.ts'

const budget = { values: 100, characters: 1_000, depth: 10 }
const same = (text: string): string => text

describe('a bounded copy', () => {
  test('of a small value is the same, each text and name visited once', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const ample = { values: 1_000_000, characters: 1_000_000, depth: 100 }
        expect(bounded(value, ample, same)).toEqual(value)
        expect(bounded({ secret: ['a secret'] }, ample, (text) => text.replace('secret', '*'))).toEqual({
          '*': ['a *'],
        })
      }),
    )
  })

  test('reports what was left out of a long list, a large object, a long text and a deep value', () => {
    expect(
      bounded(
        Array.from({ length: 1_000_000 }, () => 1),
        budget,
        same,
      ),
    ).toHaveLength(100)
    expect(
      (
        bounded(
          Array.from({ length: 300 }, () => 1),
          budget,
          same,
        ) as unknown[]
      ).at(-1),
    ).toBe('… (201 more entries)')
    const members = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]))
    expect(bounded(members, budget, same)).toMatchObject({ k98: 98, '…': '201 more members' })
    expect(bounded('x'.repeat(3_000), budget, same)).toBe(`${'x'.repeat(1_000)}… (2000 more characters)`)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(JSON.stringify(bounded(deep, budget, same))).toBe('[[[[[[[[[["… (too deep to show)"]]]]]]]]]]')
  })

  test('keeps bytes, and a token cut in two is masked in what is kept', () => {
    const bytes = new Uint8Array(4).buffer
    expect(bounded({ bytes }, budget, same)).toEqual({ bytes })
    const taken: string[] = []
    bounded('y'.repeat(5_000), budget, (text) => (taken.push(text), text))
    expect(Math.max(...taken.map(({ length }) => length))).toBe(1_000)
  })

  test('can be sent to a page, however deep and wide the value is', () => {
    let deep: unknown = { details: 'token' }
    for (let level = 0; level < 100_000; level += 1) deep = { deep }
    expect(() => JSON.stringify(concealed(deep, same))).not.toThrow()
    const wide = concealed(
      Array.from({ length: 3_000_000 }, () => 1),
      same,
    )
    expect(wide).toHaveLength(2_000_000)
  })
})
