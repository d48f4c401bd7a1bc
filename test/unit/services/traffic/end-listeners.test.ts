import { expect, test } from 'vitest'
import type { ExchangeEnd, ExchangeStart } from '../../../../electron/services/bridge/types.ts'
import { withEndListeners } from '../../../../electron/services/traffic/recorder.ts'

const start = { id: 'x' } as ExchangeStart

test('every listener reads the body before the recorder hands it over to its thread', () => {
  const lengths: unknown[] = []
  const readLength = (_: ExchangeStart, { body }: ExchangeEnd): void => void lengths.push(body?.byteLength)
  const recorder = {
    getMaxStreamedBytes: () => 0,
    recordStart: () => undefined,
    recordEnd: (_: ExchangeStart, { body }: ExchangeEnd) => {
      const buffer = body?.buffer as ArrayBuffer
      structuredClone(buffer, { transfer: [buffer] })
    },
  }
  const end = { body: new Uint8Array(5), isBodyOwned: true } as unknown as ExchangeEnd
  withEndListeners(recorder, [readLength, readLength], () => undefined).recordEnd(start, end)
  expect([...lengths, end.body?.byteLength]).toEqual([5, 5, 0])
})

test('an exchange is recorded, and reaches the other listeners, if a listener throws', () => {
  const steps: unknown[] = []
  const recorder = {
    getMaxStreamedBytes: () => 0,
    recordStart: () => undefined,
    recordEnd: () => void steps.push('recorded'),
  }
  const fail = (): void => {
    throw new Error('broken')
  }
  const listen = (): void => void steps.push('listened')
  withEndListeners(recorder, [fail, listen], (error) => void steps.push(String(error))).recordEnd(
    start,
    {} as ExchangeEnd,
  )
  expect(steps).toEqual(['Error: broken', 'listened', 'recorded'])
})
