// npm run test:installed: packs the app, looks into the packages, installs them and uses the
// installed program as an ordinary user. For a Debian or Ubuntu with apt, as root (a build server,
// a container): it installs Debian packages and adds a user for the time of the run. `--sample`,
// which the gate runs: one package for the desktop, the deb, and the one for npm on the oldest Node
// and the newest.
import '../../scripts/lib/ensure-node.mjs'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { extractFile } from '@electron/asar'
import { findElectron } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { listMissingPackages, packagingTools } from '../../scripts/lib/test-packages.mjs'
import { startFirstMinutes } from './first-minutes-process.mjs'
import { hashArchive, inspectPackage } from './contents.mjs'
import { packNextVersion } from './next-version.mjs'
import { check, finish, record, skip } from './report.mjs'
import { inspectRpm } from './rpm.mjs'

const USER = 'bridge-inspector-test'
const HOME = `/home/${USER}`
/** A realistic path: it contains spaces and Chinese characters. */
const FOLDER = '/opt/Bridge Inspector 测试'
const sample = process.argv.includes('--sample')

let firstMinutes = null
const missingPrograms = findMissingRequirement()
if (missingPrograms) {
  skip('the packages for the desktop', missingPrograms)
} else {
  try {
    await runTests()
  } finally {
    run('apt-get', ['purge', '-y', '-qq', 'bridge-inspector'])
    run('userdel', ['--remove', USER])
    rmSync(FOLDER, { recursive: true, force: true })
  }
}
firstMinutes ??= startFirstMinutes({ sample })
await firstMinutes()
finish('installed.json')

/** Returns the reason why the tests cannot run on this machine. */
function findMissingRequirement() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'they are tried on Linux x64'
  if (process.getuid() !== 0 || run('apt-get', ['--version']).status !== 0) return 'that takes apt, as root'
  if (!findElectron()) return 'there is no Electron binary'
  return null
}

async function runTests() {
  const absent = listMissingPackages(packagingTools)
  if (absent.length > 0) {
    run('apt-get', ['update', '-qq'])
    const { status } = runApt(['install', ...absent])
    if (status !== 0) {
      skip('the packages for the desktop', `apt could not install ${absent.join(', ')}`)
      return
    }
  }
  const electron = path.dirname(findElectron())
  const env = { ...process.env, ...(existsSync(path.join(electron, 'version')) ? { ELECTRON_DIST: electron } : {}) }
  const pack = (...args) => run(process.execPath, ['scripts/package.mjs', '--quick', ...args], { cwd: root, env })
  const folder = path.join(root, 'dist', 'linux-unpacked')
  const first = pack(...(sample ? ['--only', 'deb'] : ['--dir']))
  check('pack', first)
  if (first.status !== 0) return
  if (!sample) {
    const hash = hashArchive(folder)
    check('pack once more, with a tar.gz, a deb and an rpm', pack('--only', 'tar.gz,deb,rpm'))
    record({ name: 'packs the same bytes again', ok: hashArchive(folder) === hash })
  }
  // The following tests and the first minutes mostly wait, so they run at the same time.
  firstMinutes = startFirstMinutes({ sample })
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const deb = path.join(root, 'dist', `bridge-inspector_${version}_amd64.deb`)
  for (const result of await inspectPackage(folder, deb)) record(result)

  run('useradd', ['--create-home', USER])
  if (!sample) {
    const rpm = path.join(root, 'dist', `bridge-inspector-${version}-linux-x86_64.rpm`)
    for (const result of inspectRpm(rpm, deb)) record(result)
    const tarball = path.join(root, 'dist', `bridge-inspector-${version}-linux-x64.tar.gz`)
    mkdirSync(FOLDER, { recursive: true })
    check('unpack the tar.gz elsewhere', run('tar', ['-xzf', tarball, '-C', FOLDER]))
    runDriver('tar.gz', path.join(FOLDER, `bridge-inspector-${version}`, 'bridge-inspector'))
  }
  check('install the deb with apt', runApt(['install', deb]))
  testCommands(version)
  rmSync(`${HOME}/.config`, { recursive: true, force: true })
  runDriver('deb', '/usr/bin/bridge-inspector')
  if (!sample) await testUpdate()
  const removed = runApt(['remove', 'bridge-inspector'])
  check('remove it with apt', removed)
  record({ name: 'says where the data stays', ok: removed.stdout.includes('stay in ~/.config/bridge-inspector') })
  record({ name: 'leaves the data', ok: existsSync(`${HOME}/.config/bridge-inspector/settings.json`) })
}

