import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readRegularFile } from '../system/regular-file.ts'

export interface WindowBounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface WindowState {
  /** Null lets the system centre the window. */
  readonly bounds: WindowBounds | null
  readonly size: { readonly width: number; readonly height: number }
  readonly maximized: boolean
  readonly zoom: number
}

export const MIN_WINDOW_SIZE = { width: 800, height: 560 }
const DEFAULT_SIZE = { width: 1360, height: 860 }
/** Part of the title bar that must be visible, so that the user can grab the window. */
const MIN_VISIBLE_GRIP = { width: 160, height: 40 }

/**
 * Computes the state to open with. If the window would open on a display that is gone, or is larger
 * than its display, a visible position is chosen.
 *
 * @param saved content of the file, of any shape.
 * @param displays current work areas, the primary one first.
 */
export function restoreWindowState(saved: unknown, displays: readonly WindowBounds[]): WindowState {
  const savedState = parseWindowState(saved)
  const home = displays[0] ?? { x: 0, y: 0, ...DEFAULT_SIZE }
  const clampTo = (area: WindowBounds): { width: number; height: number } => {
    const preferredSize = savedState ?? DEFAULT_SIZE
    return {
      width: clampSize(preferredSize.width, area.width, MIN_WINDOW_SIZE.width),
      height: clampSize(preferredSize.height, area.height, MIN_WINDOW_SIZE.height),
    }
  }
  // With the reduced size, because a smaller window may not reach its display any more.
  const target = savedState && displays.find((display) => holdsGrip({ ...savedState, ...clampTo(display) }, display))
  const size = clampTo(target ?? home)
  return {
    bounds: savedState && target ? { x: savedState.x, y: savedState.y, ...size } : null,
    size,
    maximized: savedState?.maximized ?? false,
    zoom: savedState?.zoom ?? 1,
  }
}

const clampSize = (value: number, room: number, min: number): number => Math.max(min, Math.min(value, room))

function holdsGrip(bounds: WindowBounds, area: WindowBounds): boolean {
  const overlap = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x)
  return (
    overlap >= MIN_VISIBLE_GRIP.width &&
    bounds.y >= area.y &&
    bounds.y <= area.y + area.height - MIN_VISIBLE_GRIP.height
  )
}

type SavedState = WindowBounds & Pick<WindowState, 'maximized' | 'zoom'>

function parseWindowState(saved: unknown): SavedState | null {
  if (typeof saved !== 'object' || saved === null) return null
  const { x, y, width, height, maximized, zoom } = saved as Record<string, unknown>
  if (!isPixel(x) || !isPixel(y) || !isPixel(width) || !isPixel(height)) return null
  // Chromium zooms from a quarter to five times.
  const isZoom = typeof zoom === 'number' && zoom >= 0.25 && zoom <= 5
  return { x, y, width, height, maximized: maximized === true, zoom: isZoom ? zoom : 1 }
}

const isPixel = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) <= 100_000

const MAX_FILE_BYTES = 64 * 1024

/** Null if the file is missing, broken or not regular (reading a FIFO would never end). */
export function readWindowState(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file, { maxBytes: MAX_FILE_BYTES }).text)
  } catch {
    return null
  }
}

/** Saves atomically. If the disk refuses, only the window's position is lost. */
export function writeWindowState(file: string, state: SavedState): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // Only the window's position is lost.
  }
}
