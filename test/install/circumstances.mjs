import { spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { check, record, skip } from './report.mjs'
import { createHome, buildNpxCommand, testProgram } from './program-test.mjs'

/** Any user that is not root, and owns nothing. */
const NOBODY = 65_534
const asNobody = ['/usr/bin/setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
const canRun = (...command) => spawnSync(command[0], command.slice(1), { stdio: 'ignore' }).status === 0

/**
 * Runs the program with every proxy variable set to a listener, which must see no request: loopback
 * traffic never uses a proxy.
 */
export async function testBehindProxy(folder, machine, file) {
  const receivedLines = []
  const proxy = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      receivedLines.push(String(data).split('\r\n', 1)[0])
      socket.destroy()
    })
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${proxy.address().port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'npm_config_proxy', 'npm_config_https_proxy']
  const env = Object.fromEntries(names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, address]))
  const more = { ...env, NODE_USE_ENV_PROXY: '1', npm_config_update_notifier: 'false', npm_config_audit: 'false' }
  await testProgram(
    `${machine.name}, a proxy in the environment`,
    buildNpxCommand(folder, machine, file, more),
    machine,
  )
  record({
    name: `${machine.name}: the proxy sees nothing`,
    ok: receivedLines.length === 0,
    detail: receivedLines.join(', '),
  })
  proxy.close()
}

/**
 * Checks that a second start on the same data reports that and changes nothing, and that the
 * program starts normally after a crash.
 */
export async function testSecondStart(folder, machine, file) {
  const program = buildNpxCommand(folder, machine, file)
  const snapshot = await testProgram('a second start', { ...program, startsTwice: true, kill: 'SIGKILL' }, machine)
  const { how, message = '' } = snapshot.second ?? {}
  record({
    name: 'a second start: ends, and says why',
    ok: typeof how === 'number' && how !== 0 && message.includes('already'),
    detail: `${how}: ${message}`,
  })
  await testProgram('a start after a crash', program, machine)
}

/** Runs the program on a machine that has only 127.0.0.1, without IPv6, network or registry. */
export async function testWithLoopbackOnly(folder, machine, file) {
  const setUp = 'ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && exec "$@"'
  const before = ['unshare', '--net', '--', 'sh', '-c', setUp, 'sh']
  const name = 'no IPv6 and no network'
  if (!canRun(...before, 'true')) return skip(name, 'no network namespace can be made here (root, unshare, ip)')
  const isThere =
    'const s=require("net").createServer();s.on("error",()=>process.exit(1));s.listen(0,"::1",()=>process.exit())'
  record({ name: `${name}: ::1 is not there`, ok: !canRun(...before, process.execPath, '-e', isThere) })
  await testProgram(name, buildNpxCommand(folder, machine, file), { ...machine, before })
}

/** Runs a program that root installed as a user who cannot write to its folder. */
export async function testInstalledByRoot(folder, machine, file) {
  const name = 'a user without root, nothing writable but the home'
  if (process.getuid() !== 0 || !canRun(...asNobody, 'true')) return skip(name, 'that takes root and setpriv')
  const prefix = path.join(folder, 'installed')
  const env = { PATH: `${machine.bin}:/usr/bin:/bin`, HOME: createHome(folder) }
  const install = ['install', '--global', '--prefix', prefix, file]
  check(`${name}: npm install --global`, spawnSync(path.join(machine.bin, 'npm'), install, { env, encoding: 'utf8' }))
  spawnSync('chmod', ['-R', 'a-w', prefix])
  spawnSync('chmod', ['a+rx', folder])
  const home = createHome(folder)
  chownSync(home, NOBODY, NOBODY)
  const command = [path.join(prefix, 'bin', 'bridge-inspector'), 'serve', '--demo', '--no-open', '--port', '0']
  const program = { command, cwd: '/', env: { PATH: machine.bin, HOME: home } }
  await testProgram(name, program, { ...machine, before: asNobody })
  const { status, stdout, stderr } = spawnSync(asNobody[0], [...asNobody.slice(1), ...command], {
    env: { ...program.env, HOME: '/nonexistent' },
    encoding: 'utf8',
  })
  record({
    name: `${name}: no home either, and it says so in one line`,
    ok: status === 1 && stdout === '' && /^.*\/nonexistent.*\n$/.test(stderr),
    detail: `${status}: ${stderr}`,
  })
}

/** Runs the program from a built checkout that is read-only. */
export async function testFromCheckout(folder) {
  const name = 'a checkout that can’t be written'
  if (process.getuid() !== 0 || !canRun(...asNobody, 'true')) return skip(name, 'that takes root and setpriv')
  const checkout = path.join(folder, 'checkout')
  mkdirSync(checkout)
  for (const entry of readdirSync(root)) {
    if (!['.git', 'node_modules', 'dist', 'test', 'test-results'].includes(entry)) {
      cpSync(path.join(root, entry), path.join(checkout, entry), { recursive: true, preserveTimestamps: true })
    }
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
  const build = ['-e', "import('./scripts/lib/build.mjs').then(({ ensureBuilt }) => ensureBuilt('web'))"]
  check(`${name}: builds`, spawnSync(process.execPath, build, { cwd: checkout, encoding: 'utf8' }))
  spawnSync('chmod', ['-R', 'a-w', checkout])
  const home = createHome(folder)
  chownSync(home, NOBODY, NOBODY)
  const command = [process.execPath, 'scripts/serve.mjs', '--demo', '--no-open', '--port', '0']
  const program = { command, cwd: checkout, env: { PATH: '/usr/bin:/bin', HOME: home } }
  await testProgram(name, program, { before: asNobody })
}
