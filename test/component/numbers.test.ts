import { afterEach, expect, test, vi } from 'vitest'
import { setLocale } from '../../renderer/i18n/index.ts'
import { createTestTranslator } from '../support/vue/translator.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('numbers are formatted for the language, with one formatter for a whole table', () => {
  const constructorSpies = vi.spyOn(Intl, 'NumberFormat')
  const translator = createTestTranslator('en')
  const texts = Array.from({ length: 100 }, (_, index) => translator.global.n(index * 1234.5))
  expect(texts[2]).toBe('2,469')
  expect(texts[1]).toBe('1,234.5')
  expect(translator.global.n(0.25, 'percent')).toBe('25%')
  expect(constructorSpies.mock.calls.length).toBeLessThan(5)
  setLocale(translator, 'zh-CN')
  expect(translator.global.n(12345.6789)).toBe(new Intl.NumberFormat('zh-CN').format(12345.6789))
})
