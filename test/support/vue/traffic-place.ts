import TrafficPlace from '../../../renderer/places/traffic/TrafficPlace.vue'
import type { TrafficInfo } from '../../../shared/ipc/traffic.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { createExchangeRow } from './exchanges.ts'
import { findAllByRole, installFakeServiceProcess, mountComponent } from './mounting.ts'

export const trafficInfo: TrafficInfo = {
  kind: 'disk',
  reason: null,
  paused: false,
  exchanges: 3,
  bytes: 100,
  oldestAt: 1,
  runStartedAt: 1,
  newestAt: 1,
  droppedBodies: 0,
  setAside: null,
}

export const createListedRow = (seq: number, changed: Partial<ExchangeRow> = {}): ExchangeRow =>
  createExchangeRow({ seq, id: `id-${seq}`, group: `id-${seq}`, path: `/notes/N${seq}`, ...changed })

export const listRowTexts = (): string[] =>
  findAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent ?? '')

/** The place on a service that answers so; nothing is counted over time. */
export function openTrafficPlace(responses: Parameters<typeof installFakeServiceProcess>[0]) {
  const page = installFakeServiceProcess({
    'traffic.info': () => trafficInfo,
    'traffic.strip': () => ({ all: [], failed: [] }),
    ...responses,
  })
  mountComponent(TrafficPlace)
  return page
}
