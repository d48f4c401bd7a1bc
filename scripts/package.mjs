// npm run package: builds installers of this platform in `dist/`.
// `-- --dir` stops at the unpacked app.
// `-- --only tar.gz,deb` builds only these kinds.
// `-- --arch arm64` builds for the other processor.
// `-- --quick` compresses less.
// ELECTRON_DIST names a folder with an unpacked Electron.
import './lib/ensure-node.mjs'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { makeDeb, makeTarball } from './lib/linux-packages.mjs'
import { root } from './lib/paths.mjs'
import { makeRpm } from './lib/rpm-package.mjs'
import { writeUpdateFeed } from './lib/update-feed.mjs'

const kinds =
  { linux: ['tar.gz', 'deb', 'AppImage', 'rpm'], darwin: ['dmg', 'zip'], win32: ['nsis'] }[process.platform] ?? []
const { values } = parseArgs({
  options: { dir: { type: 'boolean' }, quick: { type: 'boolean' }, only: { type: 'string' }, arch: { type: 'string' } },
})
const arch = values.arch ?? process.arch
const requestedKinds = values.dir ? [] : (values.only?.split(',') ?? kinds)
const unknown = requestedKinds.filter((kind) => !kinds.includes(kind))
if (unknown.length > 0) fail(`--only takes ${kinds.join(', ')} on this system, not "${unknown.join(', ')}".`)
if (arch !== 'x64' && arch !== 'arm64') fail(`--arch takes x64 or arm64, not "${arch}".`)
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

rmSync(path.join(root, 'dist'), { recursive: true, force: true })
run('npm', ['run', '--silent', 'build:desktop'])
const platform = { linux: '--linux', darwin: '--mac', win32: '--win' }[process.platform]
const quick = values.quick ? ['-c.compression=store'] : []
if (process.platform === 'linux') {
  builder([platform, 'dir'])
  if (requestedKinds.includes('tar.gz')) printArtifact(makeTarball(arch, version))
  if (requestedKinds.includes('deb') || requestedKinds.includes('rpm')) {
    const deb = await makeDeb(arch, version, { quick: values.quick })
    if (requestedKinds.includes('rpm')) printArtifact(makeRpm(arch, version, deb, { quick: values.quick }))
    if (requestedKinds.includes('deb')) printArtifact(deb)
    else rmSync(deb)
  }
  // The AppImage needs a runtime that electron-builder downloads.
  if (requestedKinds.includes('AppImage')) builder([platform, 'AppImage'])
} else {
  builder(values.dir ? [platform, 'dir'] : [platform, ...requestedKinds])
}
if (requestedKinds.length > 0) {
  const feed = writeUpdateFeed({ folder: path.join(root, 'dist'), version, platform: process.platform, arch })
  if (feed !== null) printArtifact(feed)
}

function builder(args) {
  const file = path.join(root, 'node_modules', 'electron-builder', 'cli.js')
  run(process.execPath, [
    file,
    '--config',
    'scripts/build/electron-builder.config.cjs',
    '--publish',
    'never',
    `--${arch}`,
    ...args,
    ...quick,
  ])
}

function run(program, args) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: program === 'npm' && process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

function printArtifact(file) {
  process.stdout.write(`  • ${path.relative(root, file)}\n`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
