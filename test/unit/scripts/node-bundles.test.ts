import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { build } from 'vite'
import { nodeBuiltinsPlugin } from '../../../scripts/build/node-builtins.ts'
import { ownGlobalsPlugin } from '../../../scripts/build/own-globals.ts'

/** What a program prints once it is bundled, and its bundle. */
async function bundled(source: string): Promise<{ said: unknown; code: string }> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'builtins-'))
  writeFileSync(path.join(home, 'main.js'), source)
  await build({
    configFile: false,
    root: home,
    logLevel: 'silent',
    plugins: [nodeBuiltinsPlugin(), ownGlobalsPlugin()],
    build: {
      ssr: true,
      rolldownOptions: { input: path.join(home, 'main.js'), output: { format: 'es', entryFileNames: 'main.mjs' } },
    },
  })
  const file = path.join(home, 'dist/main.mjs')
  return {
    said: JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })),
    code: readFileSync(file, 'utf8'),
  }
}

test('a bundle gets node:http as a value, however it is imported', async () => {
  const { said, code } = await bundled(`
    import http, { createServer as create, STATUS_CODES } from 'node:http'
    import * as all from 'node:http'
    console.log(JSON.stringify([http.createServer === create, all.request === http.request, STATUS_CODES[404]]))
  `)
  expect(said).toEqual([true, true, 'Not Found'])
  expect(code).not.toMatch(/^import/m)
})

test('a bundle with node:http does not load the other HTTP client of Node', async () => {
  const { said } = await bundled(`
    import http from 'node:http'
    http.createServer()
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes('undici'))))
  `)
  expect(said).toEqual([])
})

test('a bundle with other modules of Node does not load what it does not use of them', async () => {
  const { said, code } = await bundled(`
    import fs, { readFileSync } from 'node:fs'
    import { createHash } from 'crypto'
    const lazyModules = ['internal/crypto/webcrypto', 'internal/fs/streams']
    const loaded = process.moduleLoadList.filter((name) => lazyModules.some((lazy) => name.endsWith(lazy)))
    console.log(JSON.stringify([fs.readFileSync === readFileSync, createHash('md5').digest('hex').length, loaded]))
  `)
  expect(said).toEqual([true, 32, []])
  expect(code).not.toMatch(/^import/m)
  // Reading some members warns, in some versions of Node.
  expect(code).not.toMatch(/writeFileSync|constants/)
})

test('a bundle keeps the timers and dates that were there when it was loaded', async () => {
  const { said } = await bundled(`
    import { syncBuiltinESMExports } from 'node:module'
    import { setImmediate as nextTurn } from 'node:timers/promises'
    const replacedDate = globalThis.Date
    const fakes = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'Date']
    for (const name of fakes) globalThis[name] = () => { throw new Error('The fake ' + name + ' was used.') }
    globalThis.clearInterval = () => undefined
    process.getBuiltinModule('node:timers/promises').setImmediate = () => Promise.reject(new Error('A fake was used.'))
    syncBuiltinESMExports()
    await new Promise((resolve) => setTimeout(resolve, 1))
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => queueMicrotask(resolve))
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        clearInterval(timer)
        resolve()
      }, 1)
    })
    await nextTurn()
    const local = ((Date) => Date)('a parameter')
    console.log(JSON.stringify([new Date() instanceof replacedDate, performance.now() > 0, local]))
  `)
  expect(said).toEqual([true, true, 'a parameter'])
})

test('a bundle has the classes of fetch where a test replaced the globals that these call', async () => {
  const { said } = await bundled(`
    void [Headers.prototype, Request.prototype, Response.prototype]
    const read = async (stream) => {
      let text = ''
      for await (const piece of stream) text += Buffer.from(piece)
      return text
    }
    const broken = new Proxy(function () {}, {
      apply: () => { throw new Error('A global of the test was called.') },
      construct: () => { throw new Error('A global of the test was called.') },
      get: () => { throw new Error('A global of the test was read.') },
    })
    const names = ['AbortController', 'URL', 'Math', 'Uint8Array', 'ReadableStream', 'queueMicrotask', 'TextEncoder']
    const replace = (value) => names.forEach((name) => Object.defineProperty(globalThis, name, { value, configurable: true }))
    const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)])
    const texts = []
    for (const value of [undefined, broken]) {
      replace(value)
      const headers = new Headers([['a', 'b']])
      const request = new Request('http://127.0.0.1/x', { method: 'POST', headers, body: 'asked' })
      const response = new Response(Buffer.from('said'), { status: 201 })
      texts.push(request.method, request.headers.get('a'), await read(request.body), response.status)
      texts.push(await read(response.body), Response.error().type, globalThis.URL === value)
    }
    for (const [name, descriptor] of own) Object.defineProperty(globalThis, name, descriptor)
    console.log(JSON.stringify(texts))
  `)
  const texts = ['POST', 'b', 'asked', 201, 'said', 'error', true]
  expect(said).toEqual([...texts, ...texts])
})
