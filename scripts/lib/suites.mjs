import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from './paths.mjs'

/**
 * `failures` lists file and title of each test that failed.
 * @typedef {{ name: string, passed: number, failed: number, skipped: number, note?: string,
 *   failures?: string[] }} SuiteSummary
 */

const MAX_REASON_CHARS = 500
const resultsFolder = path.join(root, 'test-results')

/**
 * Runs a program of the project's dependencies to its end, and returns its exit code. With
 * `isQuiet`, its output is printed once it has ended, because another suite prints meanwhile.
 */
async function run(program, args, env, { isQuiet = false } = {}) {
  const file = path.join(root, 'node_modules', program)
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...env },
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => output.push(piece))
  const [status] = await once(child, 'close')
  for (const piece of output) process.stdout.write(piece)
  return status
}

/** Reads the JSON report of a suite; returns null if the suite ended before writing it. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function createResultFile(name) {
  mkdirSync(resultsFolder, { recursive: true })
  const file = path.join(resultsFolder, name)
  rmSync(file, { force: true })
  return file
}

/**
 * Counts a suite that exited with an error but without a failed test (a crash, a file that does not
 * load) as one failure.
 */
const countCrash = (sum, status) =>
  status !== 0 && sum.failed === 0 ? { ...sum, failed: 1, note: 'the suite exited with an error' } : sum

/**
 * The first lines of an error, in the line of its test: what a log shows that is cut to its end.
 */
function formatReason(message) {
  const lines = stripVTControlCharacters(message ?? '').split('\n')
  const stack = lines.findIndex((line) => /^\s+at /.test(line))
  const text = lines.slice(0, stack < 0 ? undefined : stack).join(' ')
  return text.trim() === '' ? '' : ` (${text.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON_CHARS)})`
}

/**
 * Checks the types while other suites run, and counts as one test. The compiler's output is printed
 * as it arrives.
 */
export function checkTypes() {
  const file = path.join(root, 'node_modules', 'vue-tsc', 'bin', 'vue-tsc.js')
  const child = spawn(process.execPath, [file, '-b'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      const failed = code === 0 ? 0 : 1
      resolve({ name: 'types', passed: 1 - failed, failed, skipped: 0 })
    })
  })
}

/**
 * Runs vitest's suites, of two projects each, in one run, so that no worker idles while another
 * suite finishes. Returns a summary for each.
 *
 * @param env is passed to the runner.
 * @param options with `isQuiet`, the output is printed at the end.
 */
export async function runVitest(suites, flags, env = {}, options = {}) {
  const file = createResultFile('vitest.json')
  const projects = suites.flatMap((name) => ['--project', `${name}*`])
  const args = ['run', ...projects, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const status = await run('vitest/vitest.mjs', [...args, '--passWithNoTests', ...flags], env, options)
  const sums = summarizeVitest(readReport(file), suites)
  const failed = sums.some((sum) => sum.failed > 0)
  return sums.map((sum, index) => (failed || index > 0 ? sum : countCrash(sum, status)))
}

/**
 * Summarizes vitest's JSON report for each of these suites. Component tests are recognised by their
 * folder; a file that does not load is a failure.
 */
export function summarizeVitest(report, suites) {
  const component = path.join('test', 'component') + path.sep
  return suites.map((suite) => {
    const files = (report?.testResults ?? []).filter(
      ({ name }) => path.relative(root, name).startsWith(component) === (suite === 'component'),
    )
    const tests = files.flatMap(({ assertionResults }) => assertionResults)
    const ended = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length
    const unloaded = files.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    )
    const failures = files.flatMap(({ name, assertionResults }) => {
      const titles = assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => fullName + formatReason(failureMessages?.[0]))
      if (unloaded.some((file) => file.name === name)) titles.push('does not load')
      return titles.map((title) => `${path.relative(root, name)}: ${title}`)
    })
    return {
      name: suite,
      passed: ended('passed'),
      failed: failures.length,
      skipped: ended('pending', 'skipped', 'todo'),
      ...(failures.length > 0 ? { failures } : {}),
    }
  })
}

/**
 * Runs the Playwright projects `browser`, `electron` or both in one run, so that no worker idles
 * while the other project finishes. Returns a summary for each.
 *
 * @param env is passed to the runner.
 */
export async function runPlaywright(projects, flags, env = {}) {
  const file = createResultFile('e2e.json')
  const projectFlags = projects.map((name) => `--project=${name}`)
  const args = ['test', '--config', 'test/e2e/playwright.config.ts', ...projectFlags, '--pass-with-no-tests']
  const status = await run('@playwright/test/cli.js', [...args, ...flags], { ...env, E2E_JSON: file })
  const sums = summarizePlaywright(readReport(file), projects)
  const failed = sums.some((sum) => sum.failed > 0)
  return sums.map((sum, index) => (failed || index > 0 ? sum : countCrash(sum, status)))
}

/** Summarizes Playwright's JSON report for each of these projects. */
export function summarizePlaywright(report, projects) {
  const tests = []
  const walk = (suite) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) tests.push({ ...test, title: `${spec.file}: ${spec.title}` })
    }
    for (const inner of suite.suites ?? []) walk(inner)
  }
  for (const suite of report?.suites ?? []) walk(suite)
  return projects.map((project) => {
    const ended = (status) =>
      tests
        .filter((test) => test.projectName === project && test.status === status)
        .map(({ title, results }) =>
          status === 'expected' ? title : title + formatReason(results?.find(({ error }) => error)?.error.message),
        )
    // A flag of Playwright may ask for a second attempt, but what failed once has failed.
    const failures = [...ended('unexpected'), ...ended('flaky')]
    return {
      name: `e2e ${project}`,
      passed: ended('expected').length,
      failed: failures.length,
      skipped: ended('skipped').length,
      ...(failures.length > 0 ? { failures } : {}),
    }
  })
}

/** Runs a sample of the mutation run; each changed response counts as a test. */
export function runMutationSample() {
  const file = createResultFile('mutation.json')
  const { status } = spawnSync(process.execPath, ['test/mutation/main.ts', '--sample'], { cwd: root, stdio: 'inherit' })
  const { passed = 0, failed = 0, seed } = readReport(file) ?? {}
  const note = seed === undefined ? {} : { note: `seed ${seed}` }
  return countCrash({ name: 'mutation', passed, failed, skipped: 0, ...note }, status)
}

/**
 * Formats one line per suite, the tests that failed, and a last line with the totals.
 */
export function formatSummary(sums) {
  const text = ({ passed, failed, skipped }) =>
    `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const sum of sums) for (const key of Object.keys(total)) total[key] += sum[key]
  const lines = sums.map((sum) => `${sum.name.padEnd(14)} ${text(sum)}${sum.note ? `  (${sum.note})` : ''}`)
  const failures = [
    ...sums.flatMap((sum) => (sum.failures ?? []).map((title) => `  ${sum.name}  ${title}`)),
    ...sums
      .filter((sum) => sum.failed > 0 && !sum.failures)
      .map(({ name, note }) => `  ${name}  ${note ?? 'see its output'}`),
  ]
  const failureLines = failures.length > 0 ? ['', 'failed:', ...failures] : []
  return {
    failed: total.failed,
    text: ['', ...lines, ...failureLines, '', text(total), ''].join('\n'),
  }
}
