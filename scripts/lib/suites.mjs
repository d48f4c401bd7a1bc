import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, note?: string }} Sum */

const results = path.join(root, 'test-results')

function run(program, args, env) {
  const file = path.join(root, 'node_modules', program)
  return spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
}

/** The JSON that a suite left behind, or null when it did not get that far. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function fresh(name) {
  mkdirSync(results, { recursive: true })
  const file = path.join(results, name)
  rmSync(file, { force: true })
  return file
}

/** A suite that ended badly without one failed test (a crash, a file that does not load) counts as one failure. */
const honest = (sum, status) =>
  status !== 0 && sum.failed === 0 ? { ...sum, failed: 1, note: 'it did not end well' } : sum

/** Runs vitest, one of its projects or all. */
export function runVitest(project, flags) {
  const file = fresh(`${project}.json`)
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { status } = run('vitest/vitest.mjs', [...args, '--passWithNoTests', ...flags])
  const report = read(file)
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  const sum = { name: project, passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0, skipped }
  return honest(sum, status)
}

/** Runs one project of Playwright: `browser` or `electron`. */
export function runPlaywright(project, flags) {
  const file = fresh(`e2e-${project}.json`)
  const args = ['test', '--config', 'test/e2e/playwright.config.ts', `--project=${project}`, '--pass-with-no-tests']
  const { status } = run('@playwright/test/cli.js', [...args, ...flags], { E2E_JSON: file })
  const { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = read(file)?.stats ?? {}
  return honest({ name: `e2e ${project}`, passed: expected + flaky, failed: unexpected, skipped }, status)
}

/** A line for each suite, and the last line that adds them all. */
export function summary(sums) {
  const text = ({ passed, failed, skipped }) =>
    `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const sum of sums) for (const key of Object.keys(total)) total[key] += sum[key]
  const lines = sums.map((sum) => `${sum.name.padEnd(14)} ${text(sum)}${sum.note ? `  (${sum.note})` : ''}`)
  return { failed: total.failed, text: ['', ...lines, '', text(total), ''].join('\n') }
}
