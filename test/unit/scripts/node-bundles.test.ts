import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { build } from 'vite'
import { builtins } from '../../../scripts/build/node-builtins.ts'

/** What a program prints once it is bundled, and its bundle. */
async function bundled(source: string): Promise<{ said: unknown; code: string }> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'builtins-'))
  writeFileSync(path.join(home, 'main.js'), source)
  await build({
    configFile: false,
    root: home,
    logLevel: 'silent',
    plugins: [builtins()],
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

test('takes modules of Node as values, however they are imported', async () => {
  const { said, code } = await bundled(`
    import path, { join as put, sep } from 'node:path'
    import * as url from 'node:url'
    import { readFileSync } from 'node:fs'
    import os from 'node:os'
    const text = \`
import os from "node:os";
\`
    console.log(JSON.stringify([path.join === put, sep, url.fileURLToPath(import.meta.url) !== '', typeof readFileSync, os.EOL, text.trim()]))
  `)
  expect(said).toEqual([true, path.sep, true, 'function', os.EOL, 'import os from "node:os";'])
  expect(code.match(/^import.*$/gm)).toEqual(['import os from "node:os";'])
})

test('with HTTP it does not load the other HTTP client of Node', async () => {
  const { said } = await bundled(`
    import http from 'node:http'
    http.createServer()
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes('undici'))))
  `)
  expect(said).toEqual([])
})
