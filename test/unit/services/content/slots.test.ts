import { describe, expect, test } from 'vitest'
import { ConcurrencyLimit } from '../../../../electron/services/media/concurrency-limit.ts'

const never = new AbortController().signal

describe('slots of a page', () => {
  test('are given in order, and one page does not wait for another', async () => {
    const slots = new ConcurrencyLimit(2)
    const order: string[] = []
    const enter = async (name: string, page = 'a'): Promise<() => void> => {
      const leave = await slots.acquire(page, never)
      order.push(name)
      return leave
    }
    const [first] = await Promise.all([enter('1'), enter('2')])
    const third = enter('3')
    const fourth = enter('4')
    await enter('other', 'b')
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

  test('a waiter that leaves takes none, and all are returned', async () => {
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
