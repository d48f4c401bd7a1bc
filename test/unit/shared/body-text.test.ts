import { describe, expect, test } from 'vitest'
import { decodeBodyText, findBodyEncoding, readBodyText } from '../../../shared/traffic/body-text.ts'

const decode = (bytes: readonly number[], mediaType: string, missing: 'limit' | 'encoded' | null = null) =>
  decodeBodyText(Uint8Array.from(bytes), { mediaType, missing })

describe('the text of a body', () => {
  test.each([
    ['text/markdown; charset=gb18030', [0xd6, 0xd0, 0xce, 0xc4], '中文'],
    ['text/plain; charset="ISO-8859-1"', [0x63, 0x61, 0x66, 0xe9], 'café'],
    ['text/plain;charset=windows-1253', [0xc1, 0xe1], 'Αα'],
    ['text/plain; charset=shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['text/plain; format=flowed; CHARSET = euc-kr', [0xc7, 0xd1], '한'],
    ['text/plain; charset=utf-16le', [0xff, 0xfe, 0x41, 0, 0xe9, 0], 'Aé'],
    ['text/plain; charset=utf-16be', [0, 0x41, 0, 0xe9], 'Aé'],
    // The mark decides, as for UTF-16 (RFC 2781, 4.3).
    ['text/plain; charset=utf-16', [0xfe, 0xff, 0, 0x41], 'A'],
    ['text/plain', [0xff, 0xfe, 0x41, 0], 'A'],
    ['text/plain; charset=iso-8859-1', [0xef, 0xbb, 0xbf, 0xc3, 0xa9], '\uFEFFé'],
    ['text/html', [...Buffer.from('<meta charset="gb2312">'), 0xd6, 0xd0], '<meta charset="gb2312">中'],
    [
      'application/xml',
      [...Buffer.from("<?xml version='1.0' encoding='windows-1251'?>"), 0xcf],
      "<?xml version='1.0' encoding='windows-1251'?>П",
    ],
    ['text/html; charset=windows-1251', [...Buffer.from('<meta charset=gbk>'), 0xcf], '<meta charset=gbk>П'],
    ['text/html', [...Buffer.from('<meta charset=utf-16>'), 0xc3, 0xa9], '<meta charset=utf-16>é'],
    ['text/plain; charset=utf-8', [0xc3, 0xa9], 'é'],
    ['', [0xc3, 0xa9], 'é'],
  ])('is decoded as %s says', (mediaType, bytes, text) => {
    expect(decode(bytes, mediaType)).toMatchObject({ text, problem: null })
  })

  test.each([
    ['text/plain; charset=no-such-label', [0xc3, 0xa9], 'é', 'unknown'],
    ['text/plain; charset=no-such-label', [0xe9], null, 'unknown'],
    ['text/plain; charset=shift_jis', [0x93], null, 'untrue'],
    ['text/plain; charset=gb18030', [0xc3, 0xa9, 0xff], null, 'untrue'],
    ['text/plain; charset=euc-kr', [0xc3, 0xa9, 0x20, 0xe2, 0x82, 0xac], 'é €', 'untrue'],
    // JSON is UTF-8, so a charset that is not followed is no fault of a body in UTF-8.
    ['application/json; charset=windows-1252', [0x22, 0xc3, 0xa9, 0x22], '"é"', null],
    ['application/json; charset=windows-1252', [0x22, 0xe9, 0x22], null, 'json'],
    ['application/problem+json; charset=utf-16le', [0xff, 0xfe, 0x7b, 0], null, 'json'],
    ['image/png', [0xff, 0xfe, 0x41, 0], null, null],
    ['text/plain', [0xe9], null, null],
  ])('with %s that is not followed says why', (mediaType, bytes, text, problem) => {
    expect(decode(bytes, mediaType)).toMatchObject({ text, problem, encoding: 'utf-8' })
  })

  test('may end within a character if only a part was kept', () => {
    expect(decode([0xd6, 0xd0, 0xce], 'text/plain; charset=gb18030').problem).toBe('untrue')
    expect(decode([0xd6, 0xd0, 0xce], 'text/plain; charset=gb18030', 'limit')).toMatchObject({
      text: '中',
      problem: null,
    })
    expect(decode([0x61, 0xe4, 0xb8], 'text/plain', 'limit').text).toBe('a')
  })

  test('has no charset while it is compressed', () => {
    expect(decode([0x1f, 0x8b, 0x08], 'text/plain; charset=iso-8859-1', 'encoded')).toMatchObject({
      text: null,
      problem: null,
    })
  })

  test('is found for display, whatever the bytes are', () => {
    expect(readBodyText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41), 'text/plain')).toBe('A')
    expect(readBodyText(Uint8Array.of(0x41, 0xff), 'text/plain')).toBe('A\uFFFD')
    expect(readBodyText(Uint8Array.of(0xd6, 0xd0, 0xce), 'text/plain; charset=gbk', false)).toBe('中')
  })

  test('takes no time for a media type that is long', () => {
    const mediaType = `text/plain${';charset='.repeat(20_000)}`
    expect(findBodyEncoding(new Uint8Array(), { mediaType, missing: null }).encoding).toBe('utf-8')
  })
})
