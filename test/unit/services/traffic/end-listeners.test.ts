import { expect, test } from 'vitest'
import type { ExchangeEnd, ExchangeStart } from '../../../../electron/services/bridge/types.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { withPublishedEnds } from '../../../../electron/services/traffic/recorder.ts'

const start = { id: 'x' } as ExchangeStart

test('every listener reads the body before the recorder hands it over to its thread', () => {
  const lengths: unknown[] = []
  const bus = createBus()
  for (let n = 0; n < 2; n += 1)
    bus.on('bridge.exchangeEnded', ({ end: { body } }) => void lengths.push(body?.byteLength))
  const recorder = {
    getMaxStreamedBytes: () => 0,
    recordStart: () => undefined,
    recordEnd: (_: ExchangeStart, { body }: ExchangeEnd) => {
      const buffer = body?.buffer as ArrayBuffer
      structuredClone(buffer, { transfer: [buffer] })
    },
  }
  const end = { body: new Uint8Array(5), isBodyOwned: true } as unknown as ExchangeEnd
  withPublishedEnds(recorder, bus).recordEnd(start, end)
  expect([...lengths, end.body?.byteLength]).toEqual([5, 5, 0])
})

test('an exchange is recorded, and reaches the other listeners, if a listener throws', () => {
  const steps: unknown[] = []
  const recorder = {
    getMaxStreamedBytes: () => 0,
    recordStart: () => undefined,
    recordEnd: () => void steps.push('recorded'),
  }
  const bus = createBus((error) => void steps.push(String(error)))
  bus.on('bridge.exchangeEnded', () => {
    throw new Error('broken')
  })
  bus.on('bridge.exchangeEnded', () => void steps.push('listened'))
  withPublishedEnds(recorder, bus).recordEnd(start, {} as ExchangeEnd)
  expect(steps).toEqual(['Error: broken', 'listened', 'recorded'])
})
