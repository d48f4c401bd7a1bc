import { describe, expect, test } from 'vitest'
import { ConcurrencyLimit } from '../../../../electron/services/media/concurrency-limit.ts'

const never = new AbortController().signal

describe('concurrency limit of a page', () => {
  test('admits callers in order, and does not let one page wait for another', async () => {
    const slots = new ConcurrencyLimit(2)
    const order: string[] = []
    const enterSlot = async (name: string, page = 'a'): Promise<() => void> => {
      const leave = await slots.acquire(page, never)
      order.push(name)
      return leave
    }
    const [first] = await Promise.all([enterSlot('1'), enterSlot('2')])
    const third = enterSlot('3')
    const fourth = enterSlot('4')
    await enterSlot('other', 'b')
    expect(order).toEqual(['1', '2', 'other'])
    first?.()
    first?.()
    const leaveThird = await third
    await Promise.resolve()
    expect(order).toEqual(['1', '2', 'other', '3'])
    leaveThird()
    await fourth
    expect(order).toEqual(['1', '2', 'other', '3', '4'])
  })

  test('skips a caller that leaves, and gets all slots back', async () => {
    const slots = new ConcurrencyLimit(1)
    const leave = await slots.acquire('a', never)
    const stop = new AbortController()
    const stopped = slots.acquire('a', stop.signal)
    const next = slots.acquire('a', never)
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ kind: 'cancelled' })
    await expect(slots.acquire('a', stop.signal)).rejects.toMatchObject({ kind: 'cancelled' })
    expect(slots.activeCount).toBe(2)
    leave()
    ;(await next)()
    expect(slots.activeCount).toBe(0)
  })
})
