import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createConnections, doorLimits } from '../../../electron/browser-host/connections.ts'

describe('who goes first', () => {
  class Fake extends EventEmitter {
    destroyed = false
    destroy = (): void => {
      this.destroyed = true
      this.emit('close')
    }
  }
  const set = (strangers: number, guests: number) => {
    const all: Fake[] = []
    const connections = createConnections({ ...doorLimits, strangers, guests })
    const open = (): Socket => {
      const socket = new Fake()
      all.push(socket)
      connections.opened(socket as unknown as Socket)
      return socket as unknown as Socket
    }
    return { connections, open, gone: () => all.map(({ destroyed }) => destroyed) }
  }

  it('a stranger with nothing under way, and the oldest where all have', () => {
    const { connections, open, gone } = set(2, 9)
    const [done] = [open(), open()].map((socket) => connections.begun(socket))
    open()
    expect(gone()).toEqual([true, false, false])
    open()
    expect(gone()).toEqual([true, false, true, false])
    done?.()
  })

  it('of the guests the one that was busy longest ago; never one that is busy', () => {
    const { connections, open, gone } = set(9, 3)
    const guest = (): Socket => {
      const socket = open()
      connections.letIn(socket)
      return socket
    }
    const [first, , third] = [guest(), guest(), guest()]
    connections.begun(third as Socket)
    connections.begun(first as Socket)()
    guest()
    expect(gone()).toEqual([false, true, false, false])
    const others = [guest(), guest()].map((socket) => connections.begun(socket))
    expect(gone()).toEqual([true, true, false, true, false, false])
    guest()
    expect(gone()).toEqual([true, true, false, true, false, false, true])
    others.forEach((done) => done())
    guest()
    expect(gone().slice(4)).toEqual([true, false, true, false])
  })

  it('one that closed by itself counts no more', () => {
    const { connections, open, gone } = set(1, 1)
    const one = open()
    connections.begun(one)
    one.destroy()
    open()
    connections.letIn(open())
    expect(gone()).toEqual([true, true, false])
  })
})
