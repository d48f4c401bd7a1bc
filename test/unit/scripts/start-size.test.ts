import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { build } from 'vite'
import { startSizePlugin } from '../../../scripts/build/start-size.ts'

/** Builds a page of two scripts, one of them loaded late, with a text that cannot be compressed. */
async function buildPage(maxBytes: number): Promise<void> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'start-size-'))
  const toScript = (): string => `console.log('${randomBytes(4_000).toString('hex')}')`
  writeFileSync(path.join(home, 'index.html'), '<script type="module" src="./main.js"></script>')
  writeFileSync(path.join(home, 'main.js'), `${toScript()}\nvoid import('./late.js')`)
  writeFileSync(path.join(home, 'late.js'), toScript())
  await build({ configFile: false, root: home, logLevel: 'silent', plugins: [startSizePlugin(maxBytes)] })
}

test('a page that loads too much before it starts is not built; what it loads late does not count', async () => {
  // 4,000 random bytes as digits take a little more than that, compressed.
  await expect(buildPage(7_000)).resolves.toBeUndefined()
  await expect(buildPage(3_900)).rejects.toThrow(/The page loads \d+ bytes of scripts/)
})
