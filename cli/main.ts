import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { runCli, type ProgramEnvironment } from './run.ts'

const { stdin, stdout, stderr, env } = process
const fromSources = import.meta.url.endsWith('.ts')
const root = new URL(fromSources ? '..' : '../..', import.meta.url)
const at = (file: string): URL => new URL(file, root)

/** Where the program's other parts are: among the sources, or bundled. */
const workers = fromSources
  ? { demoWorker: at('electron/demo-host/worker.ts'), trafficWorker: at('electron/services/traffic/thread/worker.ts') }
  : { demoWorker: at('out/cli/worker.js'), trafficWorker: at('out/cli/traffic.js') }
const files: ProgramEnvironment['files'] = { ...workers, resources: at('resources/') }

/** What runs in place of this program: in a checkout its scripts, which build what is out of date, otherwise the bundles. */
const entries: Readonly<Record<Parameters<ProgramEnvironment['runProgram']>[0], readonly string[]>> = {
  open: ['scripts/start.mjs', 'out/serve/serve.js'],
  serve: ['scripts/serve.mjs', 'out/serve/serve.js'],
  'demo-host': ['scripts/demo-host.mjs', 'out/cli/demo-host.js'],
}

const become: ProgramEnvironment['runProgram'] = (entry, args) => {
  const file = entries[entry].map((one) => fileURLToPath(at(one))).find((one) => existsSync(one))
  if (file === undefined) throw new Error(`there is no ${entry} here`)
  // The package for npm is without Electron: downloading that is not what somebody asks for who only wants to try the program.
  if (entry === 'open' && !file.endsWith('start.mjs')) {
    stderr.write('The window comes with the desktop packages; this opens in the browser instead.\n')
  }
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? 128 + os.constants.signals[signal] : (code ?? 1)))
  })
}

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string }
const code = await runCli(process.argv.slice(2), {
  streams: { stdin, stdout, stderr },
  env,
  files,
  runProgram: become,
  cipher: null,
  runtime: { node: process.versions.node },
  version,
})
// Nothing that is still open may keep a finished command alive.
process.exit(code)
