import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createConnectionLimiter,
  defaultConnectionLimits,
  programConnectionLimits,
  type ConnectionLimits,
} from '../../../electron/system/connection-limiter.ts'

describe('connection limiter', () => {
  class FakeSocket extends EventEmitter {
    destroyed = false
    destroy = (): void => {
      this.destroyed = true
      this.emit('close')
    }
  }
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  /** Lets the time pass, and the event loop read what has arrived. */
  const pass = async (ms: number): Promise<void> => {
    vi.advanceTimersByTime(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  afterEach(() => void vi.useRealTimers())

  const createLimiter = (strangers: number, guests: number, fresh = 0) =>
    openConnections({
      ...defaultConnectionLimits,
      maxStrangers: strangers,
      maxGuests: guests,
      maxNewConnections: fresh,
    })
  const openConnections = (limits: ConnectionLimits) => {
    const all: FakeSocket[] = []
    const connections = createConnectionLimiter(limits)
    const openConnection = (): Socket => {
      const socket = new FakeSocket()
      all.push(socket)
      connections.addConnection(socket as unknown as Socket)
      return socket as unknown as Socket
    }
    return { connections, open: openConnection, gone: () => all.map(({ destroyed }) => destroyed) }
  }

  it('closes an idle stranger, or the oldest if all are busy', () => {
    const { connections, open, gone } = createLimiter(2, 9)
    const [done] = [open(), open()].map((socket) => connections.beginRequest(socket))
    open()
    expect(gone()).toEqual([true, false, false])
    open()
    expect(gone()).toEqual([true, false, true, false])
    done?.()
  })

  it('closes the guest that is idle longest, and never a busy one', () => {
    const { connections, open, gone } = createLimiter(9, 3)
    const openGuest = (): Socket => {
      const socket = open()
      connections.admitConnection(socket)
      return socket
    }
    const [first, , third] = [openGuest(), openGuest(), openGuest()]
    connections.beginRequest(third as Socket)
    connections.beginRequest(first as Socket)()
    openGuest()
    expect(gone()).toEqual([false, true, false, false])
    const others = [openGuest(), openGuest()].map((socket) => connections.beginRequest(socket))
    expect(gone()).toEqual([true, true, false, true, false, false])
    openGuest()
    expect(gone()).toEqual([true, true, false, true, false, false, true])
    others.forEach((done) => done())
    openGuest()
    expect(gone().slice(4)).toEqual([true, false, true, false])
  })

  it('does not count a closed connection', () => {
    const { connections, open, gone } = createLimiter(1, 1)
    const stranger = open()
    connections.beginRequest(stranger)
    stranger.destroy()
    open()
    connections.admitConnection(open())
    expect(gone()).toEqual([true, true, false])
  })

  it('counts a new connection as a stranger after a while, or if there are too many new ones', async () => {
    const { connections, open, gone } = createLimiter(1, 9, 3)
    const [first] = [open(), open(), open()]
    expect(gone()).toEqual([false, false, false])
    open()
    open()
    // Two connections are too many, so they already count, and only one stranger may stay.
    expect(gone()).toEqual([true, false, false, false, false])
    expect(first?.destroyed).toBe(true)
    await pass(249)
    expect(gone()).toEqual([true, false, false, false, false])
    await pass(1)
    expect(gone()).toEqual([true, true, true, true, false])
    connections.admitConnection(open())
    await pass(1_000)
    expect(gone()).toEqual([true, true, true, true, false, false])
  })

  it('waits for what has arrived to be read if the process was busy for longer than that', async () => {
    const { connections, open, gone } = createLimiter(1, 9, 100)
    const [first, second] = [open(), open()]
    vi.advanceTimersByTime(1_000)
    // The event loop reads both first requests before it runs immediates.
    for (const socket of [first, second]) connections.admitConnection(socket)
    await pass(0)
    expect(gone()).toEqual([false, false])
  })

  it('keeps hundreds of calls that a program sends long after it has connected', async () => {
    const { connections, open, gone } = openConnections(programConnectionLimits)
    const sockets = Array.from({ length: 500 }, open)
    await pass(4_000)
    for (const socket of sockets) connections.admitConnection(socket)
    await pass(2_000)
    expect(gone()).not.toContain(true)
  })

  it('keeps a page that shows its cookie in time, however many connect at once', async () => {
    const { connections, open, gone } = createLimiter(1, 9, 100)
    const page = open()
    for (let times = 0; times < 90; times += 1) open()
    connections.admitConnection(page)
    await pass(250)
    expect(gone().filter((isClosed) => !isClosed)).toHaveLength(2)
    expect(page.destroyed).toBe(false)
  })
})
