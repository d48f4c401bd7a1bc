import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reduceItems } from '../../../electron/core/recordings/reduction/delta-debugging.ts'

const createItems = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const includesAll = (selection: readonly number[], required: readonly number[]): boolean =>
  required.every((item) => selection.includes(item))

/** Sets of items of which one has to be there as a whole. */
const sufficientSets = fc.array(fc.uniqueArray(fc.nat({ max: 39 }), { maxLength: 6 }), { minLength: 1, maxLength: 4 })

describe('reduceItems', () => {
  test('leaves one of the sufficient sets and nothing else, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(sufficientSets, async (sets) => {
        const reduced = await reduceItems(createItems(40), (selection) =>
          Promise.resolve(sets.some((set) => includesAll(selection, set))),
        )
        expect(reduced.isMinimal).toBe(true)
        const { items } = reduced
        expect(sets.some((set) => set.length === items.length && includesAll(items, set))).toBe(true)
        expect(items).toEqual([...items].sort((first, second) => first - second))
      }),
    )
  })

  test('returns only what was seen to pass, of which no single item can be left out, under any test', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 14 }), fc.func(fc.boolean()), async (count, decide) => {
        const passed = new Set([createItems(count).join()])
        const tried = new Map<string, boolean>()
        const reduced = await reduceItems(createItems(count), (selection) => {
          const key = selection.join()
          expect(tried.has(key)).toBe(false)
          tried.set(key, decide(key))
          if (decide(key)) passed.add(key)
          return Promise.resolve(decide(key))
        })
        expect(passed).toContain(reduced.items.join())
        expect(reduced.tries).toBe(tried.size)
        for (const item of reduced.items)
          expect(tried.get(reduced.items.filter((other) => other !== item).join())).toBe(false)
      }),
    )
  })

  test('ends at the limit with the smallest selection so far, and says so', async () => {
    const steps: number[] = []
    const reduced = await reduceItems(
      createItems(100),
      (selection) => {
        const isShown = includesAll(selection, [3, 97])
        steps.push(isShown ? selection.length : (steps.at(-1) ?? 100))
        return Promise.resolve(isShown)
      },
      { isOver: (tries) => tries >= 9 },
    )
    expect(reduced).toMatchObject({ isMinimal: false, tries: 9 })
    expect(includesAll(reduced.items, [3, 97])).toBe(true)
    expect(reduced.items.length).toBeLessThan(100)
    expect(steps).toHaveLength(9)
    expect(steps.at(-1)).toBe(reduced.items.length)
  })

  test('needs few tries for few items among many', async () => {
    const required = [17, 4_200, 9_999]
    const reduced = await reduceItems(createItems(10_000), (selection) => {
      const selected = new Set(selection)
      return Promise.resolve(required.every((item) => selected.has(item)))
    })
    expect(reduced.items).toEqual(required)
    expect(reduced.tries).toBeLessThan(250)
  })

  test('ends with an error when it is cancelled', async () => {
    const controller = new AbortController()
    const reducing = reduceItems(
      createItems(10),
      () => {
        controller.abort()
        return Promise.resolve(true)
      },
      { signal: controller.signal },
    )
    await expect(reducing).rejects.toThrow()
  })
})
