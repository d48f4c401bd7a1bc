import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { _electron, type Browser, type ElectronApplication, type Page } from '@playwright/test'
import { getRootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'

/** One run of the app, in either mode. */
export interface Run {
  readonly page: Page
  /** The browser host's address, without its key. */
  readonly baseUrl?: string
  /** The main process; undefined in the browser. */
  readonly electron?: ElectronApplication
  /** What the processes wrote to stdout and stderr. */
  output(): string
  close(): Promise<void>
}

export interface RunOptions {
  readonly flags: string[]
  /** Null leaves the window as the app opened it. */
  readonly viewport: { width: number; height: number } | null
  readonly env?: Record<string, string>
}

/** The next start reuses the code that Node compiled for the service process. */
const compiled = path.join(root, 'test-results/compile-cache')

/**
 * Starts the browser host and opens its page in its own context, so that further pages share its
 * cookies.
 */
export async function runBrowser({ flags, viewport, env }: RunOptions, browser: Browser): Promise<Run> {
  const child = spawn(process.execPath, ['out/serve/serve.js', '--port', '0', '--no-open', ...flags], {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const match = /^Bridge Inspector: (http:\S+)$/m.exec(output)?.[1]
      if (match) resolve(match)
    }
    child.stdout.on('data', look)
    child.once('exit', (code) => reject(new Error(`The browser host ended with ${code}:\n${output}`)))
  })
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(url)
  return {
    page,
    baseUrl: new URL(url).origin,
    output: () => output,
    async close() {
      await withTimeout(context.close(), 'The end of the pages')
      // The exit code of a process that a signal ended is null.
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      // Whatever starts it does so as well: Node's own end may hang (nodejs/node#54918).
      const killing = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await withTimeout(ended, 'The end of the browser host').finally(() => clearTimeout(killing))
    },
  }
}

/**
 * How long each step of a start may take, so that a start that hangs says which of them it was.
 * Above the 25 s after which a call over D-Bus ends that nobody answers.
 */
const PATIENCE_MS = 50_000

/** Rejects with the name of what is waited for if the app does not answer. */
async function withTimeout<T>(promise: Promise<T>, label: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${label} was not answered in ${PATIENCE_MS / 1000} s.`)), PATIENCE_MS)
  })
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer))
}

/** Starts the desktop app and attaches to its window. */
export async function runElectron({ flags, viewport, env }: RunOptions, executablePath: string): Promise<Run> {
  const electron = await _electron.launch({
    executablePath,
    args: [...getRootFlags(), root, ...flags],
    cwd: root,
    timeout: PATIENCE_MS,
    env: {
      ...(process.env as Record<string, string>),
      ...buildUnicodeEnvironment(),
      ...buildDisplayEnvironment(),
      // The error of a start that hangs then says whether it reached the program.
      ELECTRON_ENTRY_LINE: '1',
      ...env,
    },
  })
  let output = ''
  electron.process().stdout?.on('data', (piece: Buffer) => (output += piece.toString()))
  electron.process().stderr?.on('data', (piece: Buffer) => (output += piece.toString()))
  try {
    const page = await electron.firstWindow({ timeout: PATIENCE_MS })
    await page.waitForURL('app://**', { timeout: PATIENCE_MS })
    if (viewport) await withTimeout(resize(electron, viewport), 'Resizing the window')
    const close = async (): Promise<void> => {
      // Nobody answers whether what is under way may be lost.
      await electron
        .evaluate(({ dialog }) => {
          dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
        })
        .catch(() => undefined)
      await withTimeout(electron.close(), 'The end of the app')
    }
    return { page, electron, output: () => output, close }
  } catch (error) {
    const app = electron.process()
    const ended = new Promise((resolve) => app.once('exit', resolve))
    // False if it has ended already.
    if (app.kill('SIGKILL')) await ended
    throw new Error(`The app could not be driven. It printed: ${output}`, { cause: error })
  }
}

/**
 * Sets a UTF-8 locale, because Chromium accepts only ASCII file names without one and build
 * machines often have none.
 */
function buildUnicodeEnvironment(): Record<string, string> {
  const { LC_ALL, LC_CTYPE, LANG } = process.env
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? {} : { LC_ALL: 'C.UTF-8' }
}

/** This worker's display, if each has its own: two apps on one display steal each other's focus. */
export function buildDisplayEnvironment(): Record<string, string> {
  const displays = process.env['E2E_DISPLAYS']?.split(' ') ?? []
  const display = displays[Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)]
  return display === undefined ? {} : { DISPLAY: display }
}

async function resize(electron: ElectronApplication, size: { width: number; height: number }): Promise<void> {
  const closeOnce = (): Promise<void> =>
    electron.evaluate(({ BrowserWindow }, { width, height }) => {
      const window = BrowserWindow.getAllWindows()[0]
      // Specs of narrow pages go below the window's minimum size.
      window?.setMinimumSize(1, 1)
      window?.setContentSize(width, height)
    }, size)
  await closeOnce().catch((error: unknown) => {
    // The driver holds the awaited promise only weakly, so garbage collection during the start may
    // drop it.
    if (!String(error).includes('garbage collected')) throw error
    return closeOnce()
  })
}

/** The log written by the services. */
export function readLogFile(dataDir: string): string {
  try {
    return readFileSync(path.join(dataDir, 'bridge-inspector.log'), 'utf8')
  } catch {
    return ''
  }
}
