import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { app, safeStorage } from 'electron'
import { z } from 'zod'
import { createRefusedError } from '../../shared/errors.ts'
import { createKeyring } from './keyring.ts'
import type { Cipher } from '../services/vault/cipher.ts'

/** The parameters of a command in `cli/run.ts`, repeated because `cli` imports this folder. */
export interface CommandEnvironment {
  readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>
  readonly env: Record<string, string | undefined>
  readonly files: {
    readonly demoWorker: URL
    readonly trafficWorker: URL
    readonly snapshotWorker: URL
    readonly sourceMapWorker: URL
    readonly resources: URL
  }
  readonly runProgram: (entry: 'open' | 'serve' | 'demo-host', args: readonly string[]) => Promise<number>
  readonly cipher: Cipher
  readonly runtime: Record<string, string>
  readonly version: string
}

type RunCli = (words: readonly string[], host: CommandEnvironment) => Promise<number>
const bundleSchema = z.object({ runCli: z.custom<RunCli>((value) => typeof value === 'function') })

interface Options {
  readonly words: readonly string[]
  /** The bundle of the command line, which is loaded only for a command. */
  readonly bundle: URL
  /** On Windows, Chromium's folder of the app holds the key of the tokens in the keyring. */
  readonly chromiumDir: string
  readonly files: CommandEnvironment['files']
  readonly runDemoHost: (args: readonly string[]) => Promise<number>
}

/** Chromium ends without a display. Returns the headless run's exit code; null if not needed. */
export function restartWithoutDisplay(argv: readonly string[]): number | null {
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = process.env
  const isNamed = process.argv.some((arg) => arg.startsWith('--ozone-platform='))
  if (process.platform !== 'linux' || x11 || wayland || isNamed) return null
  // Standard error is the command's, so Chromium must not report the missing display there.
  const switches = ['--ozone-platform=headless', '--disable-gpu', '--log-level=3']
  // Ctrl+C reaches both processes; this process only waits for the command's process.
  const { status, signal } = spawnSync(process.execPath, [...switches, ...argv], { stdio: 'inherit' })
  return status ?? (signal === null ? 1 : 128 + os.constants.signals[signal])
}

/** Runs a command without a window and ends the program. Must be called before the app is ready. */
export async function runCommandLine({ words, bundle, chromiumDir, files, runDemoHost }: Options): Promise<void> {
  app.disableHardwareAcceleration()
  // A network process would outlive the temporary folder and create it again.
  app.commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
  app.dock?.hide()
  // A running app writes to the usual folder, so the command needs a separate one.
  const tempDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-chromium-'))
  if (process.platform === 'win32')
    copyFileIfPresent(path.join(chromiumDir, 'Local State'), path.join(tempDir, 'Local State'))
  app.setPath('userData', tempDir)
  process.once('exit', () => rmSync(tempDir, { recursive: true, force: true }))
  const { stdin, stdout, stderr, env } = process
  const bundleModule: unknown = await import(bundle.href)
  const { electron = '', node } = process.versions
  const code = await bundleSchema.parse(bundleModule).runCli(words, {
    streams: { stdin, stdout, stderr },
    env,
    files,
    runProgram: (entry, args) => {
      if (entry === 'demo-host') return runDemoHost(args)
      throw createRefusedError(
        'NOT_HERE',
        `${entry} is not part of the installed app. Use the npm package, or the app’s window.`,
      )
    },
    cipher: createDeferredKeyring(createKeyring(safeStorage, process.platform)),
    runtime: { electron, node },
    version: app.getVersion(),
  })
  // If the program ended before the app is ready, Chromium would create its folder again.
  await app.whenReady()
  app.exit(code)
}

function copyFileIfPresent(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch {
    // The app has never run if this file is missing, so there is no token either.
  }
}

/** The keyring works only once the app is ready. Commands without it do not wait for that. */
function createDeferredKeyring(cipher: Cipher): Cipher {
  return {
    async backend() {
      await app.whenReady()
      return cipher.backend()
    },
    async encrypt(text) {
      await app.whenReady()
      return cipher.encrypt(text)
    },
    async decrypt(bytes) {
      await app.whenReady()
      return cipher.decrypt(bytes)
    },
  }
}
