import path from 'node:path'
import { settingsDefaults, settingsSchema } from '../../shared/ipc/settings.ts'
import { isObject } from '../../shared/json/object.ts'
import type { Appearance } from '../page/files.ts'
import { readRegular } from '../system/regular.ts'

/** The file holds a few settings and the user's tables and filters. */
const LONGEST = 4 * 1024 * 1024

/**
 * What was set of the look when the program ended, read before the services are there; the default of what cannot be read. Only for the first
 * paint: the settings service reads the file in earnest, mends it and reports.
 */
export function savedAppearance(dataDir: string): Appearance {
  const { theme, density, locale } = settingsSchema.shape
  const saved = read(path.join(dataDir, 'settings.json'))
  return {
    theme: theme.safeParse(saved['theme']).data ?? settingsDefaults.theme,
    density: density.safeParse(saved['density']).data ?? settingsDefaults.density,
    locale: locale.safeParse(saved['locale']).data ?? settingsDefaults.locale,
  }
}

function read(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readRegular(file, { maxBytes: LONGEST }).text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
