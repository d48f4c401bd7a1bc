import fc from 'fast-check'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  readWindowState,
  restoreWindowState,
  writeWindowState,
  type WindowBounds,
} from '../../../electron/desktop/window-state.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { createFifo } from '../../support/data/strange-files.ts'

const laptop: WindowBounds = { x: 0, y: 24, width: 1440, height: 876 }
const screen: WindowBounds = { x: 1440, y: 0, width: 2560, height: 1440 }

describe('restored window position', () => {
  test('is centered with the default size the first time', () => {
    expect(restoreWindowState(null, [laptop])).toEqual({
      bounds: null,
      size: { width: 1360, height: 860 },
      maximized: false,
      zoom: 1,
    })
  })

  test('is where the window was left, even on the second display', () => {
    const saved = { x: 2000, y: 100, width: 1500, height: 1000, maximized: false }
    expect(restoreWindowState(saved, [laptop, screen]).bounds).toEqual({ x: 2000, y: 100, width: 1500, height: 1000 })
  })

  test('is centered on the first display if the saved one is missing, and no larger than that display', () => {
    const saved = { x: 2000, y: 100, width: 2400, height: 1300, maximized: true, zoom: 1.2 }
    expect(restoreWindowState(saved, [laptop])).toEqual({
      bounds: null,
      size: { width: 1440, height: 876 },
      maximized: true,
      zoom: 1.2,
    })
  })

  test('is centered if the title bar would be off the display', () => {
    expect(restoreWindowState({ x: 100, y: -300, width: 1000, height: 700 }, [laptop]).bounds).toBeNull()
    expect(restoreWindowState({ x: -950, y: 100, width: 1000, height: 700 }, [laptop]).bounds).toBeNull()
  })

  test('left of its display once it is made as small as the display: centred', () => {
    const display = { x: -2697, y: 0, width: 960, height: 800 }
    const saved = { x: -5000, y: 10, width: 2600, height: 700, maximized: false }
    expect(restoreWindowState(saved, [display]).bounds).toBeNull()
  })

  test('is visible and movable for any saved state and any displays', () => {
    const anyInteger = fc.integer({ min: -200_000, max: 200_000 })
    const saved = fc.oneof(
      fc.anything(),
      fc.record({ x: anyInteger, y: anyInteger, width: anyInteger, height: anyInteger, maximized: fc.anything() }),
    )
    const area = fc.record({
      x: fc.integer({ min: -5000, max: 5000 }),
      y: fc.integer({ min: -5000, max: 5000 }),
      width: fc.integer({ min: 640, max: 5000 }),
      height: fc.integer({ min: 480, max: 3000 }),
    })
    fc.assert(
      fc.property(saved, fc.array(area, { maxLength: 3 }), (savedState, displays) => {
        const { bounds, size } = restoreWindowState(savedState, displays)
        expect(size.width).toBeGreaterThanOrEqual(800)
        expect(size.height).toBeGreaterThanOrEqual(560)
        if (!bounds) return
        const isOnScreen = displays.some(
          (display) =>
            bounds.y >= display.y &&
            bounds.y < display.y + display.height &&
            bounds.x < display.x + display.width &&
            bounds.x + bounds.width > display.x,
        )
        expect(isOnScreen).toBe(true)
      }),
    )
  })
})

describe('the file with the window state', () => {
  test('keeps the complete state, and counts as missing if it is broken', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'window-'))
    const file = path.join(folder, 'below', 'window.json')
    try {
      expect(readWindowState(file)).toBeNull()
      writeWindowState(file, { ...laptop, maximized: true, zoom: 1.2 })
      expect(readWindowState(file)).toEqual({ ...laptop, maximized: true, zoom: 1.2 })
      expect(readdirSync(path.dirname(file))).toEqual(['window.json'])
      writeFileSync(file, '{"x": 1')
      expect(readWindowState(file)).toBeNull()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('counts as missing if it is not a regular file, and never blocks', () => {
    expect(readWindowState(createFifo(path.join(createTempDir(), 'window.json')))).toBeNull()
    expect(readWindowState('/dev/zero')).toBeNull()
  })

  test('fails silently in a read-only folder', () => {
    expect(() => writeWindowState('/dev/null/window.json', { ...laptop, maximized: false, zoom: 1 })).not.toThrow()
  })
})
