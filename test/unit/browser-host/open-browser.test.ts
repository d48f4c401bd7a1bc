import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeKeyFile } from '../../../electron/browser-host/browser-launch.ts'
import { expectNoSecret } from '../../support/data/secrets.ts'

const ADDRESS = 'http://127.0.0.1:1234/?key=abc_DEF-123'
let folder: string
let children: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-test-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe('safety 47: the redirecting file', () => {
  it('holds the address, only for its owner, under an unguessable name', () => {
    const [one, two] = [writeKeyFile(ADDRESS, folder), writeKeyFile(ADDRESS, folder)]
    expect(one.url).not.toBe(two.url)
    expect(one.url).not.toContain('abc_DEF')
    const file = fileURLToPath(one.url)
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(path.basename(path.dirname(file))).toMatch(/^bridge-inspector-\w{6}$/)
    const html = readFileSync(file, 'utf8')
    expect(html).toContain(`content="0;url=${ADDRESS}"`)
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/<script|src=|\son\w+=/)
    one.remove()
    one.remove()
    expect(readdirSync(folder)).toHaveLength(1)
    two.remove()
    expect(readdirSync(folder)).toEqual([])
  })

  it('an address cannot end its attribute', () => {
    const { url } = writeKeyFile('http://127.0.0.1/?a="><script>&b', folder)
    const html = readFileSync(fileURLToPath(url), 'utf8')
    expect(html).not.toContain('<script>')
    expect(html).toContain('&amp;b"')
  })

  it('leaves nothing behind if it cannot be written', () => {
    expect(() => writeKeyFile('no address', folder)).toThrow()
    expect(readdirSync(folder)).toEqual([])
    expect(() => writeKeyFile(ADDRESS, path.join(folder, 'missing'))).toThrow()
  })
})

/** Stands in for the program that opens addresses: it writes down what it was given. */
const STAND_IN = `
const { readFileSync, writeFileSync, renameSync } = require('node:fs')
const [out, ...argv] = process.argv.slice(2)
const html = readFileSync(require('node:url').fileURLToPath(argv[0]), 'utf8')
writeFileSync(out + '.part', JSON.stringify({ argv, env: process.env, html }))
renameSync(out + '.part', out)
`

interface Given {
  readonly argv: string[]
  readonly env: Record<string, string>
  readonly html: string
}

/** The program with a browser to open; resolves once the stand-in was called. */
async function serve(
  more: Record<string, string> = { BRIDGE_TOKEN: '' },
): Promise<{ child: ChildProcess; url: string; given: Given; file: string }> {
  const out = path.join(folder, 'given.json')
  const script = path.join(folder, 'stand-in.cjs')
  writeFileSync(script, STAND_IN)
  writeFileSync(path.join(folder, 'xdg-open'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "${out}" "$@"\n`, {
    mode: 0o755,
  })
  const args = ['electron/serve.ts', '--port', '0', '--data-dir', path.join(folder, 'data')]
  const PATH = `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH, DISPLAY: ':0', TMPDIR: folder, ...more }
  const child = spawn(process.execPath, args, { env })
  children.push(child)
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  await expect.poll(() => existsSync(out)).toBe(true)
  const given = JSON.parse(readFileSync(out, 'utf8')) as Given
  const url = /^Bridge Inspector: (http:\S+)$/m.exec(text)?.[1] ?? ''
  return { child, url, given, file: fileURLToPath(given.argv[0] ?? '') }
}

describe.runIf(process.platform === 'linux')('safety 47: the browser the program opens', () => {
  it('is given a file and no key, neither in its arguments nor in its environment', async () => {
    const { url, given, file, child } = await serve()
    const key = new URL(url).searchParams.get('key') ?? ''
    expect(key).toMatch(/^[\w-]{32}$/)
    expect(given.argv).toHaveLength(1)
    expect(JSON.stringify([given.argv, given.env])).not.toContain(key)
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'latin1')).not.toContain(key)
    expect(given.html).toContain(url)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // Once used it is gone; the printed address is the same, so it works once in either way.
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
    await expect.poll(() => existsSync(path.dirname(file)), { timeout: 20_000 }).toBe(false)
  })

  it('inherits what it needs and nothing else, least of all tokens', async () => {
    const token = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'
    const { given } = await serve({
      ...{
        BRIDGE_TOKEN: token,
        MN_BRIDGE_TOKEN: `${token}x`,
        AWS_SECRET_ACCESS_KEY: 'aws',
        NODE_OPTIONS: '--no-warnings',
      },
      ...{ LC_ALL: 'C.UTF-8', XDG_RUNTIME_DIR: folder, HTTPS_PROXY: 'http://user:pass@127.0.0.1:1' },
    })
    expectNoSecret(JSON.stringify(given), token)
    // The stand-in's shell adds the last three.
    const needed = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|DISPLAY|LC_\w+|XDG_\w+|PWD|SHLVL|_)$/
    expect(Object.keys(given.env).filter((name) => !needed.test(name))).toEqual([])
    expect(given.env).toMatchObject({ DISPLAY: ':0', TMPDIR: folder, LC_ALL: 'C.UTF-8', XDG_RUNTIME_DIR: folder })
  })

  it('a file that was never opened is removed when the program ends', async () => {
    const { file, child } = await serve()
    expect(existsSync(file)).toBe(true)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(path.dirname(file))).toBe(false)
  })
})
