import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { MAX_HELD_BYTES } from '../../../../electron/services/media/content.ts'
import { writePieces } from '../../../../electron/services/media/file-writer.ts'
import { expectAppError } from '../../../support/services/test-client.ts'
import { startContentHost, createPatternedBytes } from '../../../support/hosts/content-host.ts'
import { createGateway, createContentRef, PAGE_CALLER } from '../../../support/services/content-gateway.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createWav } from '../../../support/data/pictures.ts'

const bytes = createPatternedBytes(MAX_HELD_BYTES + 300_000, createWav())

describe('saving content', () => {
  test('suggests its name, and writes it byte for byte', async () => {
    const host = await startContentHost(bytes, { type: 'audio/wav' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef('tune'), PAGE_CALLER, neverAborted)
    const dir = createTempDir()
    const suggestedNames: string[] = []
    const createChooser = (to: string | null) => async (name: string) => {
      suggestedNames.push(name)
      return to
    }
    expect(await contents.saveToFile(handle, PAGE_CALLER, createChooser(null), neverAborted)).toBe(false)
    expect(readdirSync(dir)).toEqual([])
    const file = path.join(dir, 'tune.wav')
    expect(await contents.saveToFile(handle, PAGE_CALLER, createChooser(file), neverAborted)).toBe(true)
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(readdirSync(dir)).toEqual(['tune.wav'])
    expect(suggestedNames).toEqual(['N1-tune.wav', 'N1-tune.wav'])
    expect(
      (await expectAppError(contents.saveToFile(handle, 'desktop/2/0', createChooser(file), neverAborted))).code,
    ).toBe('CONTENT_UNKNOWN')
  })

  test('leaves the earlier file if it breaks off, is canceled or has no space', async () => {
    const host = await startContentHost(bytes, { type: 'audio/wav' })
    const { contents, neverAborted } = createGateway(host.baseUrl)
    const { handle } = await contents.open(createContentRef(), PAGE_CALLER, neverAborted)
    // These reads use up the remainder of the first response.
    await contents.readSlice(handle, 100_000, 100_001, PAGE_CALLER, neverAborted)
    await contents.readSlice(handle, 65_000, 600_000, PAGE_CALLER, neverAborted)
    const dir = createTempDir()
    const file = path.join(dir, 'kept.wav')
    writeFileSync(file, 'before')
    host.ranges = 'cut'
    const saveAndFail = (to: string, signal = neverAborted) =>
      expectAppError(contents.saveToFile(handle, PAGE_CALLER, async () => to, signal))
    expect((await saveAndFail(file)).code).toBe('TRUNCATED')
    host.ranges = 'answered'
    const abort = new AbortController()
    host.delayMs = 60_000
    const cancelled = saveAndFail(file, abort.signal)
    setTimeout(() => abort.abort(), 50)
    expect((await cancelled).kind).toBe('cancelled')
    host.delayMs = 0
    expect((await saveAndFail(path.join(dir, 'no', 'such', 'folder.wav'))).wire).toMatchObject({
      code: 'SAVE_FAILED',
      params: { reason: 'ENOENT' },
    })
    mkdirSync(path.join(dir, 'folder'))
    expect((await saveAndFail(path.join(dir, 'folder'))).code).toBe('SAVE_FAILED')
    expect(readdirSync(dir).sort()).toEqual(['folder', 'kept.wav'])
    expect(readFileSync(file, 'utf8')).toBe('before')
  })

  test.skipIf(process.platform === 'win32')('writes to a pipe without replacing it', async () => {
    const pipe = path.join(createTempDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const readBytes = buffer(createReadStream(pipe))
    const createPieces = async function* () {
      yield Buffer.from('one ')
      yield Buffer.from('two')
    }
    await writePieces(pipe, createPieces())
    expect((await readBytes).toString()).toBe('one two')
    expect(statSync(pipe).isFIFO()).toBe(true)
    expect(readdirSync(path.dirname(pipe))).toEqual(['pipe'])
  })

  test.skipIf(process.platform === 'win32')('gives up on a pipe that nobody reads', async () => {
    const pipe = path.join(createTempDir(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const createPieces = async function* () {
      yield Buffer.from('one')
    }
    const failure = await expectAppError(writePieces(pipe, createPieces(), 200))
    expect([failure.code, failure.wire.params]).toEqual(['SAVE_FAILED', { reason: 'ENXIO' }])
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  test('reports a defect of ours as internal, and not as a host error', async () => {
    const file = path.join(createTempDir(), 'x')
    const createBrokenPieces = async function* () {
      yield Buffer.from('x')
      throw new TypeError('defect')
    }
    expect((await expectAppError(writePieces(file, createBrokenPieces()))).kind).toBe('internal')
    expect(existsSync(file)).toBe(false)
  })
})
