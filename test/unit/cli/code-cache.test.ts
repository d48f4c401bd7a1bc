import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { prepareCodeCache } from '../../../cli/base/code-cache.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startProgram } from '../../support/program/command-line.ts'

const isLinux = process.platform === 'linux'

test.runIf(isLinux)('compiled code is kept in a folder of the user alone', () => {
  const base = path.join(createTempDir(), 'cache')
  const folder = prepareCodeCache({ XDG_CACHE_HOME: base })
  expect(folder).toBe(path.join(base, 'bridge-inspector', 'code'))
  expect(statSync(folder ?? '').mode & 0o777).toBe(0o700)
  expect(prepareCodeCache({ XDG_CACHE_HOME: base })).toBe(folder)
})

test.runIf(isLinux)('no code is taken from a folder that others can change, or exchange', () => {
  for (const writable of ['cache', 'cache/bridge-inspector', 'cache/bridge-inspector/code']) {
    const home = createTempDir()
    expect(prepareCodeCache({ XDG_CACHE_HOME: path.join(home, 'cache') })).not.toBeNull()
    chmodSync(path.join(home, writable), 0o770)
    expect(prepareCodeCache({ XDG_CACHE_HOME: path.join(home, 'cache') }), writable).toBeNull()
  }
  const linked = createTempDir()
  mkdirSync(path.join(linked, 'elsewhere'), { mode: 0o700 })
  mkdirSync(path.join(linked, 'bridge-inspector'), { mode: 0o700 })
  symlinkSync(path.join(linked, 'elsewhere'), path.join(linked, 'bridge-inspector/code'))
  expect(prepareCodeCache({ XDG_CACHE_HOME: linked })).toBeNull()
  expect(readdirSync(path.join(linked, 'elsewhere'))).toEqual([])
})

test('a place that holds no folders is left out', () => {
  expect(prepareCodeCache({ XDG_CACHE_HOME: '/dev/null', LOCALAPPDATA: '/dev/null' })).toBeNull()
})

test.runIf(isLinux && 'enableCompileCache' in module)('the program keeps the code that it compiled', async () => {
  const base = createTempDir()
  // The tests have a folder for compiled code in their environment, which would come first.
  const shell = 'unset NODE_COMPILE_CACHE; exec "$@"'
  const child = startProgram(['--help'], { env: { XDG_CACHE_HOME: base }, shell })
  expect(await once(child, 'exit')).toEqual([0, null])
  const [folder = ''] = readdirSync(path.join(base, 'bridge-inspector/code'))
  expect(readdirSync(path.join(base, 'bridge-inspector/code', folder)).length).toBeGreaterThan(10)
})
