import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acquireDataDirLock } from '../../../../electron/services/files/data-dir-lock.ts'
import { getProcessStart } from '../../../../electron/services/files/lock-owner.ts'
import { AppError } from '../../../../shared/errors.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const lockModule = new URL('../../../../electron/services/files/data-dir-lock.ts', import.meta.url).href

/** Takes the lock of this directory, reports it, and lives until it is killed. */
const holder = (dir: string): string => `import { acquireDataDirLock } from '${lockModule}'
    acquireDataDirLock(${JSON.stringify(dir)}, "command"); process.stdout.write('taken'); setInterval(() => {}, 1000)`

/** Another Bridge Inspector on this directory. */
async function otherProgram(dir: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', holder(dir)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', () => reject(new Error('the other program could not take the lock')))
  })
  return child as unknown as ChildProcess & { pid: number }
}

function refusalOf(dir: string): AppError {
  try {
    acquireDataDirLock(dir, 'command')
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the lock was taken')
}

const ownerOf = (dir: string): unknown => JSON.parse(readFileSync(path.join(dir, 'lock.json'), 'utf8'))

test('is released, and only once', () => {
  const dir = createTempDir()
  const release = acquireDataDirLock(dir, 'command')
  expect(ownerOf(dir)).toMatchObject({ pid: process.pid })
  release()
  expect(readdirSync(dir)).toEqual([])
  const again = acquireDataDirLock(dir, 'command')
  release()
  expect(existsSync(path.join(dir, 'lock.json'))).toBe(true)
  again()
})

test('safety 29: a directory in use is refused, naming process, directory and the way out', async () => {
  const dir = createTempDir()
  const other = await otherProgram(dir)
  const error = refusalOf(dir)
  expect(error.wire).toMatchObject({ kind: 'refused', code: 'DATA_DIR_IN_USE', params: { pid: other.pid } })
  expect(error.message).toContain(String(other.pid))
  expect(error.message).toContain(dir)
  expect(error.message).toContain('--data-dir')
  expect(ownerOf(dir)).toMatchObject({ pid: other.pid })
})

test('safety 29: kill -9 leaves a lock behind, and the next start heals it', async () => {
  const dir = createTempDir()
  const other = await otherProgram(dir)
  writeFileSync(path.join(dir, `settings.json.${other.pid}.tmp`), '{"half":')
  other.kill('SIGKILL')
  await new Promise((resolve) => other.once('exit', resolve))
  expect(ownerOf(dir)).toMatchObject({ pid: other.pid })
  const release = acquireDataDirLock(dir, 'command')
  expect(ownerOf(dir)).toMatchObject({ pid: process.pid })
  expect(readdirSync(dir)).toEqual(['lock.json'])
  release()
})

test.skipIf(process.platform !== 'linux')('safety 55: a killed process not yet reaped holds nothing', async () => {
  const dir = createTempDir()
  // The shell becomes a program that never reaps its children: what it started stays a zombie when
  // killed.
  const parent = spawn(
    '/bin/sh',
    ['-c', `"$0" --no-warnings --input-type=module -e "$1" & exec sleep 600`, process.execPath, holder(dir)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void parent.kill('SIGKILL'))
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  const { pid } = ownerOf(dir) as { pid: number }
  expect(refusalOf(dir).code).toBe('DATA_DIR_IN_USE')
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
  const release = acquireDataDirLock(dir, 'command')
  expect(ownerOf(dir)).toMatchObject({ pid: process.pid })
  release()
})

test.skipIf(process.platform === 'win32')('safety 29: a reused process id is not an owner', async () => {
  const dir = createTempDir()
  const other = await otherProgram(createTempDir())
  expect(getProcessStart(other.pid)).not.toBeNull()
  writeFileSync(path.join(dir, 'lock.json'), JSON.stringify({ pid: other.pid, started: 'long ago' }))
  const release = acquireDataDirLock(dir, 'command')
  expect(ownerOf(dir)).toMatchObject({ pid: process.pid })
  release()
})

test.each(['', '{', '{"pid":"x"}', '{"pid":-5}', '[]'])('safety 29: a lock that holds %j is healed', (text) => {
  const dir = createTempDir()
  writeFileSync(path.join(dir, 'lock.json'), text)
  acquireDataDirLock(dir, 'command')()
  expect(readdirSync(dir)).toEqual([])
})

test('safety 29: of many that start at once on a dead lock, exactly one gets the directory', async () => {
  const dir = createTempDir()
  writeFileSync(path.join(dir, 'lock.json'), JSON.stringify({ pid: 2 ** 30, started: null }))
  const script = `import { acquireDataDirLock } from '${lockModule}'
    process.stdout.write('ready'); process.stdin.once('data', () => {
      try { acquireDataDirLock(${JSON.stringify(dir)}, "command"); process.stdout.write('taken') } catch (error) { process.stdout.write(error.code ?? String(error)) }
    })`
  const starts = Array.from({ length: 5 }, () => {
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script])
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    const heard = (want: RegExp): Promise<string> =>
      new Promise((resolve) => child.stdout.on('data', () => want.test(said) && resolve(said)))
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    return { child, ready: heard(/^ready/), outcome: heard(/^ready.+/) }
  })
  await Promise.all(starts.map(({ ready }) => ready))
  for (const { child } of starts) child.stdin.write('go')
  const outcomes = await Promise.all(starts.map(({ outcome }) => outcome))
  expect(outcomes.filter((text) => text === 'readytaken')).toHaveLength(1)
  expect(outcomes.filter((text) => text === 'readyDATA_DIR_IN_USE')).toHaveLength(4)
})

test('a directory that cannot be created is reported clearly', () => {
  const dir = createTempDir()
  writeFileSync(path.join(dir, 'file'), '')
  const error = refusalOf(path.join(dir, 'file', 'data'))
  expect(error.code).toBe('DATA_DIR_UNUSABLE')
  expect(error.message).toContain('--data-dir')
})
