import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findChromium, findTestChromium } from '../../../scripts/lib/chromium.mjs'
import { findMissingLibraries } from '../../../scripts/lib/electron-libraries.mjs'
import { ensurePlainElectron } from '../../../scripts/lib/electron-plain.mjs'
import { findElectron } from '../../../scripts/lib/electron.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { formatSummary, summarizePlaywright, summarizeVitest } from '../../../scripts/lib/suites.mjs'

let folder = ''
const environment = { ...process.env }
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'scripts-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  process.env = { ...environment }
})

describe('the summary of all tests', () => {
  test('adds up every suite', () => {
    const unit = { name: 'unit', passed: 3, failed: 1, skipped: 1, failures: ['unit/b.test.ts: adds'] }
    const browser = {
      name: 'e2e browser',
      passed: 2,
      failed: 1,
      skipped: 0,
      note: 'it did not end well',
    }
    const { failed, text } = formatSummary([unit, browser])
    expect(failed).toBe(2)
    expect(text.trimEnd().split('\n')).toEqual([
      '',
      'unit           3 passed, 1 failed, 1 skipped',
      'e2e browser    2 passed, 1 failed  (it did not end well)',
      '',
      'failed:',
      '  unit  unit/b.test.ts: adds',
      '  e2e browser  it did not end well',
      '',
      '5 passed, 2 failed, 1 skipped',
    ])
  })
})

describe('the report of Playwright', () => {
  const spec = (...tests: [project: string, status: string][]) => ({
    title: 'opens',
    file: 'e2e/a.spec.ts',
    tests: tests.map(([projectName, status]) => ({ projectName, status })),
  })
  const report = {
    suites: [
      { specs: [spec(['browser', 'expected'], ['electron', 'unexpected'])] },
      { suites: [{ specs: [spec(['browser', 'flaky'], ['electron', 'skipped'])] }] },
    ],
  }

  test('is split by project, including nested suites, and what failed once has failed', () => {
    expect(summarizePlaywright(report, ['browser', 'electron'])).toEqual([
      { name: 'e2e browser', passed: 1, failed: 1, skipped: 0, failures: ['e2e/a.spec.ts: opens'] },
      { name: 'e2e electron', passed: 0, failed: 1, skipped: 1, failures: ['e2e/a.spec.ts: opens'] },
    ])
  })

  test('counts as empty if it is missing', () => {
    expect(summarizePlaywright(null, ['browser'])).toEqual([{ name: 'e2e browser', passed: 0, failed: 0, skipped: 0 }])
  })
})

describe('the report of vitest', () => {
  const entry = { status: 'passed', failureMessages: [] as string[] }
  const file = (name: string, assertionResults: object[], status = 'passed') => ({
    name: path.join(root, 'test', name),
    assertionResults,
    status,
  })

  test('counts each suite', () => {
    const assertionResults = [
      { ...entry, fullName: 'a' },
      { ...entry, fullName: 'b' },
      { status: 'failed', fullName: 'c', failureMessages: ['expected 1 to be 2'] },
      { status: 'skipped', fullName: 'd', failureMessages: [] },
    ]
    const testResults = [
      file('unit/a.test.ts', assertionResults, 'failed'),
      file('component/b.test.ts', [{ ...entry, fullName: 'e' }]),
    ]
    expect(summarizeVitest({ testResults }, ['unit', 'component'])).toEqual([
      { name: 'unit', passed: 2, failed: 1, skipped: 1, failures: ['test/unit/a.test.ts: c (expected 1 to be 2)'] },
      { name: 'component', passed: 1, failed: 0, skipped: 0 },
    ])
  })

  test('counts a file that did not load as a failure, and a missing report as nothing', () => {
    const testResults = [file('component/a.test.ts', [], 'failed')]
    expect(summarizeVitest({ testResults }, ['component'])).toMatchObject([
      { passed: 0, failed: 1, failures: ['test/component/a.test.ts: does not load'] },
    ])
    expect(summarizeVitest(null, ['unit'])).toEqual([{ name: 'unit', passed: 0, failed: 0, skipped: 0 }])
  })
})

describe('finding programs', () => {
  test('uses a given path, and does not replace a wrong one by a guess for Chromium', async () => {
    const file = path.join(folder, 'chromium')
    writeFileSync(file, '')
    process.env['CHROMIUM_PATH'] = file
    expect(await findChromium()).toBe(file)
    expect(await findTestChromium()).toBe(file)
    process.env['CHROMIUM_PATH'] = path.join(folder, 'missing')
    expect(await findChromium()).toBeNull()
    expect(await findTestChromium()).toBeNull()
  })

  test.runIf(process.platform === 'linux')('names a library that a program lacks', () => {
    expect(findMissingLibraries(process.execPath)).toEqual([])
    const texts = ['libgtk-3.so.0 => not found', 'libc.so.6 => /lib/libc.so.6 (0x0)', 'libasound.so.2 => not found']
    writeFileSync(
      path.join(folder, 'ldd'),
      `#!/bin/sh\nprintf '\\t%s\\n' ${texts.map((line) => `'${line}'`).join(' ')}`,
      {
        mode: 0o755,
      },
    )
    process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`
    expect(findMissingLibraries('electron')).toEqual(['libgtk-3.so.0', 'libasound.so.2'])
  })

  test('starts a published Electron as it is', () => {
    const file = runtime({ 'resources/default_app.asar': '' })
    process.env['ELECTRON_PATH'] = file
    expect(findElectron()).toBe(file)
  })

  test('mirrors an Electron with its own app, with an entry that starts in time', () => {
    const file = runtime({
      'resources/app/main.cjs': 'theirs',
      'resources/app/package.json': '{}',
      'locales/en.pak': 'x',
    })
    const madeFolder = path.join(folder, 'made')
    expect(ensurePlainElectron(file, madeFolder)).toBe(path.join(madeFolder, 'electron'))
    expect(statSync(path.join(madeFolder, 'electron')).ino).toBe(statSync(file).ino)
    expect(existsSync(path.join(madeFolder, 'locales/en.pak'))).toBe(true)
    expect(existsSync(path.join(madeFolder, 'resources/app/main.cjs'))).toBe(false)
    expect(readFileSync(path.join(madeFolder, 'resources/app/entry.mjs'), 'utf8')).toContain('await import(')
    expect(readFileSync(path.join(path.dirname(file), 'resources/app/main.cjs'), 'utf8')).toBe('theirs')
    rmSync(path.join(madeFolder, 'locales'), { recursive: true })
    ensurePlainElectron(file, madeFolder)
    expect(existsSync(path.join(madeFolder, 'locales'))).toBe(false)
  })
})

/** A folder that looks like an unpacked Electron; returns its executable. */
function runtime(files: Record<string, string>): string {
  const home = path.join(folder, 'runtime')
  for (const [name, text] of Object.entries({ electron: 'binary', ...files })) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  return path.join(home, 'electron')
}
