import { expect, test } from 'vitest'
import { parseExchangeFilter } from '../../../cli/base/flags.ts'

test.each([
  ['origin:elsewhere', /origin:elsewhere\. For origin: it knows place, .*panel/],
  ['-status:9', /-status:9\. For status: it knows 1xx, .*5xx/],
  // The rows that are stored do not tell it, whatever the value.
  ['has:finding', /does not take has:finding\.$/],
])('a filter that takes no %s says what it takes', (filter, message) => {
  expect(() => parseExchangeFilter(filter)).toThrow(message)
})
