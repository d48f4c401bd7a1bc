import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setMember } from '../../../electron/core/json/text-edit.ts'

test.each([
  ['{}', '{"confirm":true}'],
  [' { } ', '{"confirm":true}'],
  ['{"a":1}', '{"a":1,"confirm":true}'],
  ['{ "a" : [1, {"confirm": false}] , "b":"}," }', '{"a" : [1, {"confirm": false}],"b":"},","confirm":true}'],
  ['{"confirm":false,"a":1}', '{"a":1,"confirm":true}'],
  // A name may be written with escapes, and stand there twice.
  [String.raw`{"a":1,"\u0063onfirm":false,"confirm":0}`, '{"a":1,"confirm":true}'],
  // What a double cannot hold, and what it would write otherwise.
  [
    '{"a":12345678901234567890,"b":1.0,"c":1e3,"a":2}',
    '{"a":12345678901234567890,"b":1.0,"c":1e3,"a":2,"confirm":true}',
  ],
  [String.raw`{"a":"\"},{","b":{"c":"\\"}}`, String.raw`{"a":"\"},{","b":{"c":"\\"},"confirm":true}`],
  ['[1]', '[1]'],
  ['"a"', '"a"'],
])('setMember adds or replaces the member in %s', (input, expected) => {
  expect(setMember(input, 'confirm', 'true')).toBe(expected)
})

test('setMember keeps all other members of any object as written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 3 }), (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      const rest = Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'confirm'))
      const set = setMember(text, 'confirm', 'true')
      expect(JSON.parse(set)).toEqual(JSON.parse(JSON.stringify({ ...rest, confirm: true })))
      expect(JSON.parse(setMember(set, 'confirm', null))).toEqual(JSON.parse(JSON.stringify(rest)))
    }),
  )
})
