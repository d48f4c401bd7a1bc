import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { build } from 'vite'
import { nodeBuiltinsPlugin } from '../../../scripts/build/node-builtins.ts'

/** What a program prints once it is bundled, and its bundle. */
async function bundled(source: string): Promise<{ said: unknown; code: string }> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'builtins-'))
  writeFileSync(path.join(home, 'main.js'), source)
  await build({
    configFile: false,
    root: home,
    logLevel: 'silent',
    plugins: [nodeBuiltinsPlugin()],
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
