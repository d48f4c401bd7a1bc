import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { acquireDataDirLock } from '../../../../electron/services/files/data-dir-lock.ts'
import { getProcessStart } from '../../../../electron/system/process-state.ts'
import { AppError } from '../../../../shared/errors.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const lockModule = new URL('../../../../electron/services/files/data-dir-lock.ts', import.meta.url).href

/**
 * Returns a script that acquires the lock of this directory, reports it, and runs until it is
 * killed.
 */
const buildHolderScript = (dir: string): string => `import { acquireDataDirLock } from '${lockModule}'
    acquireDataDirLock(${JSON.stringify(dir)}, "command"); process.stdout.write('taken'); setInterval(() => {}, 1000)`

/** Starts another program that holds the lock of this directory. */
async function startOtherProgram(dir: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', buildHolderScript(dir)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', () => reject(new Error('the other program could not take the lock')))
  })
  return child as unknown as ChildProcess & { pid: number }
}

function catchRefusal(dir: string): AppError {
  try {
    acquireDataDirLock(dir, 'command')
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the lock was taken')
}

const readOwner = (dir: string): unknown => JSON.parse(readFileSync(path.join(dir, 'lock.json'), 'utf8'))

test('a lock is released only once', () => {
  const dir = createTempDir()
  const release = acquireDataDirLock(dir, 'command')
  expect(readOwner(dir)).toMatchObject({ pid: process.pid })
  release()
  expect(readdirSync(dir)).toEqual([])
  const releaseSecond = acquireDataDirLock(dir, 'command')
  release()
  expect(existsSync(path.join(dir, 'lock.json'))).toBe(true)
  releaseSecond()
})

test('safety 29: a directory in use is refused, naming the process, the directory and the way out', async () => {
  const dir = createTempDir()
  const other = await startOtherProgram(dir)
  const error = catchRefusal(dir)
  expect(error.wire).toMatchObject({ kind: 'refused', code: 'DATA_DIR_IN_USE', params: { pid: other.pid } })
  expect(error.message).toContain(String(other.pid))
  expect(error.message).toContain(dir)
  expect(error.message).toContain('--data-dir')
  expect(readOwner(dir)).toMatchObject({ pid: other.pid })
})

test('safety 29: a lock left behind by kill -9 is replaced at the next start', async () => {
  const dir = createTempDir()
  const other = await startOtherProgram(dir)
  writeFileSync(path.join(dir, `settings.json.${other.pid}.tmp`), '{"half":')
  other.kill('SIGKILL')
  await new Promise((resolve) => other.once('exit', resolve))
  expect(readOwner(dir)).toMatchObject({ pid: other.pid })
  const release = acquireDataDirLock(dir, 'command')
  expect(readOwner(dir)).toMatchObject({ pid: process.pid })
  expect(readdirSync(dir)).toEqual(['lock.json'])
  release()
})

test.skipIf(process.platform !== 'linux')(
  'safety 55: a killed process that is not yet reaped holds no lock',
  async () => {
    const dir = createTempDir()
    // The shell becomes a program that never reaps its children, so that its killed child stays
    // a zombie.
    const parent = spawn(
      '/bin/sh',
      [
        '-c',
        `"$0" --no-warnings --input-type=module -e "$1" & exec sleep 600`,
        process.execPath,
        buildHolderScript(dir),
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => void parent.kill('SIGKILL'))
    await new Promise((resolve) => parent.stdout.once('data', resolve))
    const { pid } = readOwner(dir) as { pid: number }
    expect(catchRefusal(dir).code).toBe('DATA_DIR_IN_USE')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
    const release = acquireDataDirLock(dir, 'command')
    expect(readOwner(dir)).toMatchObject({ pid: process.pid })
    release()
  },
)

test.skipIf(process.platform === 'win32')('safety 29: a reused process id does not count as the owner', async () => {
  const dir = createTempDir()
  const other = await startOtherProgram(createTempDir())
  expect(getProcessStart(other.pid)).not.toBeNull()
  writeFileSync(path.join(dir, 'lock.json'), JSON.stringify({ pid: other.pid, started: 'long ago' }))
  const release = acquireDataDirLock(dir, 'command')
  expect(readOwner(dir)).toMatchObject({ pid: process.pid })
  release()
})

test.each(['', '{', '{"pid":"x"}', '{"pid":-5}', '[]'])('safety 29: a lock that contains %j is replaced', (text) => {
  const dir = createTempDir()
  writeFileSync(path.join(dir, 'lock.json'), text)
  acquireDataDirLock(dir, 'command')()
  expect(readdirSync(dir)).toEqual([])
})

test('safety 29: exactly one of many programs that start at once on a dead lock gets the directory', async () => {
  const dir = createTempDir()
  writeFileSync(path.join(dir, 'lock.json'), JSON.stringify({ pid: 2 ** 30, started: null }))
  const script = `import { acquireDataDirLock } from '${lockModule}'
    process.stdout.write('ready'); process.stdin.once('data', () => {
      try { acquireDataDirLock(${JSON.stringify(dir)}, "command"); process.stdout.write('taken') } catch (error) { process.stdout.write(error.code ?? String(error)) }
    })`
  const starts = Array.from({ length: 5 }, () => {
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script])
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    const waitForOutput = (pattern: RegExp): Promise<string> =>
      new Promise((resolve) => child.stdout.on('data', () => pattern.test(output) && resolve(output)))
    child.stdout.on('data', (text: Buffer) => (output += text.toString()))
    return { child, ready: waitForOutput(/^ready/), outcome: waitForOutput(/^ready.+/) }
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
  const error = catchRefusal(path.join(dir, 'file', 'data'))
  expect(error.code).toBe('DATA_DIR_UNUSABLE')
  expect(error.message).toContain('--data-dir')
})
