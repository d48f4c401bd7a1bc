import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConnectionLimiter, defaultConnectionLimits } from '../../../electron/browser-host/connection-limiter.ts'

describe('who goes first', () => {
  class Fake extends EventEmitter {
    destroyed = false
    destroy = (): void => {
      this.destroyed = true
      this.emit('close')
    }
  }
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const set = (strangers: number, guests: number, fresh = 0) => {
    const all: Fake[] = []
    const connections = createConnectionLimiter({
      ...defaultConnectionLimits,
      maxStrangers: strangers,
      maxGuests: guests,
      maxNewConnections: fresh,
    })
    const open = (): Socket => {
      const socket = new Fake()
      all.push(socket)
      connections.addConnection(socket as unknown as Socket)
      return socket as unknown as Socket
    }
    return { connections, open, gone: () => all.map(({ destroyed }) => destroyed) }
  }

  it('an idle stranger, or the oldest if all are busy', () => {
    const { connections, open, gone } = set(2, 9)
    const [done] = [open(), open()].map((socket) => connections.beginRequest(socket))
    open()
    expect(gone()).toEqual([true, false, false])
    open()
    expect(gone()).toEqual([true, false, true, false])
    done?.()
  })

  it('of the guests the one idle longest; never a busy one', () => {
    const { connections, open, gone } = set(9, 3)
    const guest = (): Socket => {
      const socket = open()
      connections.admitConnection(socket)
      return socket
    }
    const [first, , third] = [guest(), guest(), guest()]
    connections.beginRequest(third as Socket)
    connections.beginRequest(first as Socket)()
    guest()
    expect(gone()).toEqual([false, true, false, false])
    const others = [guest(), guest()].map((socket) => connections.beginRequest(socket))
    expect(gone()).toEqual([true, true, false, true, false, false])
    guest()
    expect(gone()).toEqual([true, true, false, true, false, false, true])
    others.forEach((done) => done())
    guest()
    expect(gone().slice(4)).toEqual([true, false, true, false])
  })

  it('one that closed no longer counts', () => {
    const { connections, open, gone } = set(1, 1)
    const one = open()
    connections.beginRequest(one)
    one.destroy()
    open()
    connections.admitConnection(open())
    expect(gone()).toEqual([true, true, false])
  })

  it('a new connection counts among the strangers after a while, or when there are too many new ones', () => {
    const { connections, open, gone } = set(1, 9, 3)
    const [first] = [open(), open(), open()]
    expect(gone()).toEqual([false, false, false])
    open()
    open()
    // Two were too many: they already count, and only one stranger may stay.
    expect(gone()).toEqual([true, false, false, false, false])
    expect(first?.destroyed).toBe(true)
    vi.advanceTimersByTime(249)
    expect(gone()).toEqual([true, false, false, false, false])
    vi.advanceTimersByTime(1)
    expect(gone()).toEqual([true, true, true, true, false])
    connections.admitConnection(open())
    vi.advanceTimersByTime(1_000)
    expect(gone()).toEqual([true, true, true, true, false, false])
  })

  it('a page that shows its cookie in time is no stranger, however many connect at once', () => {
    const { connections, open, gone } = set(1, 9, 100)
    const page = open()
    for (let times = 0; times < 90; times += 1) open()
    connections.admitConnection(page)
    vi.advanceTimersByTime(250)
    expect(gone().filter((one) => !one)).toHaveLength(2)
    expect(page.destroyed).toBe(false)
  })
})
