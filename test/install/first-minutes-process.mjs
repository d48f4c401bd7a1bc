import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../scripts/lib/paths.mjs'
import { record, skip } from './report.mjs'

const program = fileURLToPath(new URL('first-minutes.mjs', import.meta.url))
const report = path.join(root, 'test-results', 'first-minutes.json')

/**
 * Starts the tests of the first minutes in a separate process. The returned function waits for
 * them, and records and prints their results. Start it only after all builds, because `npm pack`
 * removes files that it must not pack.
 */
export function startFirstMinutes({ sample }) {
  rmSync(report, { force: true })
  const child = spawn(process.execPath, [program, ...(sample ? ['--sample'] : [])], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => {
    child.once('error', resolve)
    child.once('close', resolve)
  })
  return async () => {
    await ended
    const results = read()
    if (results === null) record({ name: 'the first minutes end with a report', ok: false })
    for (const entry of results ?? []) {
      if ('skipped' in entry) skip(entry.name, entry.skipped)
      else record(entry)
    }
  }
}

function read() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return null
  }
}
