import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import BodyView from '../../renderer/panes/exchange/BodyView.vue'
import type { StoredBody } from '../../shared/traffic/exchange.ts'
import { createCompleteBody } from '../support/vue/exchanges.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

const picture = (): HTMLImageElement | null => document.querySelector('img[alt="Response body"]')

/** The response's body with these bytes, of which the store says what `body` says. */
async function mountBody(bytes: Uint8Array<ArrayBuffer>, body: StoredBody): Promise<void> {
  installFakeServiceProcess({
    'traffic.body': () => ({ meta: { start: 0, kept: bytes.byteLength }, bytes: bytes.slice().buffer }),
  })
  mountComponent(BodyView, { props: { seq: 1, side: 'response', body } })
  await flushPromises()
}

test('a picture is shown whatever its media type, and its bytes are shown on request', async () => {
  await mountBody(PNG, createCompleteBody(PNG.length, 'text/plain'))
  await vi.waitFor(() => expect(picture()?.src).toMatch(/^blob:/))
  expect(document.querySelector('figcaption')?.textContent).toContain('image/png')
  getByRole('radio', 'Bytes').click()
  await vi.waitFor(() => expect(getByRole('region', 'Response body').textContent).toContain('89 50 4e 47'))
  expect(picture()).toBe(null)
})

test('a body that is neither text nor a picture is shown as bytes, even with the media type of a picture', async () => {
  await mountBody(Uint8Array.of(0, 1, 2, 255), createCompleteBody(4, 'image/png'))
  await vi.waitFor(() => expect(getByRole('region', 'Response body').textContent).toContain('00 01 02 ff'))
  expect(picture()).toBe(null)
})

test('a large body of UTF-8 is decoded by the formatter alone, which runs beside the page', async () => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  const bytes = new TextEncoder().encode(`{"text":"${'a'.repeat(100_000)}"}`)
  await mountBody(bytes, createCompleteBody(bytes.length, 'application/json'))
  await vi.waitFor(() => expect(getByRole('region', 'Response body').textContent).toContain('"text"'))
  const lengths = decode.mock.calls.map(([input]) => input?.byteLength ?? 0)
  decode.mockRestore()
  expect(lengths.filter((length) => length === bytes.length)).toHaveLength(1)
})

test('a truncated body and one that was not kept are reported', async () => {
  await mountBody(Uint8Array.of(0, 1), { ...createCompleteBody(2, 'application/pdf'), total: 5_000, missing: 'limit' })
  await vi.waitFor(() => expect(getByRole('note').textContent).toMatch(/2 B.*4\.9 kB|2 B.*5 kB/))
  document.body.innerHTML = ''
  installFakeServiceProcess({})
  mountComponent(BodyView, {
    props: { seq: 1, side: 'response', body: { total: 9, kept: 0, missing: 'busy', hash: null, mediaType: '' } },
  })
  await flushPromises()
  expect(getByRole('note').textContent).not.toBe('')
})

test.each([
  ['text/plain; charset=gb18030', [0xd6, 0xd0], '中', null],
  ['text/plain; charset=no-such-label', [0x41], 'A', 'No decoder knows the charset “no-such-label”'],
  ['text/plain; charset=shift_jis', [0x93], '93', 'no text in their charset, “shift_jis”'],
  [
    'application/json; charset=latin1',
    [0x22, 0xe9, 0x22],
    '22 e9 22',
    'JSON is UTF-8 (RFC 8259), and these bytes are not',
  ],
])('text in %s is shown as its charset says, or the reason why not', async (mediaType, bytes, text, note) => {
  await mountBody(Uint8Array.from(bytes), createCompleteBody(bytes.length, mediaType))
  await vi.waitFor(() => expect(getByRole('region', 'Response body').textContent).toContain(text))
  const [notice] = document.querySelectorAll('[role=note]')
  if (note === null) expect(notice).toBe(undefined)
  else expect(notice?.textContent).toContain(note)
})
