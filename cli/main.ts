import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { forwardSignals } from './base/signal-forwarding.ts'
import { runCli } from './run.ts'
import type { ProgramEnvironment } from './run-command.ts'

const { stdin, stdout, stderr, env } = process
const isFromSources = import.meta.url.endsWith('.ts')
const root = new URL(isFromSources ? '..' : '../..', import.meta.url)
const resolveFile = (file: string): URL => new URL(file, root)

/** The bundled workers are not in the same place as the sources. */
const workerFiles = isFromSources
  ? {
      demoWorker: resolveFile('electron/demo-host/worker.ts'),
      trafficWorker: resolveFile('electron/services/traffic/thread/worker.ts'),
      snapshotWorker: resolveFile('electron/services/snapshots/thread/worker.ts'),
      sourceMapWorker: resolveFile('electron/services/panel/source-map-thread/worker.ts'),
    }
  : {
      demoWorker: resolveFile('out/cli/worker.js'),
      trafficWorker: resolveFile('out/cli/traffic.js'),
      snapshotWorker: resolveFile('out/cli/snapshots.js'),
      sourceMapWorker: resolveFile('out/cli/source-maps.js'),
    }
const files: ProgramEnvironment['files'] = { ...workerFiles, resources: resolveFile('resources/') }

/** The first file that exists is used: a checkout has scripts, a package has bundles. */
const entryFiles: Readonly<Record<Parameters<ProgramEnvironment['runProgram']>[0], readonly string[]>> = {
  open: ['scripts/start.mjs', 'out/serve/serve.js'],
  serve: ['scripts/serve.mjs', 'out/serve/serve.js'],
  'demo-host': ['scripts/demo-host.mjs', 'out/cli/demo-host.js'],
}

const runProgram: ProgramEnvironment['runProgram'] = (entry, args) => {
  const file = entryFiles[entry]
    .map((relativePath) => fileURLToPath(resolveFile(relativePath)))
    .find((candidateFile) => existsSync(candidateFile))
  if (file === undefined) throw new Error(`there is no ${entry} here`)
  // The npm package ships without Electron, which is a large download for a mere try.
  if (entry === 'open' && !file.endsWith('start.mjs')) {
    stderr.write('The window comes with the desktop packages; this opens in the browser instead.\n')
  }
  // By default, a program that passes bytes on keeps up to 96 MB for new objects, full of garbage.
  const nodeFlags = entry === 'demo-host' ? [] : ['--max-semi-space-size=4']
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], { stdio: 'inherit' })
  forwardSignals(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? 128 + os.constants.signals[signal] : (code ?? 1)))
  })
}

const { version } = JSON.parse(readFileSync(resolveFile('package.json'), 'utf8')) as { version: string }
const code = await runCli(process.argv.slice(2), {
  streams: { stdin, stdout, stderr },
  env,
  files,
  runProgram,
  cipher: null,
  runtime: { node: process.versions.node },
  version,
})
// Open handles must not keep a finished command alive.
process.exit(code)
