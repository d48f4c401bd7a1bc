import { execFile } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { assertWithinLimit, recordingLimits } from '../../../electron/recording-file/limits.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createRecordingSource } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const MEGABYTE = 1024 ** 2
const HEAP_MEGABYTES = 96
const MAX_MEGABYTES_ABOVE_IDLE = 400
const root = path.resolve(import.meta.dirname, '../../..')

/** Runs the lines in a process with a small heap, and returns their `result`. */
async function runInSmallHeap(lines: string): Promise<{ result: unknown; megabytesAboveIdle: number }> {
  const script = `
    import { importArchive } from '${root}/electron/services/recordings/archive/archive-import.ts'
    import { openRecording } from '${root}/electron/recording-file/recording-file.ts'
    const idle = process.memoryUsage.rss()
    let result = null
    ${lines}
    const highest = process.resourceUsage().maxRSS * 1024
    console.log(JSON.stringify({ result, megabytesAboveIdle: Math.round((highest - idle) / ${MEGABYTE}) }))`
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  return JSON.parse(stdout) as { result: unknown; megabytesAboveIdle: number }
}

describe('safety 74: large files', () => {
  it(
    'an archive of 500 MB is read within bounds, and what is too large in it is named',
    { timeout: 120_000 },
    async () => {
      const file = path.join(createTempDir(), 'large.har')
      const descriptor = openSync(file, 'w')
      const piece = Buffer.alloc(MEGABYTE, 'a text of a card. ')
      const writeEntry = (megabytes: number): void => {
        const entry = {
          startedDateTime: '2023-11-14T22:13:20.000Z',
          request: { method: 'GET', url: 'http://127.0.0.1:1/bridge/v1/status', headers: [] },
          response: { status: 200, content: { size: megabytes * MEGABYTE, mimeType: 'text/plain', text: '' } },
        }
        const [before, after] = JSON.stringify(entry).split('"text":""')
        writeSync(descriptor, `${before}"text":"`)
        for (let index = 0; index < megabytes; index += 1) writeSync(descriptor, piece)
        writeSync(descriptor, `"${after}`)
      }
      writeSync(descriptor, '{"log":{"entries":[')
      for (const megabytes of [160, 2, 160, 3, 160, 15]) {
        writeEntry(megabytes)
        writeSync(descriptor, ',')
      }
      writeEntry(1)
      writeSync(descriptor, ']}}')
      closeSync(descriptor)
      const { result, megabytesAboveIdle } = await runInSmallHeap(`
      const options = { title: 'Large', program: { name: 'Bridge Inspector', version: '1.0.0' }, tokens: [] }
      await importArchive('${file}', '${file}.birec', options)
      const recording = await openRecording('${file}.birec')
      const { leftOut, parts } = recording.manifest
      result = { lines: parts.exchanges.lines, places: leftOut.map(({ what }) => what).filter((what) => /^log/.test(what)) }
      await recording.close()`)
      expect(result).toEqual({ lines: 4, places: ['log.entries[0]', 'log.entries[2]', 'log.entries[4]'] })
      expect(megabytesAboveIdle).toBeLessThan(MAX_MEGABYTES_ABOVE_IDLE)
    },
  )

  it('an entry that expands to 2 GB is refused with its name before it is read', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource([Buffer.alloc(MEGABYTE)]))
    const bytes = readFileSync(file)
    const [size, large] = [Buffer.alloc(4), Buffer.alloc(4)]
    size.writeUInt32LE(MEGABYTE)
    large.writeUInt32LE(2 * 1024 * MEGABYTE)
    for (let offset = bytes.indexOf(size); offset >= 0; offset = bytes.indexOf(size)) large.copy(bytes, offset)
    writeFileSync(file, bytes)
    const { result, megabytesAboveIdle } = await runInSmallHeap(
      `result = await openRecording('${file}').then(() => null, ({ code, message }) => [code, message])`,
    )
    expect(result).toEqual(['RECORDING_ENTRY_TOO_LARGE', expect.stringMatching(/bodies\/\d+.*\d/)])
    expect(megabytesAboveIdle).toBeLessThan(MAX_MEGABYTES_ABOVE_IDLE)
  })

  it('more exchanges than can be held are refused with the limit', () => {
    expect(() => assertWithinLimit('exchanges', recordingLimits.exchanges)).not.toThrow()
    expect(() => assertWithinLimit('exchanges', 1_000_000)).toThrow(`at most ${recordingLimits.exchanges} exchanges`)
  })
})
