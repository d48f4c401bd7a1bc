import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRecoveryFile, recoverFromCrashes, restoreHomePage } from '../../../electron/desktop/page-recovery.ts'
import { getDesktopTexts } from '../../../electron/desktop/texts.ts'
import { FakeContents, notes } from './fakes.ts'

function setUp() {
  const [contents, log] = [new FakeContents(), notes()]
  const done: string[] = []
  let now = 1_000_000
  recoverFromCrashes(contents.electron, {
    reload: () => done.push('reload'),
    showRecoveryPage: () => done.push('give up'),
    now: () => now,
    log: log.note,
  })
  const crash = (reason = 'crashed'): void => void contents.emit('render-process-gone', {}, { reason })
  return { contents, log, done, crash, pass: (ms: number) => (now += ms) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a crashed page', () => {
  test.each(['crashed', 'oom', 'killed', 'launch-failed', 'abnormal-exit', 'integrity-failure'])(
    'safety 46: is reloaded after %s',
    (reason) => {
      const { crash, done, log } = setUp()
      crash(reason)
      expect(done).toEqual(['reload'])
      expect(log.lines).toEqual([`page gone {"reason":"${reason}"}`])
    },
  )

  test('safety 46: is replaced by the recovery page at the third crash within a minute', () => {
    const { crash, done, pass } = setUp()
    crash()
    pass(29_000)
    crash()
    pass(29_000)
    crash()
    expect(done).toEqual(['reload', 'reload', 'give up'])
    crash()
    expect(done.at(-1)).toBe('reload')
  })

  test('safety 46: is reloaded each time if three crashes are spread over more time', () => {
    const { crash, done, pass } = setUp()
    for (let index = 0; index < 5; index += 1) {
      crash()
      pass(30_000)
    }
    expect(done).toEqual(['reload', 'reload', 'reload', 'reload', 'reload'])
  })

  test('is not assumed if the process exited by itself', () => {
    const { crash, done } = setUp()
    crash('clean-exit')
    expect(done).toEqual([])
  })

  test('safety 46: is killed and reloaded if it hangs', async () => {
    const { contents, done } = setUp()
    contents.emit('unresponsive')
    await vi.advanceTimersByTimeAsync(2_000)
    expect([contents.forced, done]).toEqual([1, ['reload']])
  })

  test('safety 32: is not assumed while the page responds, because then its panel hangs', async () => {
    const { contents, done, log } = setUp()
    contents.evaluate = () => Promise.resolve(0)
    contents.emit('unresponsive')
    await vi.advanceTimersByTimeAsync(2_000)
    expect([contents.forced, done, log.lines]).toEqual([0, [], []])
  })

  test('is not assumed while a breakpoint stops the page', async () => {
    const { contents, done } = setUp()
    contents.devTools = true
    contents.emit('unresponsive')
    await vi.advanceTimersByTimeAsync(2_000)
    expect([contents.forced, done]).toEqual([0, []])
  })
})

describe('a page that navigated away', () => {
  function leave() {
    const [contents, log] = [new FakeContents(), notes()]
    const done: string[] = []
    let now = 1_000_000
    restoreHomePage(contents.electron, 'app://bridge-inspector/', {
      load: (url) => done.push(url),
      showRecoveryPage: () => done.push('give up'),
      now: () => now,
      log: log.note,
    })
    const go = (url: string): void => void contents.emit('did-navigate', {}, url)
    const hash = (url: string, main = true): void => void contents.emit('did-navigate-in-page', {}, url, main)
    return { done, log, go, hash, pass: (ms: number) => (now += ms) }
  }

  test('safety 12: is brought back to its place', () => {
    const { done, log, go, hash } = leave()
    go('app://bridge-inspector/')
    hash('app://bridge-inspector/#/library')
    hash('app://bridge-inspector/#/in-a-frame', false)
    expect(done).toEqual([])
    go('about:blank')
    expect(done).toEqual(['app://bridge-inspector/#/library'])
    expect(log.lines).toEqual(['page left {}'])
  })

  test.each([
    'about:blank',
    'about:blank#x',
    'data:text/html,x',
    'https://example.org/',
    'chrome-error://chromewebdata/',
    '',
  ])('safety 12: does not stay at %j', (url) => {
    const { done, go } = leave()
    go(url)
    expect(done).toEqual(['app://bridge-inspector/'])
  })

  test('safety 46: stays at the recovery page, which is not a place to return to', () => {
    const { done, go } = leave()
    go('app://bridge-inspector/#/library')
    go('app://bridge-inspector/recovery')
    expect(done).toEqual([])
    go('about:blank')
    expect(done).toEqual(['app://bridge-inspector/#/library'])
  })

  test('safety 46: is not reloaded forever', () => {
    const { done, go, pass } = leave()
    for (let times = 0; times < 3; times += 1) {
      go('about:blank')
      pass(1_000)
    }
    expect(done).toEqual(['app://bridge-inspector/', 'app://bridge-inspector/', 'give up'])
  })
})

describe('the recovery page', () => {
  test.each(['en', 'zh-CN'] as const)('safety 46: needs no script in %s and links back', (language) => {
    const { body = '', csp } = createRecoveryFile('/recovery', getDesktopTexts(language, [])) ?? {}
    expect(body).toContain(`<html lang="${language}">`)
    expect(body).toContain('href="app://bridge-inspector/"')
    expect(body).toContain('role="alert"')
    expect(body).not.toMatch(/<script|<style|style=|url\(/)
    expect(csp).not.toContain('unsafe')
  })

  test('has the colors of the page, light and dark', () => {
    const { body = '' } = createRecoveryFile('/recovery.css', getDesktopTexts('en', [])) ?? {}
    const tokens = readFileSync('renderer/styles/tokens.css', 'utf8').split("[data-theme='dark']")
    const pairs = [...body.matchAll(/light-dark\((#\w+), (#\w+)\)/g)]
    expect(pairs.length).toBeGreaterThan(4)
    for (const [, ...colors] of pairs) colors.forEach((color, index) => expect(tokens[index]).toContain(`: ${color};`))
    expect(body.replaceAll(/light-dark\([^)]*\)/g, '')).not.toMatch(/#[0-9a-f]{3}/)
  })
})
