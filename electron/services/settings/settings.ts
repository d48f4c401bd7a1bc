import path from 'node:path'
import { defaultSettings, settingsSchema, type Settings } from '../../../shared/ipc/settings.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import type { Notices } from '../notices.ts'
import { isObject } from '../../../shared/json/object.ts'

export interface SettingsService {
  get(): Settings
  /** Merges the parsed input of `settings.update` and returns all settings. */
  update(change: { readonly [K in keyof Settings]?: Settings[K] | undefined }): Settings
}

/**
 * Settings are stored in `settings.json` in the data directory. A value out of range falls back to
 * its default, and a corrupt file is moved aside and its backup used. Both add a notice. Keys of a
 * newer version are written back.
 */
export function createSettings(dataDir: string, bus: Bus, notices: Notices): SettingsService {
  const file = path.join(dataDir, 'settings.json')
  const { value, outcome } = readJsonFile(file, isObject)
  const raw = isObject(value) ? value : {}
  const { settings, invalidKeys } = salvage(raw)
  let current = settings
  const unknownMembers = Object.fromEntries(Object.entries(raw).filter(([key]) => !Object.hasOwn(defaultSettings, key)))
  if (outcome === 'backup' || outcome === 'lost') {
    notices.add({
      level: 'warning',
      code: outcome === 'backup' ? 'SETTINGS_FROM_BACKUP' : 'SETTINGS_LOST',
      message:
        outcome === 'backup'
          ? 'The settings file could not be read and was set aside; the settings of the last backup are used.'
          : 'The settings file could not be read and was set aside; the defaults are used.',
    })
  }
  if (invalidKeys.length > 0) {
    notices.add({
      level: 'warning',
      code: 'SETTINGS_VALUE_INVALID',
      message: `Some settings held values that are not allowed and were reset: ${invalidKeys.join(', ')}.`,
      params: { names: invalidKeys.join(', ') },
    })
  }
  return {
    get: () => current,
    update(change) {
      current = settingsSchema.parse({ ...current, ...omitUndefined(change) })
      bus.publish('settings.changed', current)
      writeAtomic(file, `${JSON.stringify({ ...unknownMembers, ...current }, null, 2)}\n`)
      return current
    },
  }
}

/** Parses key by key, so that an invalid value does not affect the others. */
function salvage(raw: Record<string, unknown>): { settings: Settings; invalidKeys: string[] } {
  const invalidKeys: string[] = []
  const settings: Record<string, unknown> = { ...defaultSettings }
  for (const [key, schema] of Object.entries(settingsSchema.shape)) {
    if (!Object.hasOwn(raw, key)) continue
    const parsed = schema.safeParse(raw[key])
    if (parsed.success) settings[key] = parsed.data
    else invalidKeys.push(key)
  }
  return { settings: settingsSchema.parse(settings), invalidKeys }
}

/** Removes undefined members, which HTTP drops but IPC does not. */
const omitUndefined = (change: object): object =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
