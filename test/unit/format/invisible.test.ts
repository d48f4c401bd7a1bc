import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeInvisible, revealInvisible, toVisibleName } from '../../../shared/format/invisible-characters.ts'

const unseen = [
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e'],
  ...['\u200f', '\u2028', '\u2029', '\u202e', '\u2060', '\u2067', '\u206f', '\u2800', '\u3164', '\ufe0f', '\ufeff'],
  ...['\uffa0', '\ud800', '\u{1d159}', '\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0101}'],
]

test('safety 65: invisible characters are shown as codes in names, in texts and on terminals', () => {
  for (const character of unseen) {
    const code = `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
    expect(toVisibleName(`a${character}b`)).toBe(`a${code}b`)
    expect(revealInvisible(`a${character}b`)).toBe(`a${code}b`)
    expect(escapeInvisible(`a${character}b`)).toMatch(/^a(\\u[0-9a-f]{4}){1,2}b$/)
    // What was JSON still is, and says the same.
    expect(JSON.parse(escapeInvisible(`"a${character}b"`))).toBe(`a${character}b`)
  }
  expect(escapeInvisible('\u001b[2J\r\t\n\u009b')).toBe('\\u001b[2J\\u000d\t\n\\u009b')
  expect(toVisibleName('a\u00a0b\u2003\u001b')).toBe('a⟨U+00A0⟩b⟨U+2003⟩⟨U+001B⟩')
})

test('invisible characters that belong to a letter or an emoji are kept in texts, but shown in names', () => {
  const complete = [
    '👩\u200d👩\u200d👧',
    '❤\ufe0f',
    '👍🏽\u200d❤\ufe0f',
    '1\ufe0f\u20e3',
    'می\u200cخواهم',
    'क्\u200dष',
    '葛\u{e0100}',
    'ü e\u0301 中文 ①',
  ]
  for (const text of complete) {
    expect(revealInvisible(text)).toBe(text)
    expect(escapeInvisible(text)).toBe(text)
  }
  expect(toVisibleName('❤\ufe0f')).toBe('❤⟨U+FE0F⟩')
  expect(escapeInvisible('admin\u200d \u200c1\u200d')).toBe('admin\\u200d \\u200c1\\u200d')
})

test('a name is limited to one line of limited length, cut between characters', () => {
  expect(toVisibleName(' a \r\n\t b ')).toBe('a b')
  expect(toVisibleName('😀'.repeat(40))).toBe(`${'😀'.repeat(29)}…`)
  expect(toVisibleName('\u200b'.repeat(40), 20)).toBe('⟨U+200B⟩⟨U+200B⟩…')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const name = toVisibleName(text)
      expect(name.length).toBeLessThanOrEqual(60)
      expect(name).toBe(toVisibleName(name))
      expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\n]/u)
    }),
  )
})
