import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concealTokens } from '../../../electron/handlers/dispatcher.ts'
import { truncateValue } from '../../../electron/services/value-budget.ts'

const budget = { maxValues: 100, maxChars: 1_000, maxDepth: 10 }
const same = (text: string): string => text

describe('a bounded copy', () => {
  test('of a small value is the same, each text and name visited once', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const ample = { maxValues: 1_000_000, maxChars: 1_000_000, maxDepth: 100 }
        expect(truncateValue(value, ample, same)).toEqual(value)
        expect(truncateValue({ secret: ['a secret'] }, ample, (text) => text.replace('secret', '*'))).toEqual({
          '*': ['a *'],
        })
      }),
    )
  })

  test('reports what was left out of a long list, a large object, a long text and a deep value', () => {
    expect(
      truncateValue(
        Array.from({ length: 1_000_000 }, () => 1),
        budget,
        same,
      ),
    ).toHaveLength(100)
    expect(
      (
        truncateValue(
          Array.from({ length: 300 }, () => 1),
          budget,
          same,
        ) as unknown[]
      ).at(-1),
    ).toBe('… (201 more entries)')
    const members = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]))
    expect(truncateValue(members, budget, same)).toMatchObject({ k98: 98, '…': '201 more members' })
    expect(truncateValue('x'.repeat(3_000), budget, same)).toBe(`${'x'.repeat(1_000)}… (2000 more characters)`)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(JSON.stringify(truncateValue(deep, budget, same))).toBe('[[[[[[[[[["… (too deep to show)"]]]]]]]]]]')
  })

  test('keeps bytes, and a token cut in two is masked in what is kept', () => {
    const bytes = new Uint8Array(4).buffer
    expect(truncateValue({ bytes }, budget, same)).toEqual({ bytes })
    const taken: string[] = []
    truncateValue('y'.repeat(5_000), budget, (text) => (taken.push(text), text))
    expect(Math.max(...taken.map(({ length }) => length))).toBe(1_000)
  })

  test('can be sent to a page, however deep and wide the value is', () => {
    let deep: unknown = { details: 'token' }
    for (let level = 0; level < 100_000; level += 1) deep = { deep }
    expect(() => JSON.stringify(concealTokens(deep, same))).not.toThrow()
    const wide = concealTokens(
      Array.from({ length: 3_000_000 }, () => 1),
      same,
    )
    expect(wide).toHaveLength(2_000_000)
  })
})
