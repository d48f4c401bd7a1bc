import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getOpenCommand, writeKeyFile } from '../../../electron/browser-host/browser-launch.ts'
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

describe('safety 47: redirecting file', () => {
  it('holds the address, only for its owner, under an unguessable name', () => {
    const [first, second] = [writeKeyFile(ADDRESS, folder), writeKeyFile(ADDRESS, folder)]
    expect(first.url).not.toBe(second.url)
    expect(first.url).not.toContain('abc_DEF')
    const file = fileURLToPath(first.url)
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(path.basename(path.dirname(file))).toMatch(/^bridge-inspector-\w{6}$/)
    const html = readFileSync(file, 'utf8')
    expect(html).toContain(`content="0;url=${ADDRESS}"`)
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/<script|src=|\son\w+=/)
    first.remove()
    first.remove()
    expect(readdirSync(folder)).toHaveLength(1)
    second.remove()
    expect(readdirSync(folder)).toEqual([])
  })

  it('escapes the address in its attribute', () => {
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

it('opens the file with the program of each system, and without a shell', () => {
  const url = 'file:///C:/Users/A%20%26%20B/bridge-inspector-x/open.html'
  expect(getOpenCommand(url, 'linux')).toEqual(['xdg-open', url])
  expect(getOpenCommand(url, 'darwin')).toEqual(['open', url])
  expect(getOpenCommand(url, 'win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url])
})

/** Replaces the program that opens addresses, and writes its arguments to a file. */
const STAND_IN_SCRIPT = `
const { readFileSync, writeFileSync, renameSync } = require('node:fs')
const [out, ...argv] = process.argv.slice(2)
const html = readFileSync(require('node:url').fileURLToPath(argv[0]), 'utf8')
writeFileSync(out + '.part', JSON.stringify({ argv, env: process.env, html }))
renameSync(out + '.part', out)
`

interface StandInCall {
  readonly argv: string[]
  readonly env: Record<string, string>
  readonly html: string
}

/**
 * Starts the program with a browser to open, and resolves once the browser stand-in was
 * called.
 */
async function serveAndOpen(
  more: Record<string, string> = { BRIDGE_TOKEN: '' },
): Promise<{ child: ChildProcess; url: string; standInCall: StandInCall; file: string }> {
  const out = path.join(folder, 'standInCall.json')
  const script = path.join(folder, 'stand-in.cjs')
  writeFileSync(script, STAND_IN_SCRIPT)
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
  await expect.poll(() => text).toMatch(/^Bridge Inspector: http\S+\n/m)
  const standInCall = JSON.parse(readFileSync(out, 'utf8')) as StandInCall
  const url = /^Bridge Inspector: (http:\S+)$/m.exec(text)?.[1] ?? ''
  return { child, url, standInCall, file: fileURLToPath(standInCall.argv[0] ?? '') }
}

describe.runIf(process.platform === 'linux')('safety 47: browser that the program opens', () => {
  it('gets a file and no key, neither in its arguments nor in its environment', async () => {
    const { url, standInCall, file, child } = await serveAndOpen()
    const key = new URL(url).searchParams.get('key') ?? ''
    expect(key).toMatch(/^[\w-]{32}$/)
    expect(standInCall.argv).toHaveLength(1)
    expect(JSON.stringify([standInCall.argv, standInCall.env])).not.toContain(key)
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'latin1')).not.toContain(key)
    expect(standInCall.html).toContain(url)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // The file is removed once it is used. The printed address has the same key, which works
    // only once.
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
    await expect.poll(() => existsSync(path.dirname(file)), { timeout: 20_000 }).toBe(false)
  })

  it('inherits the variables it needs, and no tokens', async () => {
    const token = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'
    const { standInCall } = await serveAndOpen({
      ...{
        BRIDGE_TOKEN: token,
        MN_BRIDGE_TOKEN: `${token}x`,
        AWS_SECRET_ACCESS_KEY: 'aws',
        NODE_OPTIONS: '--no-warnings',
      },
      ...{ LC_ALL: 'C.UTF-8', XDG_RUNTIME_DIR: folder, HTTPS_PROXY: 'http://user:pass@127.0.0.1:1' },
    })
    expectNoSecret(JSON.stringify(standInCall), token)
    // The shell of the stand-in adds PWD, SHLVL and _.
    const needed = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|DISPLAY|LC_\w+|XDG_\w+|PWD|SHLVL|_)$/
    expect(Object.keys(standInCall.env).filter((name) => !needed.test(name))).toEqual([])
    expect(standInCall.env).toMatchObject({ DISPLAY: ':0', TMPDIR: folder, LC_ALL: 'C.UTF-8', XDG_RUNTIME_DIR: folder })
  })

  it('leaves no file behind when the program ends before the file was opened', async () => {
    const { file, child } = await serveAndOpen()
    expect(existsSync(file)).toBe(true)
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(existsSync(path.dirname(file))).toBe(false)
  })
})
