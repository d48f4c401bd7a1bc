import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { build } from 'vite'
import { root } from '../../../scripts/lib/paths.mjs'
import { licensesSchema } from '../../../shared/licenses.ts'
import { readPackageLicense, licensesPlugin, findPackageFolder } from '../../../scripts/build/licenses.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'licenses-'))
})

function file(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
  writeFileSync(path.join(home, name), text)
}
function installed(name: string, more: object = {}, files: Record<string, string> = {}): string {
  const folder = `node_modules/${name}`
  const manifest = { name, version: '1.0.0', license: 'MIT', main: 'index.js', type: 'module', ...more }
  file(`${folder}/package.json`, JSON.stringify(manifest))
  for (const [entry, text] of Object.entries({ 'index.js': `export default '${name}'`, ...files })) {
    file(`${folder}/${entry}`, text)
  }
  return path.join(home, folder)
}

describe('bundled packages', () => {
  test('are listed with their terms: modules, workers and files of packages, without excluded ones', async () => {
    installed('used', {}, { LICENSE: 'Used by permission.', 'NOTICE.md': 'Made by hand.' })
    installed('@scope/in-worker', { license: 'ISC' }, { 'license.txt': 'ISC text' })
    installed('as-file', {}, { COPYING: 'Copy it.', 'picture.bin': 'bytes' })
    installed('not-imported')
    installed('shaken-off', { sideEffects: false })
    file('worker.js', `import text from '@scope/in-worker'; postMessage(text)`)
    file(
      'main.js',
      `import used from 'used'
       import unused from 'shaken-off'
       import picture from 'as-file/picture.bin?url'
       new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
       console.log(used, picture)`,
    )
    file('index.html', '<script type="module" src="/main.js"></script>')
    await build({
      root: home,
      configFile: false,
      logLevel: 'silent',
      plugins: [licensesPlugin({ emit: true })],
      worker: { format: 'es', plugins: () => [licensesPlugin()] },
      build: { assetsInlineLimit: 0 },
    })
    const listed = licensesSchema.parse(JSON.parse(readFileSync(path.join(home, 'dist/licenses.json'), 'utf8')))
    expect(listed).toEqual([
      { name: '@scope/in-worker', version: '1.0.0', identifier: 'ISC', text: 'ISC text' },
      { name: 'as-file', version: '1.0.0', identifier: 'MIT', text: 'Copy it.' },
      { name: 'used', version: '1.0.0', identifier: 'MIT', text: 'Used by permission.\n\nMade by hand.' },
    ])
    const text = readFileSync(path.join(home, 'dist/third-party-licenses.txt'), 'utf8')
    for (const part of ['@scope/in-worker 1.0.0 (ISC)', 'ISC text', 'Made by hand.']) expect(text).toContain(part)
  })

  test('fail the build if their terms are unknown', () => {
    const bare = installed('bare', { author: { name: 'Ada' } })
    expect(readPackageLicense(bare).text).toMatch(/^MIT License\n\nCopyright \(c\) Ada\n\nPermission is hereby granted/)
    expect(() => readPackageLicense(installed('other', { license: 'Apache-2.0' }))).toThrow('find out on what terms')
    expect(() => readPackageLicense(installed('silent', { license: undefined }))).toThrow()
  })

  test.each([
    ['/a/node_modules/vue/dist/vue.js', '/a/node_modules/vue'],
    ['/a/node_modules/@vue/shared/x.js', '/a/node_modules/@vue/shared'],
    ['/a/node_modules/x/node_modules/@y/z/i.js', '/a/node_modules/x/node_modules/@y/z'],
    ['C:\\a\\node_modules\\vue\\x.js', 'C:\\a\\node_modules\\vue'],
    ['/a/renderer/main.ts', null],
    ['/a/node_modules/.vite/deps/x.js', null],
  ])('identify %s as part of %s', (module, folder) => {
    expect(findPackageFolder(module)).toBe(folder)
  })
})

test('every installer contains the terms', () => {
  const builder = createRequire(import.meta.url)('../../../scripts/build/electron-builder.config.cjs') as {
    extraFiles: { from: string; to: string }[]
  }
  expect(builder.extraFiles.map(({ from }) => from)).toEqual(['LICENSE', 'out/renderer/third-party-licenses.txt'])
  expect(existsSync(path.join(root, 'LICENSE'))).toBe(true)
})
