import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test as base } from 'vitest'
import { writeAtomic } from '../../../../electron/services/files/atomic-file.ts'
import { checkDataDir } from '../../../../electron/services/files/data-dir.ts'
import { acquireDataDirLock } from '../../../../electron/services/files/data-dir-lock.ts'
import { createLog, createFileSink } from '../../../../electron/services/files/log.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { AppError } from '../../../../shared/errors.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { intentEvent, openTestJournal, createStoredOperation } from '../../../support/services/journal.ts'
import { createFifo } from '../../../support/data/strange-files.ts'

const test = base.skipIf(process.platform === 'win32')
const isRoot = process.getuid?.() === 0

function refusalOf(dir: string): AppError {
  try {
    checkDataDir(dir)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`${dir} was taken`)
}

describe('safety 55: a data directory', () => {
  test('private to its user, or not there yet, is accepted silently', () => {
    const dir = createTempDir()
    expect(checkDataDir(dir)).toEqual([])
    expect(checkDataDir(path.join(dir, 'not', 'yet'))).toEqual([])
    chmodSync(dir, 0o755)
    expect(checkDataDir(dir)).toEqual([])
  })

  test.each([0o777, 0o1777, 0o702])('that is world-writable is refused, with what to do (mode %o)', (mode) => {
    const dir = createTempDir()
    chmodSync(dir, mode)
    const { code, message } = refusalOf(dir)
    expect(code).toBe('DATA_DIR_SHARED')
    expect(message).toContain(`chmod 700 ${dir}`)
    expect(message).toContain('--data-dir')
  })

  test('that links to a world-writable one is refused as well', () => {
    const dir = createTempDir()
    mkdirSync(path.join(dir, 'open'))
    chmodSync(path.join(dir, 'open'), 0o777)
    symlinkSync('open', path.join(dir, 'link'))
    expect(refusalOf(path.join(dir, 'link')).code).toBe('DATA_DIR_SHARED')
  })

  test('that is group-writable gets a warning, with what to do', () => {
    const dir = createTempDir()
    chmodSync(dir, 0o770)
    const [warning, ...more] = checkDataDir(dir)
    expect(warning).toMatchObject({ level: 'warning', code: 'DATA_DIR_GROUP', params: { dir } })
    expect(warning?.message).toContain(`chmod 700 ${dir}`)
    expect(more).toEqual([])
  })

  base.skipIf(!isRoot)('of another user is warned of', () => {
    const dir = createTempDir()
    chownSync(dir, 54_321, 54_321)
    expect(checkDataDir(dir)).toMatchObject([{ code: 'DATA_DIR_FOREIGN', params: { dir } }])
  })

  test('that is a file is refused', () => {
    const file = path.join(createTempDir(), 'file')
    writeFileSync(file, '')
    expect(refusalOf(file).code).toBe('DATA_DIR_UNUSABLE')
  })

  base
    .skipIf(process.platform !== 'linux')
    .each(['/proc', '/proc/x/y', '/proc/self/fd', '/sys', '/sys/x', '/dev', '/dev/x'])(
    'in %s is refused at once',
    (dir) => {
      const { code, message } = refusalOf(dir)
      expect(code).toBe('DATA_DIR_UNUSABLE')
      expect(message).toMatch(/stores no files \((proc|sysfs|devices)\)/)
      expect(message).toContain('--data-dir')
    },
  )
})

