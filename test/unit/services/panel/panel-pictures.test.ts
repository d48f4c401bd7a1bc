import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBus } from '../../../../electron/services/bus.ts'
import { MAX_PANEL_PICTURES, PanelPictures } from '../../../../electron/services/panel/panel-pictures.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const origin = { kind: 'panel', label: 'Practice', caller: 'opening-1', load: 1 } as const
const createFinding = (id: string, exchange: number): Finding => ({
  id,
  rule: 'unknown-route',
  at: 1,
  origin,
  resource: '',
  exchanges: [exchange],
  params: {},
})

function start() {
  const bus = createBus()
  const findings: Finding[] = []
  const state = { isPaused: false, isEnabled: true, caller: 'opening-1' }
  const take = vi.fn<() => Promise<Uint8Array | null>>(() => Promise.resolve(new Uint8Array([1])))
  const pictures = new PanelPictures({
    bus,
    take,
    recorder: { isPaused: () => state.isPaused, store: { seqOf: (id) => Number(id) } },
    findings: { listAll: () => findings },
    isEnabled: () => state.isEnabled,
    getCaller: () => state.caller,
  })
  const endCall = (id: number, isNotable = true, caller = 'opening-1'): void =>
    bus.publish('traffic.panelCallEnded', { id: String(id), caller, isNotable })
  const addFinding = (id: string, exchange: number): void => {
    findings.push(createFinding(id, exchange))
    bus.publish('findings.changed', { total: findings.length })
  }
  const load = (loadedAt: number): void => bus.publish('panel.changed', { loadedAt } as never)
  const listSeqs = async (): Promise<(number | null)[]> => (await pictures.list()).map(({ seq }) => seq)
  return { pictures, take, state, endCall, addFinding, load, listSeqs }
}

test('a load, a finding and a failed call or write have a picture, and other calls none', async () => {
  const { endCall, addFinding, load, listSeqs } = start()
  endCall(1, false)
  endCall(2, true, 'opening-0')
  expect(await listSeqs()).toEqual([])
  load(1_000)
  await vi.advanceTimersByTimeAsync(2_000)
  endCall(3)
  await vi.advanceTimersByTimeAsync(2_000)
  addFinding('a', 4)
  await vi.advanceTimersByTimeAsync(2_000)
  // The same load and the same finding are told again with other changes.
  load(1_000)
  addFinding('a', 4)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await listSeqs()).toEqual([null, 3, 4])
})

test('there is at most one picture a second, and what happens within it has one together', async () => {
  const { endCall, take, listSeqs } = start()
  for (let id = 1; id <= 40; id += 1) {
    endCall(id)
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(take.mock.calls.length).toBeLessThanOrEqual(5)
  const seqs = await listSeqs()
  expect(seqs[0]).toBe(1)
  expect(new Set(seqs).size).toBe(seqs.length)
})

test('a picture that is due is taken before pictures are listed, and one that is slow is waited for', async () => {
  const { endCall, take, listSeqs, pictures } = start()
  const slow = Promise.withResolvers<Uint8Array>()
  take.mockReturnValueOnce(slow.promise)
  endCall(1)
  await vi.advanceTimersByTimeAsync(300)
  endCall(2)
  const listing = listSeqs()
  slow.resolve(new Uint8Array([1]))
  expect(await listing).toEqual([1, 2])
  pictures.close()
})

test('a picture that is too large leaves its moment behind, without its bytes', async () => {
  const { endCall, take, pictures } = start()
  take.mockResolvedValueOnce(new Uint8Array(262_145)).mockResolvedValueOnce(new Uint8Array(262_144))
  endCall(1)
  await vi.advanceTimersByTimeAsync(2_000)
  endCall(2)
  expect((await pictures.list()).map(({ seq, bytes }) => [seq, bytes?.byteLength])).toEqual([
    [1, undefined],
    [2, 262_144],
  ])
})

test('only the last pictures are kept, and none that never comes', async () => {
  const { endCall, take, listSeqs } = start()
  take.mockResolvedValueOnce(null)
  take.mockReturnValueOnce(new Promise(() => undefined))
  take.mockRejectedValueOnce(new Error('The window is gone.'))
  for (let id = 1; id <= MAX_PANEL_PICTURES + 5; id += 1) {
    endCall(id)
    await vi.advanceTimersByTimeAsync(4_000)
  }
  const seqs = await listSeqs()
  expect([seqs[0], seqs.at(-1), seqs.length]).toEqual([6, MAX_PANEL_PICTURES + 5, MAX_PANEL_PICTURES])
})

test('nothing is taken while recording is paused, or once it is turned off, or of another panel', async () => {
  const { endCall, take, state, listSeqs } = start()
  state.isPaused = true
  endCall(1)
  state.isPaused = false
  state.isEnabled = false
  endCall(2)
  expect(await listSeqs()).toEqual([])
  expect(take).not.toHaveBeenCalled()
  state.isEnabled = true
  take.mockImplementationOnce(() => {
    state.caller = 'opening-2'
    return Promise.resolve(new Uint8Array([1]))
  })
  endCall(3)
  expect(await listSeqs()).toEqual([])
  expect(take).toHaveBeenCalledOnce()
})
