import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { parseConfig } from '../../../electron/config.ts'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

interface Manifest {
  readonly files: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
}
const manifest = JSON.parse(read('package.json')) as Manifest

describe('the Dockerfile', () => {
  const instructions = read('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^(\w+) (.*)$/.exec(line)?.slice(1) ?? [])
  const list = (name: string): string[] => instructions.filter(([word]) => word === name).map(([, rest = '']) => rest)

  test('takes a base that whoever builds it pins, and nothing else from elsewhere', () => {
    expect(list('FROM')).toEqual(['${RUNTIME}'])
    // Without a default, there is no build without a pinned base.
    expect(list('ARG')).toEqual(['RUNTIME'])
    expect(read('docs/guide/hosts.md')).toContain('--build-arg RUNTIME=NAME:TAG@sha256:DIGEST')
    expect(list('ADD')).toEqual(['bridge-inspector-*.tgz /opt/'])
    expect(read('.dockerignore')).toBe('*\n!bridge-inspector-*.tgz\n')
    const names = new Set(instructions.map(([name]) => name))
    expect([...names].sort()).toEqual(['ADD', 'ARG', 'CMD', 'EXPOSE', 'FROM', 'USER', 'WORKDIR'])
  })

  test('runs a program of the package without a shell, and as a user without rights', () => {
    expect(list('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
    const [script = '', ...flags] = JSON.parse(list('CMD').join('\n')) as string[]
    expect(manifest.files).toContain(path.posix.dirname(script))
    const config = parseConfig(flags, {})
    expect(config).toMatchObject({ open: false, port: Number(list('EXPOSE')[0]), token: null })
    expect(path.isAbsolute(config.dataDir)).toBe(true)
  })

  test('holds no secret', () => {
    expect(read('Dockerfile')).not.toMatch(/token|secret|password|key\b/i)
    expect(list('ENV')).toEqual([])
  })
})

describe('the workflows', () => {
  const folder = path.join(root, '.github/workflows')
  const workflows = readdirSync(folder).map((file) => read(path.join('.github/workflows', file)))

  test('run scripts that there are', () => {
    const names = workflows.flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !(name in manifest.scripts))).toEqual([])
  })

  test('test each change on the three systems, and give its code no rights', () => {
    const text = read('.github/workflows/test.yml')
    expect(text).toContain('os: [ubuntu-latest, macos-latest, windows-latest]')
    expect(text).toMatch(/\n {2}pull_request:\n/)
    expect(text).toMatch(/\npermissions:\n {2}contents: read\n\n/)
    expect(text).not.toContain('secrets.')
  })
})