describe('safety 55: in place of one of our files', () => {
  const names = [
    ['lock.json', 'the lock'],
    ['settings.json', 'the settings'],
    ['settings.json.bak', 'the settings'],
    ['profiles.json', 'the profiles'],
    ['vault.json', 'the remembered tokens'],
    ['journal.db', 'the journal of operations'],
    ['journal.db-wal', 'the journal of operations'],
    ['bridge-inspector.log', 'the log'],
    ['window.json', 'the window’s position'],
  ] as const

  test.each(names)('a link, FIFO or socket as %s is refused, naming %s', async (name, role) => {
    const make = {
      'a symbolic link': (file: string) => symlinkSync('/etc/hostname', file),
      'a FIFO': createFifo,
      'a socket': async (file: string) => {
        const server = net.createServer().listen(file)
        onTestFinished(() => void server.close())
        await new Promise((resolve) => server.once('listening', resolve))
      },
    }
    for (const [kind, put] of Object.entries(make)) {
      const dir = createTempDir()
      await put(path.join(dir, name))
      const { code, message } = refusalOf(dir)
      expect(code).toBe('DATA_DIR_FILE')
      for (const word of [dir, name, role, kind, '--data-dir']) expect(message).toContain(word)
    }
  })

  test('what is not ours may be anything', () => {
    const dir = createTempDir()
    createFifo(path.join(dir, 'mine'))
    symlinkSync('/etc/hostname', path.join(dir, 'vault.jsonx'))
    expect(checkDataDir(dir)).toEqual([])
  })

  test('a link that appears later is replaced, never written through', () => {
    const dir = createTempDir()
    const victim = path.join(dir, 'victim')
    writeFileSync(victim, 'untouched')
    const file = path.join(dir, 'settings.json')
    writeAtomic(file, '1')
    for (const end of ['.bak', `.${process.pid}.tmp`, `.bak.${process.pid}.tmp`]) symlinkSync('victim', file + end)
    writeAtomic(file, '2')
    expect([readFileSync(file, 'utf8'), readFileSync(`${file}.bak`, 'utf8')]).toEqual(['2', '1'])
    writeAtomic(file, '3', { backup: 'same' })
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('3')
    for (const end of ['tmp', 'claim']) symlinkSync('victim', path.join(dir, `lock.json.${process.pid}.${end}`))
    acquireDataDirLock(dir, 'command')()
    symlinkSync('victim', path.join(dir, 'bridge-inspector.log'))
    createLog(createFileSink(dir), new Redactor()).info('said')
    expect(readFileSync(victim, 'utf8')).toBe('untouched')
  })

  test('a FIFO that appears later blocks nothing', async () => {
    const dir = createTempDir()
    for (const name of ['settings.json', 'settings.json.bak', 'lock.json', 'bridge-inspector.log', 'journal.db-wal']) {
      createFifo(path.join(dir, name))
    }
    const module = (name: string): string => new URL(`../../../../electron/services/${name}`, import.meta.url).href
    // Its own process: one blocked on a FIFO could not end its own test.
    const script = `import { readJsonFile } from '${module('files/atomic-file.ts')}'
      import { acquireDataDirLock } from '${module('files/data-dir-lock.ts')}'
      import { createLog, createFileSink } from '${module('files/log.ts')}'
      import { Redactor } from '${module('redactor.ts')}'
      import { openJournal } from '${module('journal/journal.ts')}'
      const dir = ${JSON.stringify(dir)}
      const { outcome } = readJsonFile(dir + '/settings.json', () => true)
      acquireDataDirLock(dir, "command")
      const log = createLog(createFileSink(dir), new Redactor())
      log.info('said')
      const journal = openJournal({ dataDir: dir, notices: { add() {} }, log })
      process.stdout.write(outcome + ' ' + journal.info().kind)`
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (data: Buffer) => (said += data.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    expect(said).toBe('lost none')
  })

  test('the journal accepts no link as its database', () => {
    const dir = createTempDir()
    const elsewhere = createTempDir()
    const other = openTestJournal(elsewhere)
    other.journal.create(createStoredOperation('theirs'), intentEvent)
    other.close()
    symlinkSync(path.join(elsewhere, 'journal.db'), path.join(dir, 'journal.db'))
    const { journal, listNoticeCodes } = openTestJournal(dir)
    expect([listNoticeCodes(), journal.load()]).toEqual([['JOURNAL_UNUSABLE'], []])
    expect(existsSync(path.join(dir, 'journal.db'))).toBe(true)
  })
})
