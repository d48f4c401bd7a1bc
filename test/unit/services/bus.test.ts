import { expect, test } from 'vitest'
import { createBus } from '../../../electron/services/bus.ts'
import { createNotices } from '../../../electron/services/notices.ts'
import { noticeSchema } from '../../../shared/ipc/app.ts'

const notice = { level: 'info', code: 'X', message: 'x' } as const

test('every listener receives what is published while it listens', () => {
  const bus = createBus(() => expect.unreachable())
  const received: string[] = []
  const stopA = bus.subscribe(({ topic }) => {
    received.push(`a ${topic}`)
    stopA()
  })
  const stopB = bus.subscribe(({ topic }) => received.push(`b ${topic}`))
  const notices = createNotices(bus)
  notices.add(notice)
  notices.add(notice)
  stopB()
  notices.add(notice)
  expect(received).toEqual(['a app.notice', 'b app.notice', 'b app.notice'])
})

test('a listener that throws stops neither the other listeners nor the service', () => {
  const errors: unknown[] = []
  const bus = createBus((error) => errors.push(error))
  const received: unknown[] = []
  bus.subscribe(() => {
    throw new Error('gone')
  })
  bus.subscribe(({ payload }) => received.push(payload))
  createNotices(bus).add(notice)
  expect(received).toHaveLength(1)
  expect(errors).toEqual([new Error('gone')])
})

test('a topic of services reaches its listeners, and no page', () => {
  const bus = createBus()
  const received: unknown[] = []
  bus.subscribe(({ topic }) => received.push(topic))
  const stop = bus.on('vault.unlocked', (profileId) => received.push(profileId))
  bus.publish('vault.unlocked', 'p1')
  createNotices(bus).add(notice)
  stop()
  bus.publish('vault.unlocked', 'p2')
  expect(received).toEqual(['p1', 'app.notice'])
})

test('notices are stored until they are dismissed, at most fifty, each with its own id', () => {
  const notices = createNotices(createBus(() => undefined))
  for (let n = 0; n < 60; n += 1) notices.add({ ...notice, params: { n } })
  const stored = notices.list()
  expect(stored.map(({ params }) => params?.['n'])).toEqual(Array.from({ length: 50 }, (_, index) => index + 10))
  expect(new Set(stored.map(({ id }) => id)).size).toBe(50)
  for (const storedNotice of stored) expect(noticeSchema.safeParse(storedNotice).success).toBe(true)
  notices.dismiss(stored[3]?.id ?? '')
  notices.dismiss('nobody')
  expect(notices.list()).toHaveLength(49)
})
