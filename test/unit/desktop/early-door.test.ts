import { describe, expect, test } from 'vitest'
import { createEarlyDoor } from '../../../electron/desktop/early-door.ts'
import type { EventMessage } from '../../../shared/ipc/wire.ts'
import { FakeDoor } from './fakes.ts'

const request = (id: string) => ({ id, method: 'app.info', input: {} })
const cancelled = { ok: false, error: { kind: 'cancelled' } }
const done = { ok: true, value: true }

describe('before the services are there', () => {
  test('calls wait, and go through in their order once they are', async () => {
    const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
    const replies = Promise.all([door.call('a', request('1')), door.call('b', request('1')), door.call('a', 'broken')])
    expect(services.calls).toEqual([])
    open(services)
    expect(await replies).toEqual([done, done, done])
    expect(services.calls).toEqual([
      { caller: 'a', request: request('1') },
      { caller: 'b', request: request('1') },
      { caller: 'a', request: 'broken' },
    ])
  })

  test('a call can be cancelled, by its own caller, and never reaches them', async () => {
    const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
    const [own, other, second] = [
      door.call('a', request('1')),
      door.call('b', request('1')),
      door.call('a', request('2')),
    ]
    void door.call('a', null)
    door.cancel('a', '1')
    door.cancel('a', undefined)
    expect(await own).toMatchObject(cancelled)
    open(services)
    expect(await Promise.all([other, second])).toEqual([done, done])
    expect(services.calls.map(({ caller, request: sent }) => [caller, sent])).toEqual([
      ['b', request('1')],
      ['a', request('2')],
      ['a', null],
    ])
  })

  test('safety 11: a caller that leaves takes its calls along, and no other’s', async () => {
    const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
    const [own, other] = [door.call('a', request('1')), door.call('b', request('1'))]
    door.leave('a')
    expect(await own).toMatchObject(cancelled)
    open(services)
    expect(await other).toEqual(done)
    expect(services.calls.map(({ caller }) => caller)).toEqual(['b'])
  })

  test('safety 10: no more calls wait than may be under way', async () => {
    const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
    const waiting = Array.from({ length: 256 }, (_, id) => door.call('a', request(String(id))))
    expect(await door.call('a', request('more'))).toMatchObject({ ok: false, error: { code: 'CALLS_TOO_MANY' } })
    open(services)
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => done))
    expect(services.calls).toHaveLength(256)
  })
})

test('who listens early hears everything, also what the waiting calls bring about, until it stops', () => {
  const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
  const heard: string[] = []
  const stop = door.subscribe(({ topic }) => heard.push(topic))
  door.subscribe(() => heard.push('left'))()
  const event = (topic: string): EventMessage => ({ topic, payload: {} })
  void door.call('a', request('1'))
  const { call } = services
  services.call = (...given) => {
    services.publish(event('by the call'))
    return call(...given)
  }
  open(services)
  services.publish(event('later'))
  stop()
  services.publish(event('too late'))
  expect(heard).toEqual(['by the call', 'later'])
  expect(services.listeners.size).toBe(0)
})

test('afterwards it is the door of the services', async () => {
  const [{ door, open }, services] = [createEarlyDoor(), new FakeDoor()]
  open(services)
  expect(await door.call('a', request('1'))).toEqual(done)
  door.cancel('a', '1')
  door.leave('a')
  const stop = door.subscribe(() => undefined)
  expect(services.listeners.size).toBe(1)
  stop()
  expect([services.cancelled, services.left, services.listeners.size]).toEqual([[{ caller: 'a', id: '1' }], ['a'], 0])
})
