import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { app, safeStorage } from 'electron'
import { z } from 'zod'
import { createRefusedError } from '../../shared/errors.ts'
import { createKeyring } from './keyring.ts'
import type { Cipher } from '../services/vault/cipher.ts'

/** What the command line is started in; `Host` of `cli/run.ts`, which builds on this room and can’t be imported here. */
export interface CommandEnvironment {
  readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>
  readonly env: Record<string, string | undefined>
  readonly files: { readonly demoWorker: URL; readonly trafficWorker: URL; readonly resources: URL }
  readonly runProgram: (entry: 'open' | 'serve' | 'demo-host', args: readonly string[]) => Promise<number>
  readonly cipher: Cipher
  readonly runtime: Record<string, string>
  readonly version: string
}

type Run = (words: readonly string[], host: CommandEnvironment) => Promise<number>
const bundleSchema = z.object({ run: z.custom<Run>((value) => typeof value === 'function') })

interface Options {
  readonly words: readonly string[]
  /** The bundle of the command line, loaded only here. */
  readonly bundle: URL
  /** Where Chromium keeps the app's data: on Windows, the key of the keyring’s tokens is in there. */
  readonly chromiumDir: string
  readonly files: CommandEnvironment['files']
  readonly runDemoHost: (args: readonly string[]) => Promise<number>
}

/**
 * Without a display, Chromium ends before the app is ready, unless its command line names the platform that needs none: starts this program
 * once more with it. Returns the exit code; null where that is not needed.
 */
export function restartWithoutDisplay(argv: readonly string[]): number | null {
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = process.env
  const isNamed = process.argv.some((arg) => arg.startsWith('--ozone-platform='))
  if (process.platform !== 'linux' || x11 || wayland || isNamed) return null
  // Standard error is the command's: what Chromium misses on such a machine is not told there.
  const switches = ['--ozone-platform=headless', '--disable-gpu', '--log-level=3']
  // Ctrl+C reaches both; this one only waits.
  const { status, signal } = spawnSync(process.execPath, [...switches, ...argv], { stdio: 'inherit' })
  return status ?? (signal === null ? 1 : 128 + os.constants.signals[signal])
}

/** Runs a command in this process, without a window, and ends the program with its code. Call before the app is ready. */
export async function runCommandLine({ words, bundle, chromiumDir, files, runDemoHost }: Options): Promise<void> {
  app.disableHardwareAcceleration()
  // A process of its own for the network, which nothing here uses, would outlive the folder below and make it again.
  app.commandLine.appendSwitch('enable-features', 'NetworkServiceInProcess2')
  app.dock?.hide()
  // A running app has its own: two must not write there.
  const own = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-chromium-'))
  if (process.platform === 'win32')
    copyFileIfPresent(path.join(chromiumDir, 'Local State'), path.join(own, 'Local State'))
  app.setPath('userData', own)
  process.once('exit', () => rmSync(own, { recursive: true, force: true }))
  const { stdin, stdout, stderr, env } = process
  const loaded: unknown = await import(bundle.href)
  const { electron = '', node } = process.versions
  const code = await bundleSchema.parse(loaded).run(words, {
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
  // Before that, Chromium would make its folder once more.
  await app.whenReady()
  app.exit(code)
}

function copyFileIfPresent(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch {
    // The app has never run: it keeps no token either.
  }
}

/** The keyring can be asked once the app is ready; only commands that need it wait for that. */
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