/**
 * Updates to the next version from a server on loopback. The command that the program hands to the
 * installer is then run as root.
 */
async function testUpdate() {
  const next = '99.0.0'
  const feed = spawn(process.execPath, [path.join(root, 'test/install/feed.mjs'), await packNextVersion(next)])
  const updateUrl = await new Promise((resolve) => feed.stdout.once('data', (data) => resolve(String(data).trim())))
  const settings = `${HOME}/.config/bridge-inspector/settings.json`
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, 'utf8')), updateUrl }))
  mkdirSync(`${HOME}/bin`, { recursive: true })
  // This `pkexec` records its command instead of asking for a password.
  writeFileSync(`${HOME}/bin/pkexec`, `#!/bin/sh\nprintf '%s\\n' "$@" >${HOME}/handed\n`, { mode: 0o755 })
  runDriver('update', '/usr/bin/bridge-inspector', 'update.py', next)
  feed.kill()
  const handed = existsSync(`${HOME}/handed`) ? readFileSync(`${HOME}/handed`, 'utf8').trim().split('\n') : []
  const [program = 'false', ...args] = handed.slice(1)
  check('update: what was handed over installs', run(program, args))
  const { version } = JSON.parse(extractFile('/usr/lib/bridge-inspector/resources/app.asar', 'package.json').toString())
  record({ name: `update: version ${next} is installed`, ok: version === next, detail: version })
}

/**
 * Runs commands of the installed deb as root and as a user, without a display, a bus or environment
 * variables.
 */
function testCommands(version) {
  const program = '/usr/bin/bridge-inspector'
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME }
  for (const [starter, before] of [
    ['root', []],
    ['a user', ['runuser', '-u', USER, '--']],
  ]) {
    const start = (...words) => {
      const [file, ...args] = [...before, program, ...words]
      return run(file, args, { cwd: '/', env: { ...env, HOME: starter === 'root' ? '/root' : HOME }, timeout: 120_000 })
    }
    const report = start('--version')
    record({
      name: `deb: says its version to ${starter} without a display`,
      ok: report.status === 0 && report.stdout === `${version}\n` && report.stderr === '',
      detail: `${report.status} ${report.stdout}${report.stderr}`,
    })
    const status = start('status', '--demo', '--demo-nodes', '20', '--json', '--quiet')
    record({
      name: `deb: runs a command for ${starter} without a display`,
      ok: status.status === 0 && status.stderr === '' && status.stdout.includes('"phase"'),
      detail: `${status.status} ${status.stdout}${status.stderr}`,
    })
    const opened = start()
    const code = starter === 'root' ? /^ROOT: / : /^NO_DISPLAY: /
    record({
      name: `deb: says to ${starter} why it opens no window`,
      ok: opened.status === 1 && code.test(opened.stderr),
      detail: `${opened.status} ${opened.stderr}`,
    })
  }
}

/** Uses an installed program as a person would; see `drive.py`. */
function runDriver(name, executable, program = 'drive.py', ...more) {
  const script = path.join(HOME, program)
  for (const file of [program, 'seen.py']) {
    writeFileSync(path.join(HOME, file), readFileSync(path.join(root, 'test', 'install', file)))
  }
  const runtime = path.join(HOME, 'run')
  run('install', ['-d', '-m', '700', '-o', USER, runtime])
  const env = {
    PATH: `${HOME}/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME,
    XDG_RUNTIME_DIR: runtime,
    LC_ALL: 'C.UTF-8',
    ACCESSIBILITY_ENABLED: '1',
  }
  const display = ['xvfb-run', '-a', '-s', '-screen 0 1280x800x24', 'dbus-run-session', '--']
  const args = ['-u', USER, '--', ...display, '/usr/bin/python3', script, executable, ...more]
  const { stdout = '', stderr = '' } = run('runuser', args, { cwd: '/', env, timeout: 600_000 })
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  for (const line of lines) {
    const { name: checkName, ...rest } = JSON.parse(line)
    record({ name: `${name}: ${checkName}`, ...rest })
  }
  if (lines.length === 0) record({ name: `${name}: starts`, ok: false, detail: stderr.slice(-2000) })
}

function runApt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return run('apt-get', ['-y', '-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], { env })
}

function run(program, args, options = {}) {
  return spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options })
}
