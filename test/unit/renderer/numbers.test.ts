import { describe, expect, test } from 'vitest'
import {
  numericSettings,
  formatSettingValue,
  parseSettingValue,
} from '../../../renderer/places/settings/numeric-settings.ts'
import { defaultSettings, settingsSchema } from '../../../shared/ipc/settings.ts'

describe.each(numericSettings.map((setting) => [setting.key, setting] as const))(
  'the number setting %s',
  (key, setting) => {
    test('accepts exactly what the contract accepts', () => {
      const field = settingsSchema.shape[key]
      for (const edge of [setting.min, setting.max]) {
        expect(field.safeParse(parseSettingValue(setting, String(edge))).success).toBe(true)
      }
      expect(parseSettingValue(setting, String(setting.max * 2))).toBeNull()
      expect(parseSettingValue(setting, '-1')).toBeNull()
      for (const typed of ['', ' ', '1e3', '0x10', 'NaN', '5 s', '1.2.3'])
        expect(parseSettingValue(setting, typed)).toBeNull()
    })

    test('shows the default as it is stored', () => {
      const stored = defaultSettings[key]
      expect(parseSettingValue(setting, formatSettingValue(setting, stored))).toBe(stored)
    })
  },
)
