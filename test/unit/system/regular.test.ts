import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { onTestFinished, test as base, describe, expect } from 'vitest'
import { getExposure } from '../../../electron/services/files/exposure.ts'
import { NotRegularFileError, readRegularFile } from '../../../electron/system/regular-file.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { createFifo } from '../../support/data/strange-files.ts'

const test = base.skipIf(process.platform === 'win32')

function kindAt(file: string, follow: boolean): string {
  try {
    readRegularFile(file, { follow })
  } catch (error) {
    if (error instanceof NotRegularFileError) return error.kind
    throw error
  }
  return 'a file'
}

describe('safety 55: reading a regular file', () => {
  test('returns its whole content', () => {
    const file = path.join(createTempDir(), 'a')
    const text = 'ä'.repeat(100_000)
    writeFileSync(file, text)
    expect(readRegularFile(file).text).toBe(text)
    expect(() => readRegularFile(file, { maxBytes: 199_999 })).toThrow('too large')
    expect(readRegularFile(file, { maxBytes: 200_000 }).text).toBe(text)
  })

  test.each([true, false])('never blocks on a FIFO, even behind a link (followed: %s)', (follow) => {
    const dir = createTempDir()
    const fifo = createFifo(path.join(dir, 'fifo'))
    symlinkSync(fifo, path.join(dir, 'link'))
    expect(kindAt(fifo, follow)).toBe('a FIFO')
    expect(kindAt(path.join(dir, 'link'), follow)).toBe(follow ? 'a FIFO' : 'a symbolic link')
  })

  test('follows a link only on request, and refuses sockets, devices and directories', async () => {
    const dir = createTempDir()
    writeFileSync(path.join(dir, 'a'), '1')
    symlinkSync('a', path.join(dir, 'link'))
    symlinkSync('nowhere', path.join(dir, 'dangling'))
    mkdirSync(path.join(dir, 'dir'))
    const server = net.createServer().listen(path.join(dir, 'socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect(kindAt(path.join(dir, 'link'), true)).toBe('a file')
    expect(kindAt(path.join(dir, 'link'), false)).toBe('a symbolic link')
    expect(kindAt(path.join(dir, 'dangling'), false)).toBe('a symbolic link')
    expect(kindAt(path.join(dir, 'dir'), true)).toBe('a directory')
    expect(kindAt(path.join(dir, 'socket'), true)).toBe('a socket')
    expect(kindAt('/dev/zero', true)).toBe('a device')
    expect(() => readRegularFile(path.join(dir, 'absent'))).toThrow('ENOENT')
  })

  base.skipIf(process.platform !== 'linux')('a file that is larger than it says is cut off by its limit', () => {
    expect(readRegularFile('/proc/self/status').text).toContain('Name:')
    expect(() => readRegularFile('/proc/self/status', { maxBytes: 10 })).toThrow('too large')
  })
})

describe('safety 55: access of other users to a file', () => {
  test.each([
    [1000, 0o100600, 'none'],
    [1000, 0o100400, 'none'],
    [0, 0o100600, 'none'],
    [1000, 0o100640, 'readable'],
    [1000, 0o100604, 'readable'],
    [0, 0o100444, 'readable'],
    [1000, 0o100620, 'writable'],
    [1000, 0o100666, 'writable'],
    [0, 0o100602, 'writable'],
    [1001, 0o100600, 'foreign'],
    [1001, 0o100666, 'foreign'],
  ])('with uid %i and mode %o is %s', (uid, mode, expected) => {
    expect(getExposure({ uid, mode }, 1000)).toBe(expected)
    expect(getExposure({ uid, mode }, null)).toBe('none')
  })
})
