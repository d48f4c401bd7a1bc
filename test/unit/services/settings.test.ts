import fc from 'fast-check'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { defaultSettings, settingsSchema, type Settings } from '../../../shared/ipc/settings.ts'
import { createSettings } from '../../../electron/services/settings/settings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { listNoticeCodes, createServiceEnvironment } from '../../support/services/service-environment.ts'

function start(dir: string) {
  const around = createServiceEnvironment()
  return { ...around, settings: createSettings(dir, around.bus, around.notices) }
}

const fileIn = (dir: string): string => path.join(dir, 'settings.json')
const stored = (dir: string): Record<string, unknown> =>
  JSON.parse(readFileSync(fileIn(dir), 'utf8')) as Record<string, unknown>

/** Settings that differ from the defaults in every key a byte flip is likely to hit. */
const chosen: Settings = {
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
  test('a first start has the defaults and no notices', () => {
    const dir = createTempDir()
    const app = start(dir)
    expect(app.settings.get()).toEqual(defaultSettings)
    expect(listNoticeCodes(app)).toEqual([])
    expect(existsSync(fileIn(dir))).toBe(false)
  })

  test('a change is returned, pushed, written, and there at the next start', () => {
    const dir = createTempDir()
    const app = start(dir)
    const after = app.settings.update({ theme: 'dark', heartbeatMs: undefined })
    expect(after).toEqual({ ...defaultSettings, theme: 'dark' })
    expect(app.events).toEqual([{ topic: 'settings.changed', payload: after }])
    expect(start(dir).settings.get()).toEqual(after)
  })

  test('keys of a newer version survive a write, whatever they are called', () => {
    const dir = createTempDir()
    const newer = '{"theme":"dark","futureThing":{"deep":[1,2]},"__proto__":{"polluted":true},"constructor":"x"}'
    writeFileSync(fileIn(dir), newer)
    const app = start(dir)
    expect(listNoticeCodes(app)).toEqual([])
    app.settings.update({ density: 'comfortable' })
    const now = readFileSync(fileIn(dir), 'utf8')
    expect(JSON.parse(now)).toMatchObject({ theme: 'dark', density: 'comfortable', futureThing: { deep: [1, 2] } })
    expect(now).toContain('"__proto__"')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(settingsSchema.safeParse(app.settings.get()).success).toBe(true)
  })

  test('a bad value falls back to its default, the others are kept, and the notice names it', () => {
    const dir = createTempDir()
    writeFileSync(fileIn(dir), JSON.stringify({ ...chosen, heartbeatMs: 1, theme: 'pink', shortcuts: { a: 1 } }))
    const app = start(dir)
    const { heartbeatMs, theme, shortcuts } = defaultSettings
    expect(app.settings.get()).toEqual({ ...chosen, heartbeatMs, theme, shortcuts })
    expect(app.notices.list()).toMatchObject([
      { code: 'SETTINGS_VALUE_INVALID', level: 'warning', params: { names: 'theme, heartbeatMs, shortcuts' } },
    ])
  })

  test('a full disk: the change holds for this run and the failure is reported', () => {
    const dir = createTempDir()
    const app = start(dir)
    mkdirSync(`${fileIn(dir)}.${process.pid}.tmp`)
    expect(() => app.settings.update({ theme: 'dark' })).toThrow(AppError)
    expect(app.settings.get().theme).toBe('dark')
    expect(app.events).toMatchObject([{ topic: 'settings.changed', payload: { theme: 'dark' } }])
  })
})

describe('safety 44: a damaged settings file', () => {
  test('is set aside, the backup is used, a notice says so, and the program starts', () => {
    const dir = createTempDir()
    const first = start(dir)
    first.settings.update({ theme: 'dark' })
    first.settings.update({ theme: 'light' })
    writeFileSync(fileIn(dir), '{"theme":"li')
    const app = start(dir)
    expect(app.settings.get().theme).toBe('dark')
    expect(listNoticeCodes(app)).toEqual(['SETTINGS_FROM_BACKUP'])
    expect(readdirSync(dir).filter((name) => name.startsWith('settings.json.corrupt-'))).toHaveLength(1)
    app.settings.update({ density: 'comfortable' })
    expect(stored(dir)).toMatchObject({ theme: 'dark', density: 'comfortable' })
  })

  test('with a damaged backup the defaults are used', () => {
    const dir = createTempDir()
    writeFileSync(fileIn(dir), '')
    writeFileSync(`${fileIn(dir)}.bak`, '\u0000\u0000\u0000')
    const app = start(dir)
    expect(app.settings.get()).toEqual(defaultSettings)
    expect(listNoticeCodes(app)).toEqual(['SETTINGS_LOST'])
  })

  const good = `${JSON.stringify(chosen, null, 2)}\n`
  const bytes = Buffer.from(good)

  /** Starts on these bytes and checks what must always hold. */
  function survives(dir: string, damaged: Uint8Array): void {
    for (const name of readdirSync(dir)) rmSync(path.join(dir, name), { recursive: true })
    writeFileSync(fileIn(dir), damaged)
    writeFileSync(`${fileIn(dir)}.bak`, good)
    const app = start(dir)
    const now = app.settings.get()
    expect(settingsSchema.safeParse(now).success).toBe(true)
    const codes = listNoticeCodes(app)
    let parsed: unknown = null
    try {
      parsed = JSON.parse(
        Buffer.from(damaged)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      )
    } catch {
      // Damaged beyond JSON.
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      expect(now).toEqual(chosen)
      expect(codes).toEqual(['SETTINGS_FROM_BACKUP'])
      const aside = readdirSync(dir).filter((name) => name.includes('.corrupt-'))
      expect(aside.map((name) => readFileSync(path.join(dir, name)))).toEqual([Buffer.from(damaged)])
    } else {
      // Every key with an allowed value keeps it; the others get their default, and are named.
      const read = parsed as Record<string, unknown>
      const bad = Object.entries(settingsSchema.shape).filter(
        ([key, schema]) => Object.hasOwn(read, key) && !schema.safeParse(read[key]).success,
      )
      expect(codes).toEqual(bad.length > 0 ? ['SETTINGS_VALUE_INVALID'] : [])
      for (const [key, value] of Object.entries(now)) {
        const kept = Object.hasOwn(read, key) && !bad.some(([name]) => name === key)
        expect(value).toEqual(kept ? read[key] : defaultSettings[key as keyof Settings])
      }
    }
    app.settings.update({ navCollapsed: false })
    expect(start(dir).settings.get()).toEqual({ ...now, navCollapsed: false })
  }

  test('after any byte was flipped', () => {
    const dir = createTempDir()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const damaged = Uint8Array.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ mask
        survives(dir, damaged)
      }),
      { numRuns: 400 },
    )
  })

  test('cut off at any length', () => {
    const dir = createTempDir()
    for (let length = 0; length < bytes.length; length += 1) survives(dir, bytes.subarray(0, length))
  })

  test('with any value in any place', () => {
    const dir = createTempDir()
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(null, -0, 1e308, '', [], {}))
    const keys = fc.constantFrom(...Object.keys(defaultSettings), '__proto__', 'toString', 'unknown')
    fc.assert(
      fc.property(fc.dictionary(keys, value), (entries) => survives(dir, Buffer.from(JSON.stringify(entries)))),
      { numRuns: 200 },
    )
  })
})
