import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadPage } from '../../../electron/desktop/load-page.ts'
import { awaitLull } from '../../../electron/desktop/lull.ts'
import { savedAppearance } from '../../../electron/desktop/saved-appearance.ts'

describe('the lull in which the services begin', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const watched = () => {
    const lull = awaitLull()
    const seen = { come: false }
    void lull.come.then(() => (seen.come = true))
    return { lull, seen }
  }

  test('comes after the last of the first files', async () => {
    const { lull, seen } = watched()
    await vi.advanceTimersByTimeAsync(200)
    for (let file = 0; file < 5; file += 1) {
      lull.sent()
      await vi.advanceTimersByTimeAsync(15)
    }
    expect(seen.come).toBe(false)
    await vi.advanceTimersByTimeAsync(5)
    expect(seen.come).toBe(true)
    lull.sent()
    await vi.advanceTimersByTimeAsync(20)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not waited for without end: not of a page that asks for nothing, nor of one that never stops', async () => {
    const [silent, busy] = [watched(), watched()]
    for (let at = 0; at < 1_000; at += 10) {
      expect([silent.seen.come, busy.seen.come]).toEqual([false, false])
      busy.lull.sent()
      await vi.advanceTimersByTimeAsync(10)
    }
    expect([silent.seen.come, busy.seen.come]).toEqual([true, true])
  })
})

describe('the look of the first paint', () => {
  let folder = ''
  beforeEach(() => void (folder = mkdtempSync(path.join(os.tmpdir(), 'look-'))))
  afterEach(() => rmSync(folder, { recursive: true }))
  const file = (): string => path.join(folder, 'settings.json')
  const standard = { theme: 'system', density: 'compact', locale: 'system' }

  test('is what the settings say, whatever else they hold', () => {
    const set = { theme: 'dark', density: 'comfortable', locale: 'zh-CN' }
    writeFileSync(file(), JSON.stringify({ ...set, navCollapsed: true, ofALaterVersion: 1 }))
    expect(savedAppearance(folder)).toEqual(set)
  })

  test('takes only the words of the schema, because they are written into the page', () => {
    writeFileSync(file(), JSON.stringify({ theme: '"><script>', density: 1, locale: 'en' }))
    expect(savedAppearance(folder)).toEqual({ ...standard, locale: 'en' })
  })

  test.each(['', '{', '[]', 'null', '"dark"'])('has the defaults if the file holds %j', (text) => {
    writeFileSync(file(), text)
    expect(savedAppearance(folder)).toEqual(standard)
  })

  test('has the defaults if there is no file, or something else in its place', () => {
    expect(savedAppearance(folder)).toEqual(standard)
    mkdirSync(file())
    expect(savedAppearance(folder)).toEqual(standard)
  })
})

describe('the first load', () => {
  const failed = new Error('ERR_ABORTED (-3) loading app://bridge-inspector/')
  const load = (now: { loads?: boolean; closed?: boolean; fails?: boolean }): Promise<void> =>
    loadPage(
      {
        isDestroyed: () => now.closed === true,
        webContents: {
          loadURL: () => (now.fails === false ? Promise.resolve() : Promise.reject(failed)),
          isLoading: () => now.loads === true,
        },
      },
      'app://bridge-inspector/',
    )

  test('that fails is the end', async () => {
    await expect(load({})).rejects.toBe(failed)
    await load({ fails: false })
  })

  test('may give way to another, or to the window being closed', async () => {
    await load({ loads: true })
    await load({ closed: true })
    const later = { loads: false }
    const loaded = load(later)
    queueMicrotask(() => (later.loads = true))
    await loaded
  })
})
