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

function catchRefusal(dir: string): AppError {
  try {
    checkDataDir(dir)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`${dir} was taken`)
}

describe('safety 55: data directory', () => {
  test('is accepted silently if it is private to its user or does not exist yet', () => {
    const dir = createTempDir()
    expect(checkDataDir(dir)).toEqual([])
    expect(checkDataDir(path.join(dir, 'not', 'yet'))).toEqual([])
    chmodSync(dir, 0o755)
    expect(checkDataDir(dir)).toEqual([])
  })

  test.each([0o777, 0o1777, 0o702])('is refused if it is world-writable, with advice (mode %o)', (mode) => {
    const dir = createTempDir()
    chmodSync(dir, mode)
    const { code, message } = catchRefusal(dir)
    expect(code).toBe('DATA_DIR_SHARED')
    expect(message).toContain(`chmod 700 ${dir}`)
    expect(message).toContain('--data-dir')
  })

  test('is refused if it is a link to a world-writable one', () => {
    const dir = createTempDir()
    mkdirSync(path.join(dir, 'open'))
    chmodSync(path.join(dir, 'open'), 0o777)
    symlinkSync('open', path.join(dir, 'link'))
    expect(catchRefusal(path.join(dir, 'link')).code).toBe('DATA_DIR_SHARED')
  })

  test('gets a warning if it is group-writable, with advice', () => {
    const dir = createTempDir()
    chmodSync(dir, 0o770)
    const [warning, ...more] = checkDataDir(dir)
    expect(warning).toMatchObject({ level: 'warning', code: 'DATA_DIR_GROUP', params: { dir } })
    expect(warning?.message).toContain(`chmod 700 ${dir}`)
    expect(more).toEqual([])
  })

  base.skipIf(!isRoot)('gets a warning if it belongs to another user', () => {
    const dir = createTempDir()
    chownSync(dir, 54_321, 54_321)
    expect(checkDataDir(dir)).toMatchObject([{ code: 'DATA_DIR_FOREIGN', params: { dir } }])
  })

  test('is refused if it is a file', () => {
    const file = path.join(createTempDir(), 'file')
    writeFileSync(file, '')
    expect(catchRefusal(file).code).toBe('DATA_DIR_UNUSABLE')
  })

  base
    .skipIf(process.platform !== 'linux')
    .each(['/proc', '/proc/x/y', '/proc/self/fd', '/sys', '/sys/x', '/dev', '/dev/x'])(
    'is refused at once in %s',
    (dir) => {
      const { code, message } = catchRefusal(dir)
      expect(code).toBe('DATA_DIR_UNUSABLE')
      expect(message).toMatch(/stores no files \((proc|sysfs|devices)\)/)
      expect(message).toContain('--data-dir')
    },
  )
})

describe('safety 55: file in the data directory', () => {
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

  test.each(names)('is refused if %s is a link, FIFO or socket, naming %s', async (name, role) => {
    const make = {
      'a symbolic link': (file: string) => symlinkSync('/etc/hostname', file),
      'a FIFO': createFifo,
      'a socket': async (file: string) => {
        const server = net.createServer().listen(file)
        onTestFinished(() => void server.close())
        await new Promise((resolve) => server.once('listening', resolve))
      },
    }
    for (const [kind, createFile] of Object.entries(make)) {
      const dir = createTempDir()
      await createFile(path.join(dir, name))
      const { code, message } = catchRefusal(dir)
      expect(code).toBe('DATA_DIR_FILE')
      for (const word of [dir, name, role, kind, '--data-dir']) expect(message).toContain(word)
    }
  })

  test('can be anything under a foreign name', () => {
    const dir = createTempDir()
    createFifo(path.join(dir, 'mine'))
    symlinkSync('/etc/hostname', path.join(dir, 'vault.jsonx'))
    expect(checkDataDir(dir)).toEqual([])
  })

  test('is replaced if it becomes a link, and never written through', () => {
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

  test('blocks nothing if it becomes a FIFO', async () => {
    const dir = createTempDir()
    for (const name of ['settings.json', 'settings.json.bak', 'lock.json', 'bridge-inspector.log', 'journal.db-wal']) {
      createFifo(path.join(dir, name))
    }
    const getModuleUrl = (name: string): string =>
      new URL(`../../../../electron/services/${name}`, import.meta.url).href
    // The script runs in its own process, because a process blocked on a FIFO cannot end its
    // own test.
    const script = `import { readJsonFile } from '${getModuleUrl('files/atomic-file.ts')}'
      import { acquireDataDirLock } from '${getModuleUrl('files/data-dir-lock.ts')}'
      import { createLog, createFileSink } from '${getModuleUrl('files/log.ts')}'
      import { Redactor } from '${getModuleUrl('redactor.ts')}'
      import { openJournal } from '${getModuleUrl('journal/journal.ts')}'
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
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    expect(output).toBe('lost none')
  })

  test('rejects a link as the database of the journal', () => {
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
