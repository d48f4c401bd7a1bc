/** @module-tag slow */

import fc from 'fast-check'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { defaultSettings, settingsSchema, type Settings } from '../../../shared/ipc/settings.ts'
import { createSettings } from '../../../electron/services/settings/settings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { listNoticeCodes, createServiceEnvironment } from '../../support/services/service-environment.ts'

function startSettings(dir: string) {
  const environment = createServiceEnvironment()
  return { ...environment, settings: createSettings(dir, environment.bus, environment.notices) }
}

const getSettingsFile = (dir: string): string => path.join(dir, 'settings.json')
const readStored = (dir: string): Record<string, unknown> =>
  JSON.parse(readFileSync(getSettingsFile(dir), 'utf8')) as Record<string, unknown>

/** Settings that differ from the defaults in every key that a flipped byte is likely to hit. */
const customSettings: Settings = {
  ...defaultSettings,
  theme: 'dark',
  locale: 'zh-CN',
  density: 'comfortable',
  lastPlace: '#/study-sets/ABC/tree',
  navCollapsed: true,
  tourSeen: true,
  inspectorWidth: 512,
  heartbeatMs: 1_234,
  shortcuts: { 'palette.open': 'Control+KeyK' },
}

describe('settings', () => {
  test('have defaults and no notices at the first start', () => {
    const dir = createTempDir()
    const app = startSettings(dir)
    expect(app.settings.get()).toEqual(defaultSettings)
    expect(listNoticeCodes(app)).toEqual([])
    expect(existsSync(getSettingsFile(dir))).toBe(false)
  })

  test('return, publish and store a change, and have it at the next start', () => {
    const dir = createTempDir()
    const app = startSettings(dir)
    const after = app.settings.update({ theme: 'dark', heartbeatMs: undefined })
    expect(after).toEqual({ ...defaultSettings, theme: 'dark' })
    expect(app.events).toEqual([{ topic: 'settings.changed', payload: after }])
    expect(startSettings(dir).settings.get()).toEqual(after)
  })

  test('keep keys of a newer version, whatever their names are', () => {
    const dir = createTempDir()
    const newer = '{"theme":"dark","futureThing":{"deep":[1,2]},"__proto__":{"polluted":true},"constructor":"x"}'
    writeFileSync(getSettingsFile(dir), newer)
    const app = startSettings(dir)
    expect(listNoticeCodes(app)).toEqual([])
    app.settings.update({ density: 'comfortable' })
    const storedText = readFileSync(getSettingsFile(dir), 'utf8')
    expect(JSON.parse(storedText)).toMatchObject({
      theme: 'dark',
      density: 'comfortable',
      futureThing: { deep: [1, 2] },
    })
    expect(storedText).toContain('"__proto__"')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(settingsSchema.safeParse(app.settings.get()).success).toBe(true)
  })

  test('replace an invalid value by its default, keep the others, and name it in a notice', () => {
    const dir = createTempDir()
    writeFileSync(
      getSettingsFile(dir),
      JSON.stringify({ ...customSettings, heartbeatMs: 1, theme: 'pink', shortcuts: { a: 1 } }),
    )
    const app = startSettings(dir)
    const { heartbeatMs, theme, shortcuts } = defaultSettings
    expect(app.settings.get()).toEqual({ ...customSettings, heartbeatMs, theme, shortcuts })
    expect(app.notices.list()).toMatchObject([
      { code: 'SETTINGS_VALUE_INVALID', level: 'warning', params: { names: 'theme, heartbeatMs, shortcuts' } },
    ])
  })

  test('apply a change for this run if the disk is full, and report the failure', () => {
    const dir = createTempDir()
    const app = startSettings(dir)
    mkdirSync(`${getSettingsFile(dir)}.${process.pid}.tmp`)
    expect(() => app.settings.update({ theme: 'dark' })).toThrow(AppError)
    expect(app.settings.get().theme).toBe('dark')
    expect(app.events).toMatchObject([{ topic: 'settings.changed', payload: { theme: 'dark' } }])
  })
})

