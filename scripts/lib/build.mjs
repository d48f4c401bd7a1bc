import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bin, root } from './paths.mjs'

const targets = {
  page: {
    says: 'the page',
    inputs: ['renderer', 'shared', 'scripts/build', 'package-lock.json'],
    output: 'out/web/index.html',
    command: ['vite', 'build', '--config', 'scripts/build/web.config.ts', '--logLevel', 'error'],
  },
  recordingPage: {
    says: 'the page of a recording',
    inputs: ['renderer', 'shared', 'electron', 'scripts/build', 'package-lock.json'],
    output: 'out/page/recording-page.html',
    command: ['vite', 'build', '--config', 'scripts/build/recording-page.config.ts', '--logLevel', 'error'],
  },
  serve: {
    says: 'the browser host',
    inputs: ['electron', 'shared', 'scripts/build', 'package-lock.json'],
    output: 'out/serve/serve.js',
    command: ['vite', 'build', '--config', 'scripts/build/serve.config.ts', '--logLevel', 'error'],
  },
  cli: {
    says: 'the command line',
    inputs: ['cli', 'electron', 'shared', 'testing', 'scripts/build', 'package-lock.json'],
    output: 'out/cli/bridge-inspector.js',
    command: ['vite', 'build', '--config', 'scripts/build/cli.config.ts', '--logLevel', 'error'],
  },
  desktop: {
    says: 'the desktop app',
    inputs: ['renderer', 'shared', 'electron', 'electron.vite.config.ts', 'scripts/build', 'package-lock.json'],
    output: 'out/main/main.js',
    command: ['electron-vite', 'build', '--logLevel', 'error'],
  },
}

/** Each way to run needs these targets. */
const targetsByMode = { web: ['page', 'recordingPage', 'serve'], desktop: ['recordingPage', 'desktop'], cli: ['cli'] }

/**
 * Builds the targets of `web`, `desktop` or `cli` that have changed since the last build. Exits if
 * a build fails.
 */
export function ensureBuilt(mode) {
  for (const name of targetsByMode[mode]) {
    if (!isCurrent(name) || existsSync(lockFileOf(name))) withBuildLock(name, () => ensure(name))
  }
}

/**
 * As long as it exists, the target is being built: its output may be there, but not all of its
 * files.
 */
const lockFileOf = (name) => path.join(root, 'out', `.${name}.lock`)

function isCurrent(name) {
  const { inputs, output } = targets[name]
  const built = statSync(path.join(root, output), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return inputs.every((input) => isOlder(path.join(root, input), built))
}

/** Tells whether a file, or each file in a folder, was last changed before this time. */
function isOlder(file, time) {
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.mtimeMs <= time
  return readdirSync(file).every((entry) => isOlder(path.join(file, entry), time))
}

/** Uses the previous build where nothing can be written; exits if there is none. */
function usePreviousBuild(name) {
  const { says, output } = targets[name]
  if (existsSync(path.join(root, output))) {
    process.stderr.write(`${root} cannot be written: ${says} is used as it was last built.\n`)
    return
  }
  process.stderr.write(`${root} cannot be written, and ${says} is not built yet. Run this there first: npm run build\n`)
  process.exit(1)
}

const readOnlyCodes = ['EACCES', 'EPERM', 'EROFS']

/** A lock that is older than this was left by a build that died. */
const MAX_BUILD_MS = 300_000

/**
 * Lets only one process build a target at a time, because several test files may request it at
 * once.
 */
function withBuildLock(name, build) {
  const lock = lockFileOf(name)
  for (;;) {
    try {
      mkdirSync(path.dirname(lock), { recursive: true })
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (readOnlyCodes.includes(error.code)) return usePreviousBuild(name)
      if (error.code !== 'EEXIST') throw error
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0
      if (Date.now() - since > MAX_BUILD_MS) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
  const releaseLock = () => rmSync(lock, { force: true })
  // The lock is also released when a failing build ends the process.
  process.once('exit', releaseLock)
  try {
    build()
  } finally {
    process.off('exit', releaseLock)
    releaseLock()
  }
}

function ensure(name) {
  const { says, output, command } = targets[name]
  if (isCurrent(name)) return
  process.stderr.write(`Building ${says}…\n`)
  const startedAt = new Date()
  const [program, ...args] = command
  const result = spawnSync(bin(program), args, {
    cwd: root,
    // A test that builds would get what Vue warns developers with.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}\nThe build failed.\n`)
    process.exit(1)
  }
  // The output gets the time of the start, because files that changed during the build may not be
  // in it.
  utimesSync(path.join(root, output), startedAt, startedAt)
}
