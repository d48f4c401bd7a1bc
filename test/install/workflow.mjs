import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { createHome } from './program-test.mjs'
import { check, record } from './report.mjs'

const reports = ['tests.xml', 'findings.sarif', 'findings.xml', 'contract.sarif']

/**
 * Sets up a plugin from nothing but the guide, with the packed package in place of a published one,
 * and runs the steps of the workflow as they are written there: first with the test of the guide,
 * then with one that breaks the contract.
 */
export function testWorkflow(folder, { name, bin }, file) {
  const plugin = path.join(createHome(folder), 'plugin')
  mkdirSync(path.join(plugin, 'test'), { recursive: true })
  writeFileSync(path.join(plugin, 'package.json'), JSON.stringify({ name: 'plugin', type: 'module' }))
  const { steps, source } = readGuide()
  const testFile = path.join(plugin, 'test', 'panel.test.js')
  writeFileSync(testFile, source)
  const env = { PATH: bin, HOME: path.dirname(plugin), LANG: 'C.UTF-8' }
  const options = { cwd: plugin, encoding: 'utf8', env, timeout: 120_000 }
  const flags = ['install', '--save-dev', '--no-audit', '--no-fund', '--offline', file]
  const npm = spawnSync(path.join(bin, 'npm'), flags, options)
  check(`${name}: installs the package as the guide says`, npm)
  if (npm.status !== 0) return
  // GitHub runs a step in `bash -e`.
  const runStep = ({ run }) => spawnSync(path.join(bin, 'sh'), ['-e', '-c', run], options)
  for (const step of steps) check(`${name}: the workflow of the guide passes: ${step.name}`, runStep(step))
  record({ name: `${name}: the workflow writes its reports`, ...inspectReports(plugin) })

  for (const report of [...reports, 'bridge-data']) rmSync(path.join(plugin, report), { recursive: true, force: true })
  writeFileSync(testFile, source.replace("'/ui-state'", "'/token'"))
  const [, test, judge] = steps.map((step, index) => (index === 0 ? null : runStep(step)))
  record({
    name: `${name}: the workflow fails, and marks the line, for a plugin that breaks the contract`,
    ok:
      test.status === 1 &&
      judge.status === 11 &&
      /^::error file=test\/panel\.test\.js,line=7,.*title=outside-/m.test(judge.stdout),
    detail: [test, judge].map(({ status, stdout, stderr }) => `${status} ${stdout}${stderr}`).join('\n'),
  })
}

function readGuide() {
  const guide = readFileSync(path.join(root, 'docs/guide/testing.md'), 'utf8')
  const [, section = ''] = guide.split('\n## In GitHub Actions\n')
  const readBlock = (language) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(section)?.[1] ?? ''
  const steps = readBlock('yaml')
    .split(/^ {6}- /m)
    .flatMap((step) => {
      const run = /^ *run: (?:\|\n((?: {10}.*\n)+)|(.*))/m.exec(step)
      return run === null ? [] : [{ name: /^name: (.*)/.exec(step)?.[1] ?? run[2], run: run[1] ?? run[2] }]
    })
  return { steps, source: readBlock('js') }
}

function inspectReports(plugin) {
  const texts = reports.map((report) => readText(path.join(plugin, report)))
  const [tests, findings, junit, contract] = texts
  const ok =
    /<testcase name="the plugin keeps/.test(tests) &&
    /<testsuites[^]*failures="0"/.test(junit) &&
    [findings, contract].every((text) => text.includes('"results": []'))
  return { ok, detail: texts.map((text) => text.slice(0, 300)).join('\n') }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return String(error)
  }
}
