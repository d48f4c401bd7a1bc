import { expect, test } from 'vitest'
import { QuotedTexts } from '../../../electron/core/redaction/quoted-texts.ts'

test.each([
  ['one letter', 'a'],
  ['words', 'a b '],
])('messages and texts that repeat %s are compared within bounds, and replaced whole', (_, unit) => {
  const quoted = new QuotedTexts()
  const message = unit.repeat(150_000 / unit.length)
  quoted.noteMessage(message)
  for (let number = 0; number < 1_000; number += 1) quoted.showText(`${unit.repeat(100_000 / unit.length)}${number}`)
  expect(quoted.knows(message)).toBe(false)
  expect(quoted.holdsText('index.js')).toBe(true)
})

test('a text of usual length is replaced where messages quote it, and others stay', () => {
  const quoted = new QuotedTexts()
  const messages = ['Not found: Atlas of veins', 'Not found: page 0']
  for (const message of messages) quoted.noteMessage(message)
  for (const text of ['Atlas of veins', 'Atlas of bones']) quoted.showText(text)
  expect(messages.map((message) => quoted.replace(message, () => '…'))).toEqual(['Not found: …', 'Not found: page 0'])
  expect(quoted.holdsText('Atlas of veins.js')).toBe(true)
  expect(quoted.holdsText('index.js')).toBe(false)
})