describe('safety 44: damaged settings file', () => {
  test('is moved aside for its backup with a notice, and the program starts', () => {
    const dir = createTempDir()
    const first = startSettings(dir)
    first.settings.update({ theme: 'dark' })
    first.settings.update({ theme: 'light' })
    writeFileSync(getSettingsFile(dir), '{"theme":"li')
    const app = startSettings(dir)
    expect(app.settings.get().theme).toBe('dark')
    expect(listNoticeCodes(app)).toEqual(['SETTINGS_FROM_BACKUP'])
    expect(readdirSync(dir).filter((name) => name.startsWith('settings.json.corrupt-'))).toHaveLength(1)
    app.settings.update({ density: 'comfortable' })
    expect(readStored(dir)).toMatchObject({ theme: 'dark', density: 'comfortable' })
  })

  test('is replaced by the defaults if its backup is damaged too', () => {
    const dir = createTempDir()
    writeFileSync(getSettingsFile(dir), '')
    writeFileSync(`${getSettingsFile(dir)}.bak`, '\u0000\u0000\u0000')
    const app = startSettings(dir)
    expect(app.settings.get()).toEqual(defaultSettings)
    expect(listNoticeCodes(app)).toEqual(['SETTINGS_LOST'])
  })

  const good = `${JSON.stringify(customSettings, null, 2)}\n`
  const bytes = Buffer.from(good)

  /** Starts with these bytes, and checks everything that must always be true. */
  function expectUsableSettings(dir: string, damaged: Uint8Array): void {
    for (const name of readdirSync(dir)) rmSync(path.join(dir, name), { recursive: true })
    writeFileSync(getSettingsFile(dir), damaged)
    writeFileSync(`${getSettingsFile(dir)}.bak`, good)
    const app = startSettings(dir)
    const current = app.settings.get()
    expect(settingsSchema.safeParse(current).success).toBe(true)
    const codes = listNoticeCodes(app)
    let parsed: unknown = null
    try {
      parsed = JSON.parse(
        Buffer.from(damaged)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      )
    } catch {
      // The file is not JSON any more.
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      expect(current).toEqual(customSettings)
      expect(codes).toEqual(['SETTINGS_FROM_BACKUP'])
      const movedNames = readdirSync(dir).filter((name) => name.includes('.corrupt-'))
      expect(movedNames.map((name) => readFileSync(path.join(dir, name)))).toEqual([Buffer.from(damaged)])
    } else {
      // Every valid value stays, and every other key gets its default and is named.
      const read = parsed as Record<string, unknown>
      const bad = Object.entries(settingsSchema.shape).filter(
        ([key, schema]) => Object.hasOwn(read, key) && !schema.safeParse(read[key]).success,
      )
      expect(codes).toEqual(bad.length > 0 ? ['SETTINGS_VALUE_INVALID'] : [])
      for (const [key, value] of Object.entries(current)) {
        const isValid = Object.hasOwn(read, key) && !bad.some(([name]) => name === key)
        expect(value).toEqual(isValid ? read[key] : defaultSettings[key as keyof Settings])
      }
    }
    app.settings.update({ navCollapsed: false })
    expect(startSettings(dir).settings.get()).toEqual({ ...current, navCollapsed: false })
  }

  test('leaves usable settings if any byte is flipped', () => {
    const dir = createTempDir()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, mask) => {
        const damaged = Uint8Array.from(bytes)
        damaged[index] = (damaged[index] ?? 0) ^ mask
        expectUsableSettings(dir, damaged)
      }),
      { numRuns: 400 },
    )
  })

  test('leaves usable settings if it is cut off at any length', () => {
    const dir = createTempDir()
    for (let length = 0; length < bytes.length; length += 1) expectUsableSettings(dir, bytes.subarray(0, length))
  })

  test('leaves usable settings with any value in any place', () => {
    const dir = createTempDir()
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(null, -0, 1e308, '', [], {}))
    const keys = fc.constantFrom(...Object.keys(defaultSettings), '__proto__', 'toString', 'unknown')
    fc.assert(
      fc.property(fc.dictionary(keys, value), (entries) =>
        expectUsableSettings(dir, Buffer.from(JSON.stringify(entries))),
      ),
      { numRuns: 200 },
    )
  })
})
