import { afterEach, expect, test } from 'vitest'
import MessageView from '../../renderer/panes/exchange/MessageView.vue'
import type { ExchangeRow, Header } from '../../shared/traffic/exchange.ts'
import { createExchangeDetail } from '../support/vue/exchanges.ts'
import { installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

function showResponse(row: Partial<ExchangeRow>, responseHeaders: Header[] = []): string {
  installFakeServiceProcess({})
  const detail = { ...createExchangeDetail({ row }), responseHeaders }
  return mountComponent(MessageView, { props: { detail, side: 'response' } }).text()
}

test('headers are explained beside their values, whatever their names', () => {
  const text = showResponse({}, [
    ['Retry-After', '5'],
    ['constructor', 'x'],
    ['__proto__', 'y'],
  ])
  expect(text).toContain('How long to wait before asking the same again')
  expect(text).not.toContain('function')
})

test.each([
  [
    'a reason of the route',
    { endpoint: 'notes.blankBands', status: 409, errorCode: 'NO_SELECTION' },
    'Select a card in the host',
  ],
  [
    'any other reason of it',
    { endpoint: 'notes.blankBands', status: 409, errorCode: 'constructor' },
    'Nothing was created.',
  ],
  ['a code of the contract', { status: 403, errorCode: 'IN_PROCESS_NOT_ALLOWED' }, 'web-panel allow-list'],
  ['a code of 0.49', { status: 404, errorCode: 'NOTE_NOT_FOUND' }, 'another host may mean something else'],
] as const)('an error is explained as far as the contract tells: %s', (_, row, expected) => {
  expect(showResponse(row)).toContain(expected)
})

test('a code is not explained on a route for which the contract does not name it', () => {
  expect(showResponse({ endpoint: 'notes.title', status: 409, errorCode: 'NO_SELECTION' })).not.toContain('created')
})
