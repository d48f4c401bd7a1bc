import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { build } from 'vite'
import { startSizePlugin } from '../../../scripts/build/start-size.ts'

/**
 * Builds a page of two scripts with a text that cannot be compressed, one of them loaded late, with
 * styles. Returns the folder with its files.
 */
async function buildPage(home: string, maxBytes: number): Promise<string> {
  const toScript = (): string => `console.log('${randomBytes(4_000).toString('hex')}')`
  writeFileSync(path.join(home, 'index.html'), '<script type="module" src="./main.js"></script>')
  writeFileSync(path.join(home, 'main.js'), `${toScript()}\nvoid import('./late.js')`)
  writeFileSync(path.join(home, 'late.js'), `import './late.css'\n${toScript()}`)
  writeFileSync(path.join(home, 'late.css'), 'a { color: red }')
  await build({ configFile: false, root: home, logLevel: 'silent', plugins: [startSizePlugin(maxBytes)] })
  return path.join(home, 'dist/assets')
}

function createHome(): string {
  return mkdtempSync(path.join(os.tmpdir(), 'start-size-'))
}

test('a page that loads too much before it starts is not built; what it loads late does not count', async () => {
  // 4,000 random bytes as digits take a little more than that, compressed.
  await expect(buildPage(createHome(), 7_000)).resolves.toMatch(/assets$/)
  await expect(buildPage(createHome(), 3_900)).rejects.toThrow(/The page loads \d+ bytes of scripts/)
})

test('the files as they ship are counted, with the list of what the entry loads late', async () => {
  const home = createHome()
  const failure: unknown = await buildPage(home, 1).catch((error: unknown) => error)
  const folder = path.join(home, 'dist/assets')
  const entry = readdirSync(folder).find((file) => /^index-.*\.js$/.test(file)) ?? ''
  const shipped = readFileSync(path.join(folder, entry))
  expect(shipped.toString()).toContain('__vite__mapDeps')
  expect(String(failure)).toContain(`The page loads ${gzipSync(shipped).byteLength} bytes`)
})
