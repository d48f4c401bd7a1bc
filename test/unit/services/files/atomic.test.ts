import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readJsonFile, writeAtomic } from '../../../../electron/services/files/atomic-file.ts'
import { AppError } from '../../../../shared/errors.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { isObject } from '../../../../shared/json/object.ts'

const thrownBy = (act: () => void): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

/** Deeper than anything that can be written back. */
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('writing', () => {
  test('replaces the text, keeps the previous one as backup, and leaves nothing else', () => {
    const dir = path.join(createTempDir(), 'made', 'on the way')
    const file = path.join(dir, 'a.json')
    writeAtomic(file, '1')
    writeAtomic(file, '2')
    expect(readFileSync(file, 'utf8')).toBe('2')
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('1')
    expect(readdirSync(dir).sort()).toEqual(['a.json', 'a.json.bak'])
  })

  test.skipIf(process.platform === 'win32')('only the user may read file, backup and folder', () => {
    const dir = path.join(createTempDir(), 'data')
    const file = path.join(dir, 'a.json')
    writeAtomic(file, '1')
    writeAtomic(file, '2')
    expect([dir, file, `${file}.bak`].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o600, 0o600])
  })

  test('the old text does not survive in the backup where that is asked for', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeAtomic(file, 'old')
    writeAtomic(file, 'new', { backup: 'same' })
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('new')
  })

  test('a failed write is reported in one sentence, and the old text stays', () => {
    const dir = createTempDir()
    const file = path.join(dir, 'a.json')
    writeAtomic(file, 'old')
    mkdirSync(`${file}.${process.pid}.tmp`)
    const error = thrownBy(() => writeAtomic(file, 'new'))
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).wire).toMatchObject({ code: 'STORE_FAILED', params: { file: 'a.json' } })
    expect((error as AppError).message).not.toContain(dir)
    expect(readFileSync(file, 'utf8')).toBe('old')
  })

  test('safety 29: two processes that write the same file never leave a mixture', async () => {
    const file = path.join(createTempDir(), 'settings.json')
    const module = new URL('../../../../electron/services/files/atomic-file.ts', import.meta.url).href
    const writer = (letter: string): Promise<number | null> => {
      const script = `import { writeAtomic } from '${module}'
        for (let n = 0; n < 60; n += 1) writeAtomic(${JSON.stringify(file)}, JSON.stringify({ text: '${letter}'.repeat(20000) }))`
      const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: 'ignore' })
      return new Promise((resolve) => child.once('exit', resolve))
    }
    const both = Promise.all([writer('a'), writer('b')])
    let ended = false
    void both.then(() => (ended = true))
    const seen = new Set<string>()
    while (!ended) {
      if (existsSync(file)) seen.add((JSON.parse(readFileSync(file, 'utf8')) as { text: string }).text)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await both).toEqual([0, 0])
    expect([...seen].every((text) => /^(?:a{20000}|b{20000})$/.test(text))).toBe(true)
    expect(seen.size).toBeGreaterThan(0)
  })
})

describe('reading', () => {
  test('an absent file is absent', () => {
    expect(readJsonFile(path.join(createTempDir(), 'a.json'), isObject)).toEqual({
      value: undefined,
      outcome: 'absent',
    })
  })

  test.each(['', '{"half":', '[1]', '"text"', 'null', '\u0000\u0000'])(
    '%j is set aside and the backup is used',
    (text) => {
      const dir = createTempDir()
      const file = path.join(dir, 'a.json')
      writeFileSync(file, text)
      writeFileSync(`${file}.bak`, '{"kept":1}')
      expect(readJsonFile(file, isObject)).toEqual({ value: { kept: 1 }, outcome: 'backup' })
      const aside = readdirSync(dir).filter((name) => /^a\.json\.corrupt-\d+$/.test(name))
      expect(aside.map((name) => readFileSync(path.join(dir, name), 'utf8'))).toEqual([text])
      expect(existsSync(file)).toBe(false)
    },
  )

  test('without a usable backup it reports a loss', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, '{')
    writeFileSync(`${file}.bak`, '}')
    expect(readJsonFile(file, isObject)).toEqual({ value: undefined, outcome: 'lost' })
  })

  test('a byte order mark is no damage', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, '\uFEFF{"a":1}')
    expect(readJsonFile(file, isObject)).toEqual({ value: { a: 1 }, outcome: 'ok' })
  })

  test('a folder in place of the file does not stop the start', () => {
    const dir = createTempDir()
    mkdirSync(path.join(dir, 'a.json'))
    expect(readJsonFile(path.join(dir, 'a.json'), isObject).outcome).toBe('lost')
  })

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'a file that may not be read is not lost',
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

describe('a value nested too deeply to write back', () => {
  test.each([
    ['settings.json', `{"newer":${deep(50_000)}}`],
    ['profiles.json', `{"profiles":[${deep(50_000)}]}`],
    ['vault.json', `{"tokens":{"p":${deep(50_000)}}}`],
  ])('%s is set aside; the program starts and can write it', async (name, text) => {
    const dir = createTempDir()
    writeFileSync(path.join(dir, name), text)
    const app = await startComposedApp(dir)
    expect((await app.call('app.info', {})).notices).toHaveLength(1)
    await app.call('settings.update', { theme: 'dark' })
    const auth = { header: 'Authorization', scheme: 'Bearer' }
    await app.call('profiles.save', { name: '', baseUrl: '127.0.0.1:1', auth, readOnly: true })
    expect(readdirSync(dir).some((one) => one.startsWith(`${name}.corrupt-`))).toBe(true)
  })

  test('what a newer version nests reasonably stays', () => {
    const file = path.join(createTempDir(), 'a.json')
    writeFileSync(file, `{"newer":${deep(50)}}`)
    expect(readJsonFile(file, isObject).outcome).toBe('ok')
  })
})
