import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { bin, root } from '../../../scripts/lib/paths.mjs'

/**
 * Runs a plugin's test file with a vitest of its own, which must pass, and returns its output. The
 * file imports the kit from its sources.
 */
export function runPluginTest(name: string, source: string): string {
  const parent = path.join(root, 'test-results')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(path.join(parent, 'plugin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(path.join(folder, name), source)
  const alias = { 'bridge-inspector/testing': path.join(root, 'testing/index.ts') }
  // It runs beside this suite, so it is given as much time: the defaults of vitest are 5 and 10 s.
  const test = { include: [name], testTimeout: 180_000, hookTimeout: 60_000 }
  writeFileSync(
    path.join(folder, 'vitest.config.mjs'),
    `export default ${JSON.stringify({ resolve: { alias }, test })}\n`,
  )
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin('vitest'), 'run', '--root', folder], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  return stdout
}
