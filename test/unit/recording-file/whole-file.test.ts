/** @module-tag slow */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { removeTemporaryFiles } from '../../../electron/services/recordings/recording-list.ts'
import { createRecordingSource } from '../../support/data/recordings.ts'
import { pickRunCount } from '../../support/data/run-count.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const WRITER = new URL('../../support/program/endless-writer.mjs', import.meta.url)

/** Kills a process that writes, after it wrote the file once and then for a while. */
async function killWhileWriting(file: string, temporaryDir: string | null, delayMs: number): Promise<void> {
  const child = fork(WRITER, [file, ...(temporaryDir === null ? [] : [temporaryDir])], { execArgv: [] })
  const ended = once(child, 'exit')
  await once(child, 'message')
  await sleep(delayMs)
  child.kill('SIGKILL')
  await ended
}

const listTemporaryFiles = (dir: string): string[] =>
  existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.tmp')) : []

async function expectWhole(file: string): Promise<void> {
  const recording = await openRecording(file)
  expect((await verifyRecording(recording)).problems).toEqual([])
  await recording.close()
}

describe('safety 79: a process that is killed while it writes', () => {
  it('leaves a whole file, nothing beside it, and nothing after the next run', { tags: ['long'] }, async () => {
    let leftCount = 0
    for (let run = 0; run < pickRunCount(3, 100); run += 1) {
      const [userDir, dataDir] = [createTempDir(), path.join(createTempDir(), 'recordings')]
      const file = path.join(userDir, 'bug.birec')
      await killWhileWriting(file, dataDir, 20 + ((run * 13) % 150))
      await expectWhole(file)
      expect(readdirSync(userDir)).toEqual(['bug.birec'])
      leftCount += listTemporaryFiles(dataDir).length
      removeTemporaryFiles(dataDir)
      expect(listTemporaryFiles(dataDir)).toEqual([])
    }
    expect(leftCount).toBeGreaterThan(0)
  })

  it('and has no data directory leaves nothing beside the file after the next run', async () => {
    const dir = createTempDir()
    const file = path.join(dir, 'bug.birec')
    await killWhileWriting(file, null, 40)
    await killWhileWriting(file, null, 70)
    await expectWhole(file)
    await writeRecording(file, createRecordingSource(['{}']))
    expect(readdirSync(dir)).toEqual(['bug.birec'])
  })
})

it('what another process writes now, or is of the user, is not removed', async () => {
  const dir = createTempDir()
  mkdirSync(path.join(dir, 'other'))
  const others = [`a.birec.${process.ppid}-1.tmp`, 'own.tmp', 'a.birec.tmp']
  for (const name of others) writeFileSync(path.join(dir, name), 'text')
  const file = path.join(dir, 'b.birec')
  await writeRecording(file, createRecordingSource(['{}']))
  removeTemporaryFiles(dir)
  expect(readdirSync(dir).sort()).toEqual([...others, 'b.birec', 'other'].sort())
})
