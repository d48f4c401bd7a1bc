import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyRecycler } from '../../../renderer/components/key-recycler.ts'

const span = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

describe('row keys of a long list', () => {
  it('stay with their row, and pass from a removed row to a new one', () => {
    const keys = createKeyRecycler<number>()
    const list = {}
    const first = keys(span(0, 5), list)
    const next = keys(span(2, 7), list)
    expect(next.slice(0, 3)).toEqual(first.slice(2))
    expect(next.slice(3)).toEqual(first.slice(0, 2))
  })

  it('keep their order after a jump to another position', () => {
    const keys = createKeyRecycler<number>()
    const list = {}
    expect(keys(span(500, 520), list)).toEqual(keys(span(0, 20), list))
  })

  it('are dropped if no new row takes them at once', () => {
    const keys = createKeyRecycler<number>()
    const list = {}
    keys(span(0, 10), list)
    const firstKeys = keys(span(0, 5), list)
    const next = keys(span(1, 6), list)
    expect(next).toEqual([...firstKeys.slice(1), firstKeys[0]])
  })

  it('do not pass to another row when the list itself has changed', () => {
    const keys = createKeyRecycler<string>()
    const first = keys(['a', 'b', 'c'], 1)
    const next = keys(['x', 'a', 'c'], 2)
    expect(next.slice(1)).toEqual([first[0], first[2]])
    expect(first).not.toContain(next[0])
  })

  it('are unique, however the list is scrolled and changed', () => {
    const steps = fc.array(fc.tuple(fc.uniqueArray(fc.nat(30)), fc.nat(2)), { maxLength: 20 })
    fc.assert(
      fc.property(steps, (all) => {
        const keys = createKeyRecycler<number>()
        for (const [rows, list] of all) {
          const slotKeys = keys(rows, list)
          expect(slotKeys.length).toBe(rows.length)
          expect(new Set(slotKeys).size).toBe(rows.length)
        }
      }),
    )
  })
})
