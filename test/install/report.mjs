import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'

const results = []

/** Records and prints one result. */
export function record({ name, ok, detail = '' }) {
  results.push({ name, ok, detail })
  process.stdout.write(`${ok ? '  ✓' : '  ✘'} ${name}${ok || !detail ? '' : `: ${detail}`}\n`)
}

/** Records whether a program exited successfully. */
export function check(name, { status, stderr, error }) {
  record({ name, ok: status === 0, detail: status === 0 ? '' : `${stderr ?? ''}${error ?? ''}`.slice(-2000) })
}

/** Records a test that was skipped, and why. */
export function skip(name, why) {
  results.push({ name, skipped: why })
  process.stdout.write(`  - ${name}: skipped, ${why}\n`)
}

/** Writes the report to `test-results/<file>`, prints the sum and sets the exit code. */
export function finish(file) {
  const passed = results.filter(({ ok }) => ok === true).length
  const failed = results.filter(({ ok }) => ok === false).length
  const skipped = results.length - passed - failed
  mkdirSync(path.join(root, 'test-results'), { recursive: true })
  writeFileSync(path.join(root, 'test-results', file), JSON.stringify(results, null, 2))
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  process.exitCode = failed > 0 ? 1 : 0
}
