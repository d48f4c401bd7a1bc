import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInterfaceName } from '../../../electron/core/redaction/interface-names.ts'
import { createStandInKey, DROPPED_TEXT_CHARS, StandIns } from '../../../electron/core/redaction/stand-ins.ts'

const countCodePoints = (text: string): number => [...text].length

describe('stand-ins of texts', () => {
  it('have as many characters, are equal for equal texts, and leave no lone surrogates', () => {
    const standIns = new StandIns(createStandInKey())
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme-composite' }), (text) => {
        const standIn = standIns.replaceText(text)
        expect(standIn).toHaveLength(text.length)
        expect(countCodePoints(standIn)).toBe(countCodePoints(text))
        expect(standIn.isWellFormed()).toBe(true)
        expect(standIns.replaceText(text)).toBe(standIn)
      }),
    )
  })

  it('are different for different texts, however short', () => {
    const standIns = new StandIns(createStandInKey())
    const texts = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode(0x4e00 + index))
    texts.push(...Array.from({ length: 20_000 }, (_, index) => `第${String.fromCharCode(0x4e00 + index)}`))
    texts.push(...Array.from({ length: 20_000 }, (_, index) => `a longer title with the number ${index}`))
    expect(new Set(texts.map((text) => standIns.replaceText(text))).size).toBe(texts.length)
  })

  it('never look like names of an interface, which stay as they are', () => {
    const standIns = new StandIns(createStandInKey())
    const names = Array.from({ length: 30_000 }, (_, index) => `${'abcdefghijklm'.slice(0, index % 14)}${index}`)
    expect(names.map((name) => standIns.replaceText(name)).filter((name) => isInterfaceName(name, ''))).toEqual([])
  })

  it('follow from the key alone', () => {
    const key = createStandInKey()
    const texts = ['颈椎', 'A', 'an excerpt that is longer than sixty characters, and so takes two blocks']
    const replaceAll = (standIns: StandIns): string[] => texts.map((text) => standIns.replaceText(text))
    expect(replaceAll(new StandIns(key))).toEqual(replaceAll(new StandIns(key)))
    expect(replaceAll(new StandIns(key))).not.toEqual(replaceAll(new StandIns(createStandInKey())))
  })

  it('have one length if texts are dropped', () => {
    const standIns = new StandIns(createStandInKey())
    for (const text of ['a', 'b', 'a much longer text than the others']) {
      const standIn = standIns.replaceDroppedText(text)
      expect(standIn).toHaveLength(DROPPED_TEXT_CHARS)
    }
    expect(standIns.replaceDroppedText('a')).not.toBe(standIns.replaceDroppedText('b'))
  })
})

describe('stand-ins of ids', () => {
  const forms = [
    ['A07BE032-389C-4A95-8331-F2BF4FCFD2E7', /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/],
    ['1d9a74869a3ef16576aa7458dceb3897', /^[0-9a-f]{32}$/],
    ['4711', /^[1-9]\d{3}$/],
    ['-15', /^-[1-9]\d$/],
    ['bundle-12', /^[a-z]{6}-\d\d$/],
    ['app.demo.practice', /^[a-z]{3}\.[a-z]{4}\.[a-z]{8}$/],
  ] as const

  it.each(forms)('keep the form of %s', (id, form) => {
    const standIns = new StandIns(createStandInKey())
    expect(standIns.replaceId(id)).toMatch(form)
    expect(standIns.replaceId(id)).toBe(standIns.replaceId(id))
  })

  it('are different for different ids, even if all of a length occur', () => {
    const standIns = new StandIns(createStandInKey())
    const ids = Array.from({ length: 900 }, (_, index) => String(index + 100))
    expect(new Set(ids.map((id) => standIns.replaceId(id))).size).toBe(ids.length)
  })
})
