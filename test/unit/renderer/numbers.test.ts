import { describe, expect, test } from 'vitest'
import { numberSettings, shownValue, storedValue } from '../../../renderer/places/settings/numbers.ts'
import { settingsDefaults, settingsSchema } from '../../../shared/ipc/settings.ts'

describe.each(numberSettings.map((setting) => [setting.key, setting] as const))('%s', (key, setting) => {
  test('accepts exactly what the contract accepts', () => {
    const field = settingsSchema.shape[key]
    for (const edge of [setting.min, setting.max]) {
      expect(field.safeParse(storedValue(setting, String(edge))).success).toBe(true)
    }
    expect(storedValue(setting, String(setting.max * 2))).toBeNull()
    expect(storedValue(setting, '-1')).toBeNull()
    for (const typed of ['', ' ', '1e3', '0x10', 'NaN', '5 s', '1.2.3']) expect(storedValue(setting, typed)).toBeNull()
  })

  test('shows the default as it is stored', () => {
    const stored = settingsDefaults[key]
    expect(storedValue(setting, shownValue(setting, stored))).toBe(stored)
  })
})
