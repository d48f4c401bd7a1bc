import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import AppTime from '../../renderer/components/AppTime.vue'
import { getPluralFormIndex } from '../../renderer/i18n/index.ts'
import { createTestTranslator } from '../support/vue/translator.ts'

test.each([1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  '%s is no valid time and is shown as a number',
  (value) => {
    const component = mount(AppTime, { props: { timestamp: value }, global: { plugins: [createTestTranslator('en')] } })
    expect(component.text()).toBe(String(value))
  },
)

test.each(['en', 'zh-CN'] as const)('%s: counts that are fractions, negative or huge are formatted', (locale) => {
  const { t } = createTestTranslator(locale).global
  for (const n of [0, 1, 2, 1.5, -1, 1e300, Number.NaN]) {
    expect(t('bands.ink.parts', { n }, n)).toContain(String(n))
  }
})

test('every number has a plural form, however many forms the language has', () => {
  expect([0, 1, 2, 7].map((n) => getPluralFormIndex(n, 3))).toEqual([0, 1, 2, 2])
  expect([0, 1, 2, -1].map((n) => getPluralFormIndex(n, 2))).toEqual([1, 0, 1, 0])
  expect([1.5, Number.NaN].map((n) => getPluralFormIndex(n, 3))).toEqual([2, 2])
  expect([0, 1, 9].map((n) => getPluralFormIndex(n, 1))).toEqual([0, 0, 0])
})
