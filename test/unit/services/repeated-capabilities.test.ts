import { expect, test } from 'vitest'
import { toExchangeStep } from '../../../electron/services/findings/exchange-step.ts'
import { createEntry } from '../../support/services/traffic.ts'

function readCapabilities(body: string): unknown {
  const { row } = createEntry({ row: { method: 'GET', path: '/capabilities', endpoint: 'capabilities.get' } })
  const response = new TextEncoder().encode(body)
  const step = toExchangeStep({ row: { ...row, seq: 1 }, beganAt: 0, endedAt: 1, request: null, response })
  response.fill(0)
  return step.response
}

test('capabilities that a host repeats are parsed once', () => {
  const first = readCapabilities('{"routes":[]}')
  expect(first).toEqual({ routes: [] })
  expect(readCapabilities('{"routes":[]}')).toBe(first)
  expect(readCapabilities('{"routes":[{}]}')).toEqual({ routes: [{}] })
  expect(readCapabilities('{"routes":[]')).toBeUndefined()
  expect(readCapabilities('{"routes":[]}')).toEqual({ routes: [] })
})
