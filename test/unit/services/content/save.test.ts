import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { MAX_HELD_BYTES } from '../../../../electron/services/media/content.ts'
import { writePieces } from '../../../../electron/services/media/file-writer.ts'
import { failureOf } from '../../../support/services/bridge.ts'
import { contentHost, patterned } from '../../../support/hosts/content-host.ts'
import { gateway, noteContent, PAGE } from '../../../support/services/content.ts'
import { tempDir } from '../../../support/data/data-dir.ts'
import { wav } from '../../../support/data/pictures.ts'

const bytes = patterned(MAX_HELD_BYTES + 300_000, wav())

describe('saving a content', () => {
  test('asks where to save under its name, and writes it byte for byte', async () => {
    const host = await contentHost(bytes, { type: 'audio/wav' })
    const { contents, never } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent('tune'), PAGE, never)
    const dir = tempDir()
    const asked: string[] = []
    const choose = (to: string | null) => async (name: string) => {
      asked.push(name)
      return to
    }
    expect(await contents.saveToFile(handle, PAGE, choose(null), never)).toBe(false)
    expect(readdirSync(dir)).toEqual([])
    const file = path.join(dir, 'tune.wav')
    expect(await contents.saveToFile(handle, PAGE, choose(file), never)).toBe(true)
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(readdirSync(dir)).toEqual(['tune.wav'])
    expect(asked).toEqual(['N1-tune.wav', 'N1-tune.wav'])
    expect((await failureOf(contents.saveToFile(handle, 'desktop/2/0', choose(file), never))).code).toBe(
      'CONTENT_UNKNOWN',
    )
  })

  test('that breaks off, is cancelled or finds no room leaves what was there', async () => {
    const host = await contentHost(bytes, { type: 'audio/wav' })
    const { contents, never } = gateway(host.baseUrl)
    const { handle } = await contents.open(noteContent(), PAGE, never)
    // The remainder of the first answer is used up.
    await contents.readSlice(handle, 100_000, 100_001, PAGE, never)
    await contents.readSlice(handle, 65_000, 600_000, PAGE, never)
    const dir = tempDir()
    const file = path.join(dir, 'kept.wav')
    writeFileSync(file, 'before')
    host.ranges = 'cut'
    const save = (to: string, signal = never) => failureOf(contents.saveToFile(handle, PAGE, async () => to, signal))
    expect((await save(file)).code).toBe('TRUNCATED')
    host.ranges = 'answered'
    const abort = new AbortController()
    host.delayMs = 60_000
    const cancelled = save(file, abort.signal)
    setTimeout(() => abort.abort(), 50)
    expect((await cancelled).kind).toBe('cancelled')
    host.delayMs = 0
    expect((await save(path.join(dir, 'no', 'such', 'folder.wav'))).wire).toMatchObject({
      code: 'SAVE_FAILED',
      params: { reason: 'ENOENT' },
    })
    mkdirSync(path.join(dir, 'folder'))
    expect((await save(path.join(dir, 'folder'))).code).toBe('SAVE_FAILED')
    expect(readdirSync(dir).sort()).toEqual(['folder', 'kept.wav'])
    expect(readFileSync(file, 'utf8')).toBe('before')
  })

  test.skipIf(process.platform === 'win32')('a pipe is written to, and stays one', async () => {
    const pipe = path.join(tempDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const read = buffer(createReadStream(pipe))
    const pieces = async function* () {
      yield Buffer.from('one ')
      yield Buffer.from('two')
    }
    await writePieces(pipe, pieces())
    expect((await read).toString()).toBe('one two')
    expect(statSync(pipe).isFIFO()).toBe(true)
    expect(readdirSync(path.dirname(pipe))).toEqual(['pipe'])
  })

  test.skipIf(process.platform === 'win32')('a pipe that nobody reads is given up', async () => {
    const pipe = path.join(tempDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const pieces = async function* () {
      yield Buffer.from('one')
    }
    const failure = await failureOf(writePieces(pipe, pieces(), 200))
    expect([failure.code, failure.wire.params]).toEqual(['SAVE_FAILED', { reason: 'ENXIO' }])
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  test('a defect of ours is not a host error', async () => {
    const file = path.join(tempDir(), 'x')
    const broken = async function* () {
      yield Buffer.from('x')
      throw new TypeError('defect')
    }
    expect((await failureOf(writePieces(file, broken()))).kind).toBe('internal')
    expect(existsSync(file)).toBe(false)
  })
})
