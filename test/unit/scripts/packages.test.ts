import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { toPublishedManifest } from '../../../scripts/lib/npm-manifest.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { toDebianChangelog, readLauncher, createSystemFiles } from '../../../scripts/lib/system-files.mjs'
import { commandNames } from '../../../electron/system/command-names.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>

test.skipIf(process.platform === 'win32')('the launcher decides by the command before Chromium starts', () => {
  const folder = createTempDir()
  const file = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
    chmodSync(path.join(folder, name), 0o755)
  }
  file('usr/bin/bridge-inspector', readLauncher())
  file('usr/lib/bridge-inspector/bridge-inspector', '#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n')
  // Whoever is asked who runs it.
  file('root/id', '#!/bin/sh\necho 0\n')
  file('user/id', '#!/bin/sh\necho 1000\n')
  symlinkSync(path.join(folder, 'usr/bin/bridge-inspector'), path.join(folder, 'linked'))
  const start = (words: readonly string[], { as = 'user', display = '', program = 'linked' } = {}) => {
    const env = { PATH: `${path.join(folder, as)}:/usr/bin:/bin`, ...(display === '' ? {} : { DISPLAY: display }) }
    const { stdout, stderr, status } = spawnSync(path.join(folder, program), words, { encoding: 'utf8', env })
    return status === 0 ? stdout.split('\n').slice(0, -1) : `${String(status)} ${stderr.split(':', 1)[0] ?? ''}`
  }
  const headless = ['--ozone-platform=headless', '--disable-gpu', '--no-sandbox', '--log-level=3']
  const commands = commandNames.filter((word) => word !== 'open')
  for (const word of [...commands, 'help', '--help', '--version', '-V']) {
    expect(start([word])).toEqual([...headless, word])
  }
  const spaced = ['--base-url', 'status', '--quiet', 'call', 'GET', '/a b', "it's"]
  expect(start(spaced, { as: 'root' })).toEqual([...headless, ...spaced])
  for (const window of [
    [],
    ['open'],
    ['--demo'],
    ['--data-dir', 'status'],
    ['open', '--panel', '/x'],
    ['bridge-inspector://open/notes/1'],
  ]) {
    expect(start(window)).toBe('1 NO_DISPLAY')
    expect(start(window, { as: 'root', display: ':0' })).toBe('1 ROOT')
    expect(start(window, { display: ':0' })).toEqual(window)
    expect(start(['--no-sandbox', ...window], { as: 'root', display: ':0' })).toEqual(['--no-sandbox', ...window])
  }
})

test('a Linux package contains the files that the system expects beside the program', () => {
  const date = new Date('2026-01-02T03:04:05Z')
  const line = '-'.repeat(80)
  const apache = 'Apache License\n   Version 2.0, January 2004\n\n   Copyright 2020 Somebody\n\nTERMS'
  const licenses = `zod 4 (MIT)\n\nTHE SOFTWARE IS\n\n${line}\n\nother 1 (Apache-2.0)\n\n${apache}\n`
  const packed = createSystemFiles({ version: '1.2.3', maintainer: 'A <a@example.org>', date, licenses })
  const files = new Map(
    packed.map(({ file, data, mode }) => [
      file,
      { text: typeof data === 'string' ? data : gunzipSync(data).toString(), mode },
    ]),
  )
  const text = (file: string): string => files.get(file)?.text ?? ''
  expect(files.get('usr/bin/bridge-inspector')?.mode).toBe(0o755)
  expect(text('usr/bin/bridge-inspector')).not.toMatch(/@[A-Z_]+@/)
  expect(text('usr/share/man/man1/bridge-inspector.1.gz')).toMatch(/^\.TH /m)
  expect(text('usr/share/bash-completion/completions/bridge-inspector')).toContain('complete ')
  expect(text('usr/share/zsh/vendor-completions/_bridge-inspector')).toMatch(/^#compdef bridge-inspector/)
  expect(text('usr/share/fish/vendor_completions.d/bridge-inspector.fish')).toContain('complete -c bridge-inspector')
  const metainfo = text('usr/share/metainfo/net.bridge_inspector.app.metainfo.xml')
  expect(metainfo).toContain('<release version="1.2.3" date="2026-01-02" />')
  expect(text('usr/share/icons/hicolor/scalable/apps/bridge-inspector.svg')).toContain('<svg')
  expect(text('usr/share/doc/bridge-inspector/copyright')).toMatch(
    /MIT License[^]*LICENSES\.chromium\.html[^]*zod 4[^]*THE SOFTWARE IS/,
  )
  expect(text('usr/share/doc/bridge-inspector/copyright')).toContain(
    'other 1 (Apache-2.0)\n\nCopyright 2020 Somebody\n/usr/share/common-licenses/Apache-2.0\n',
  )
  expect(text('usr/share/doc/bridge-inspector/copyright')).not.toContain('TERMS')
})

test('the changelog has the format of Debian', () => {
  const long = `- ${'word '.repeat(40)}`
  const changelog = toDebianChangelog(
    `# Changes\n\n## 1.1.0\n\n${long}\n\n## 1.0.0\n\n- First.\n`,
    'A <a@b.org>',
    new Date(0),
  )
  expect(changelog).toMatch(/^bridge-inspector \(1\.1\.0\) unstable; urgency=medium\n\n {2}\* word/)
  expect(changelog).toContain(
    'bridge-inspector (1.0.0) unstable; urgency=medium\n\n  * First.\n\n -- A <a@b.org>  Thu, 01 Jan 1970 00:00:00 +0000\n',
  )
  expect(Math.max(...changelog.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('the npm package contains no scripts and no development dependencies', () => {
  const published = toPublishedManifest(manifest)
  expect(Object.keys(published)).toEqual([
    ...['name', 'version', 'description', 'keywords', 'license', 'type', 'bin', 'man'],
    ...['exports', 'files', 'engines', 'peerDependencies', 'peerDependenciesMeta'],
  ])
  expect(published).toMatchObject({ keywords: expect.arrayContaining(['mcp']) as string[] })
})
