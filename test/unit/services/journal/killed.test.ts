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
const KILLS = pickRunCount(20, 200)
/** Kills that one journal goes through. */
const KILLS_EACH = 10
/** The compiled writer, for all of its starts. */
const env = { ...process.env, NODE_COMPILE_CACHE: path.join(os.tmpdir(), `journal-writer-${process.pid}`) }

/**
 * Lets a process write, kills it after this many lines of output, and returns what it had reported
 * as written.
 */
async function killed(dir: string, from: number, lines: number): Promise<{ intents: number; sents: number }> {
  const child = spawn(process.execPath, [script, dir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const said = { intents: from, sents: from }
  let rest = ''
  let seen = 0
  child.stdout.on('data', (data: Buffer) => {
    const all = (rest + data.toString()).split('\n')
    rest = all.pop() ?? ''
    for (const line of all) {
      const next = Number(line.slice(1)) + 1
      if (line.startsWith('i')) said.intents = Math.max(said.intents, next)
      else said.sents = Math.max(said.sents, next)
    }
    seen += all.length
    if (seen >= lines) child.kill('SIGKILL')
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  return said
}

test('safety 43: killed at any moment, every row reported as written is there', { tags: 'long' }, async () => {
  async function lane(kills: readonly number[]): Promise<number> {
    const dir = createTempDir()
    let from = 0
    for (const kill of kills) {
      const said = await killed(dir, from, 1 + ((kill * 37) % 61))
      const { journal, close, listNoticeCodes } = openTestJournal(dir)
      const records = journal.load()
      const ids = new Set(records.map(({ id }) => id))
      for (let n = 0; n < said.intents; n += 1) expect(ids.has(`op-${n}`)).toBe(true)
      for (const { id, events } of records) {
        expect(events[0]?.kind).toBe('intent')
        const n = Number(id.slice(3))
        if (n >= from && n < said.sents) expect(events[1]?.kind).toBe('sent')
      }
      expect(listNoticeCodes()).toEqual([])
      close()
      from = records.length
    }
    return kills.length
  }
  const all = Array.from({ length: KILLS }, (_, n) => n)
  const lanes = Array.from({ length: KILLS / KILLS_EACH }, (_, n) => all.slice(n * KILLS_EACH, (n + 1) * KILLS_EACH))
  let done = 0
  const worker = async (): Promise<void> => {
    for (let next = lanes.shift(); next; next = lanes.shift()) {
      const kills = await lane(next)
      done += kills
    }
  }
  await Promise.all([worker(), worker()])
  rmSync(env.NODE_COMPILE_CACHE, { recursive: true, force: true })
  expect(done).toBe(KILLS)
})
