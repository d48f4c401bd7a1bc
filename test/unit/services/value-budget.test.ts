import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concealTokens } from '../../../electron/handlers/dispatcher.ts'
import { truncateValue } from '../../../electron/services/value-budget.ts'

const budget = { maxValues: 100, maxChars: 1_000, maxDepth: 10 }
const keepText = (text: string): string => text

describe('bounded copy', () => {
  test('equals a small value, with each text and name visited once', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const ample = { maxValues: 1_000_000, maxChars: 1_000_000, maxDepth: 100 }
        expect(truncateValue(value, ample, keepText)).toEqual(value)
        expect(truncateValue({ secret: ['a secret'] }, ample, (text) => text.replace('secret', '*'))).toEqual({
          '*': ['a *'],
        })
      }),
    )
  })

  test('reports what is left out of a long list, a large object, a long text and a deep value', () => {
    expect(
      truncateValue(
        Array.from({ length: 1_000_000 }, () => 1),
        budget,
        keepText,
      ),
    ).toHaveLength(100)
    expect(
      (
        truncateValue(
          Array.from({ length: 300 }, () => 1),
          budget,
          keepText,
        ) as unknown[]
      ).at(-1),
    ).toBe('… (201 more entries)')
    const members = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n]))
    expect(truncateValue(members, budget, keepText)).toMatchObject({ k98: 98, '…': '201 more members' })
    expect(truncateValue('x'.repeat(3_000), budget, keepText)).toBe(`${'x'.repeat(1_000)}… (2000 more characters)`)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(JSON.stringify(truncateValue(deep, budget, keepText))).toBe('[[[[[[[[[["… (too deep to show)"]]]]]]]]]]')
  })

  test('keeps bytes, and masks only the part of a text that it keeps', () => {
    const bytes = new Uint8Array(4).buffer
    expect(truncateValue({ bytes }, budget, keepText)).toEqual({ bytes })
    const visitedTexts: string[] = []
    truncateValue('y'.repeat(5_000), budget, (text) => (visitedTexts.push(text), text))
    expect(Math.max(...visitedTexts.map(({ length }) => length))).toBe(1_000)
  })

  test('can be sent to a page, however deep and wide the value is', () => {
    let deep: unknown = { details: 'token' }
    for (let level = 0; level < 100_000; level += 1) deep = { deep }
    expect(() => JSON.stringify(concealTokens(deep, keepText))).not.toThrow()
    const copy = concealTokens(
      Array.from({ length: 3_000_000 }, () => 1),
      keepText,
    )
    expect(copy).toHaveLength(2_000_000)
  })
})
