import { expect, test } from 'vitest'
import { createBus } from '../../../electron/services/bus.ts'
import { createNotices } from '../../../electron/services/notices.ts'
import { noticeSchema } from '../../../shared/ipc/app.ts'

const notice = { level: 'info', code: 'X', message: 'x' } as const

test('every listener gets what is published while it listens', () => {
  const bus = createBus(() => expect.unreachable())
  const heard: string[] = []
  const stopA = bus.subscribe(({ topic }) => {
    heard.push(`a ${topic}`)
    stopA()
  })
  const stopB = bus.subscribe(({ topic }) => heard.push(`b ${topic}`))
  const notices = createNotices(bus)
  notices.add(notice)
  notices.add(notice)
  stopB()
  notices.add(notice)
  expect(heard).toEqual(['a app.notice', 'b app.notice', 'b app.notice'])
})

test('a listener that throws stops neither the others nor the service', () => {
  const errors: unknown[] = []
  const bus = createBus((error) => errors.push(error))
  const heard: unknown[] = []
  bus.subscribe(() => {
    throw new Error('gone')
  })
  bus.subscribe(({ payload }) => heard.push(payload))
  createNotices(bus).add(notice)
  expect(heard).toHaveLength(1)
  expect(errors).toEqual([new Error('gone')])
})

test('notices are kept until dismissed, fifty at the most, each with an id of its own', () => {
  const notices = createNotices(createBus(() => undefined))
  for (let n = 0; n < 60; n += 1) notices.add({ ...notice, params: { n } })
  const kept = notices.list()
  expect(kept.map(({ params }) => params?.['n'])).toEqual(Array.from({ length: 50 }, (_, at) => at + 10))
  expect(new Set(kept.map(({ id }) => id)).size).toBe(50)
  for (const one of kept) expect(noticeSchema.safeParse(one).success).toBe(true)
  notices.dismiss(kept[3]?.id ?? '')
  notices.dismiss('nobody')
  expect(notices.list()).toHaveLength(49)
})
