/** @module-tag slow */

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pickRunCount } from '../../../support/data/run-count.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { openTestJournal } from '../../../support/services/journal.ts'

const script = fileURLToPath(new URL('./journal-writer.ts', import.meta.url))
const KILL_COUNT = pickRunCount(20, 200)
/** Number of kills that one journal goes through. */
const KILLS_PER_JOURNAL = 10
/** The writer is compiled once for all of its starts. */
const env = { ...process.env, NODE_COMPILE_CACHE: path.join(os.tmpdir(), `journal-writer-${process.pid}`) }

/**
 * Starts a writer, kills it after this many lines of output, and returns what it has reported
 * as written.
 */
async function runUntilKilled(dir: string, from: number, lines: number): Promise<{ intents: number; sents: number }> {
  const child = spawn(process.execPath, [script, dir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const reported = { intents: from, sents: from }
  let rest = ''
  let lineCount = 0
  child.stdout.on('data', (data: Buffer) => {
    const all = (rest + data.toString()).split('\n')
    rest = all.pop() ?? ''
    for (const line of all) {
      const next = Number(line.slice(1)) + 1
      if (line.startsWith('i')) reported.intents = Math.max(reported.intents, next)
      else reported.sents = Math.max(reported.sents, next)
    }
    lineCount += all.length
    if (lineCount >= lines) child.kill('SIGKILL')
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  return reported
}

test('safety 43: every row that is reported as written survives a kill at any moment', { tags: 'long' }, async () => {
  async function runLane(kills: readonly number[]): Promise<number> {
    const dir = createTempDir()
    let from = 0
    for (const kill of kills) {
      const reported = await runUntilKilled(dir, from, 1 + ((kill * 37) % 61))
      const { journal, close, listNoticeCodes } = openTestJournal(dir)
      const records = journal.load()
      const ids = new Set(records.map(({ id }) => id))
      for (let n = 0; n < reported.intents; n += 1) expect(ids.has(`op-${n}`)).toBe(true)
      for (const { id, events } of records) {
        expect(events[0]?.kind).toBe('intent')
        const n = Number(id.slice(3))
        if (n >= from && n < reported.sents) expect(events[1]?.kind).toBe('sent')
      }
      expect(listNoticeCodes()).toEqual([])
      close()
      from = records.length
    }
    return kills.length
  }
  const killNumbers = Array.from({ length: KILL_COUNT }, (_, n) => n)
  const lanes = Array.from({ length: KILL_COUNT / KILLS_PER_JOURNAL }, (_, n) =>
    killNumbers.slice(n * KILLS_PER_JOURNAL, (n + 1) * KILLS_PER_JOURNAL),
  )
  let done = 0
  const runLanes = async (): Promise<void> => {
    for (let next = lanes.shift(); next; next = lanes.shift()) {
      const kills = await runLane(next)
      done += kills
    }
  }
  await Promise.all([runLanes(), runLanes()])
  rmSync(env.NODE_COMPILE_CACHE, { recursive: true, force: true })
  expect(done).toBe(KILL_COUNT)
})
