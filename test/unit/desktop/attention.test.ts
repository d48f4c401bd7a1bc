import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { drawAttentionToProposals } from '../../../electron/desktop/attention-request.ts'
import type { PendingProposal } from '../../../shared/ipc/agents.ts'
import { FakeDoor } from './fakes.ts'

test('a proposed write makes the window request attention until it is focused, without taking the focus', () => {
  const door = new FakeDoor()
  const flashes: boolean[] = []
  let focused = false
  const window = Object.assign(new EventEmitter(), {
    isFocused: () => focused,
    flashFrame: (on: boolean) => void flashes.push(on),
  })
  drawAttentionToProposals(door, () => window as never, { dock: undefined })
  const publishAsks = (...proposals: PendingProposal[]): void =>
    door.publish({ topic: 'agents.changed', payload: { asks: proposals } })
  const ask = { id: '1', at: 0, agent: 'a' }
  publishAsks()
  expect(flashes).toEqual([])
  publishAsks(ask)
  expect(flashes).toEqual([true])
  window.emit('focus')
  expect(flashes).toEqual([true, false])
  focused = true
  publishAsks(ask)
  door.publish({ topic: 'connection.changed', payload: null })
  expect(flashes).toEqual([true, false])
})
