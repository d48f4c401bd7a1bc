import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readJsonFile, writeAtomic } from '../../../../electron/services/files/atomic-file.ts'
import { AppError } from '../../../../shared/errors.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { isObject } from '../../../../shared/json/object.ts'

const catchError = (act: () => void): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

/** Creates JSON that is nested too deeply to be written back. */
const createNestedJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('writing a file', () => {
  test('replaces the text, keeps the previous one as backup, and leaves nothing else', () => {
    const dir = path.join(createTempDir(), 'made', 'on the way')
    const file = path.join(dir, 'a.json')
    writeAtomic(file, '1')
    writeAtomic(file, '2')
    expect(readFileSync(file, 'utf8')).toBe('2')
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('1')
    expect(readdirSync(dir).sort()).toEqual(['a.json', 'a.json.bak'])
  })

  test.skipIf(process.platform === 'win32')('lets only the user read the file, the backup and the folder', () => {
    const dir = path.join(createTempDir(), 'data')
    const file = path.join(dir, 'a.json')
    writeAtomic(file, '1')
    writeAtomic(file, '2')
    expect([dir, file, `${file}.bak`].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600, 0o600])
  })

  test('removes the old text from the backup on request', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeAtomic(file, 'old')
    writeAtomic(file, 'new', { backup: 'same' })
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('new')
  })

  test('reports a failure in one sentence, and keeps the old text', () => {
    const dir = createTempDir()
    const file = path.join(dir, 'a.json')
    writeAtomic(file, 'old')
    mkdirSync(`${file}.${process.pid}.tmp`)
    const error = catchError(() => writeAtomic(file, 'new'))
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).wire).toMatchObject({ code: 'STORE_FAILED', params: { file: 'a.json' } })
    expect((error as AppError).message).not.toContain(dir)
    expect(readFileSync(file, 'utf8')).toBe('old')
  })

  test('safety 29: never leaves a mixture of two processes', async () => {
    const file = path.join(createTempDir(), 'settings.json')
    const module = new URL('../../../../electron/services/files/atomic-file.ts', import.meta.url).href
    const startWriter = (letter: string): Promise<number | null> => {
      const script = `import { writeAtomic } from '${module}'
        for (let n = 0; n < 60; n += 1) writeAtomic(${JSON.stringify(file)}, JSON.stringify({ text: '${letter}'.repeat(20000) }))`
      const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: 'ignore' })
      return new Promise((resolve) => child.once('exit', resolve))
    }
    const writers = Promise.all([startWriter('a'), startWriter('b')])
    let hasEnded = false
    void writers.then(() => (hasEnded = true))
    const texts = new Set<string>()
    while (!hasEnded) {
      if (existsSync(file)) texts.add((JSON.parse(readFileSync(file, 'utf8')) as { text: string }).text)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await writers).toEqual([0, 0])
    expect([...texts].every((text) => /^(?:a{20000}|b{20000})$/.test(text))).toBe(true)
    expect(texts.size).toBeGreaterThan(0)
  })
})

describe('reading a file', () => {
  test('reports an absent file', () => {
    expect(readJsonFile(path.join(createTempDir(), 'a.json'), isObject)).toEqual({
      value: undefined,
      outcome: 'absent',
    })
  })

  test.each(['', '{"half":', '[1]', '"text"', 'null', '\u0000\u0000'])(
    'moves a file with %j aside and uses the backup',
    (text) => {
      const dir = createTempDir()
      const file = path.join(dir, 'a.json')
      writeFileSync(file, text)
      writeFileSync(`${file}.bak`, '{"kept":1}')
      const { asideName, ...rest } = readJsonFile(file, isObject)
      expect(rest).toEqual({ value: { kept: 1 }, outcome: 'backup' })
      const movedNames = readdirSync(dir).filter((name) => /^a\.json\.corrupt-\d+$/.test(name))
      expect(movedNames).toEqual([asideName])
      expect(movedNames.map((name) => readFileSync(path.join(dir, name), 'utf8'))).toEqual([text])
      expect(existsSync(file)).toBe(false)
    },
  )

  test('reports a loss without a usable backup', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, '{')
    writeFileSync(`${file}.bak`, '}')
    expect(readJsonFile(file, isObject)).toMatchObject({ value: undefined, outcome: 'lost' })
  })

  test('accepts a byte order mark', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, '\uFEFF{"a":1}')
    expect(readJsonFile(file, isObject)).toEqual({ value: { a: 1 }, outcome: 'ok' })
  })

  test('reports a loss for a folder in place of the file', () => {
    const dir = createTempDir()
    mkdirSync(path.join(dir, 'a.json'))
    expect(readJsonFile(path.join(dir, 'a.json'), isObject).outcome).toBe('lost')
  })

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'keeps a file without read permission in place',
    () => {
      const dir = createTempDir()
      const file = path.join(dir, 'a.json')
      writeFileSync(file, '{"a":1}')
      chmodSync(file, 0o000)
      expect(readJsonFile(file, isObject).outcome).toBe('lost')
      expect(readdirSync(dir)).toHaveLength(1)
    },
  )
})

describe('value nested too deeply to write back', () => {
  test.each([
    ['settings.json', `{"newer":${createNestedJson(50_000)}}`],
    ['profiles.json', `{"profiles":[${createNestedJson(50_000)}]}`],
    ['vault.json', `{"tokens":{"p":${createNestedJson(50_000)}}}`],
  ])('is moved aside in %s, and the program starts and can write it', async (name, text) => {
    const dir = createTempDir()
    writeFileSync(path.join(dir, name), text)
    const app = await startComposedApp(dir)
    expect((await app.call('app.info', {})).notices).toHaveLength(1)
    await app.call('settings.update', { theme: 'dark' })
    const auth = { header: 'Authorization', scheme: 'Bearer' }
    await app.call('profiles.save', { name: '', baseUrl: '127.0.0.1:1', auth, readOnly: true })
    expect(readdirSync(dir).some((entry) => entry.startsWith(`${name}.corrupt-`))).toBe(true)
  })

  test('is different from a reasonably nested value of a newer version', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, `{"newer":${createNestedJson(50)}}`)
    expect(readJsonFile(file, isObject).outcome).toBe('ok')
  })
})
