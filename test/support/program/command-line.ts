import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { loadCommands } from '../../../cli/commands/index.ts'
import { runCli } from '../../../cli/run.ts'
import type { ProgramEnvironment } from '../../../cli/run-command.ts'
import { root } from '../../../scripts/lib/paths.mjs'
import { createTempDir } from '../data/temp-dir.ts'
import { ensureProgramBuilt, findBuiltWorkers } from './built-program.ts'

// What the program loads late is loaded here before the time of a test begins.
await Promise.all([
  loadCommands(),
  import('../../../cli/run-command.ts'),
  import('../../../electron/app-composition.ts'),
])

export interface ProgramResult {
  /** Exit code; null if a signal ended it. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Content of standard input; empty by default. */
  readonly input?: string
}

const PROGRAM_FILE = path.join(root, 'out/cli/bridge-inspector.js')

/** Builds an environment that inherits nothing from the tests' environment. */
function buildEnvironment(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = { ...process.env }
  for (const name of ['BRIDGE_TOKEN', 'MN_BRIDGE_TOKEN', 'NO_COLOR']) Reflect.deleteProperty(inherited, name)
  return { ...inherited, ...env }
}

interface ProcessOptions extends Options {
  /** Flags of Node itself. */
  readonly node?: readonly string[]
  readonly cwd?: string
  /**
   * What a shell does before it starts the program: its redirections and limits, as `ulimit -f 8;
   * exec "$@" > file`.
   */
  readonly shell?: string
}

/** Starts the bundled program, as a shell does; nothing of it is a terminal. */
export function startProgram(
  args: readonly string[],
  { env = {}, input = '', node = [], cwd = root, shell = 'exec "$@"' }: ProcessOptions = {},
): ChildProcess {
  ensureProgramBuilt()
  const child = spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, ...node, PROGRAM_FILE, ...args], {
    env: buildEnvironment(env),
    cwd,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return child
}

/**
 * Starts the bundled program at a terminal of its own (`script` of util-linux makes it), where all
 * three streams are the terminal. What is written to standard input is typed there; both outputs
 * come as one. It ends with the exit code of the program.
 */
export function startProgramAtTerminal(args: readonly string[]): ChildProcess {
  ensureProgramBuilt()
  const line = [process.execPath, PROGRAM_FILE, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  // A shell that waits for the program instead of becoming it is ended by the Ctrl+C, too.
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${line}`, '/dev/null'], {
    env: buildEnvironment({ SHELL: '/bin/sh' }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  return child
}

/** Waits for the end of a program that was started, collecting what it prints. */
export function waitForExit(child: ChildProcess): Promise<ProgramResult> {
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout?.on('data', (piece: Buffer) => stdout.push(piece))
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()))
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr })),
  )
}

const toRootUrl = (name: string): URL => pathToFileURL(path.join(root, name))

interface CommandLineOptions extends Options {
  /** Makes all three streams a terminal, and types each of these lines after a prompt. */
  readonly typed?: readonly string[]
  /** Called with each piece of standard output. */
  readonly onPrint?: (text: string) => void
  readonly host?: Partial<ProgramEnvironment>
  /** The folder with the files that ship with the program; that of the project by default. */
  readonly resources?: URL
}

/**
 * Runs a command line in this process, through everything but `main.ts`: what most tests need,
 * without the start of a program for each line. Tests of signals, pipes and memory start a program.
 */
export async function runCommandLine(
  args: readonly string[],
  options: CommandLineOptions = {},
): Promise<ProgramResult> {
  const { env = {}, input = '', typed, host, resources = toRootUrl('resources/') } = options
  const isTTY = typed !== undefined
  const lines = [...(typed ?? [])]
  const stdin = Object.assign(new PassThrough(), { isTTY })
  if (!isTTY) stdin.end(input)
  const out: Buffer[] = []
  let stderr = ''
  const stdout = new Writable({
    write(piece: Buffer, _, done) {
      out.push(piece)
      options.onPrint?.(piece.toString())
      done()
    },
  })
  const errors = new Writable({
    write(piece: Buffer, _, done) {
      stderr += piece.toString()
      if (piece.toString().endsWith('[y/N] ')) stdin.write(`${lines.shift() ?? ''}\n`)
      done()
    },
  })
  const code = await runCli(args, {
    streams: {
      stdin,
      stdout: Object.assign(stdout, { isTTY, columns: 80 }),
      stderr: Object.assign(errors, { isTTY, columns: 80 }),
    },
    env: buildEnvironment(env),
    files: { ...findBuiltWorkers(), resources },
    runProgram: () => Promise.reject(new Error('no other program here')),
    cipher: null,
    runtime: { node: process.versions.node },
    version: '1.2.3',
    ...host,
  })
  return { code, stdout: Buffer.concat(out), stderr }
}

/** Makes the folder of resources of a program whose built page of a recording has this text. */
export function createResources(page: string): URL {
  const dir = createTempDir()
  symlinkSync(path.join(root, 'resources'), path.join(dir, 'resources'))
  mkdirSync(path.join(dir, 'out/page'), { recursive: true })
  writeFileSync(path.join(dir, 'out/page/recording-page.html'), page)
  return pathToFileURL(path.join(dir, 'resources/'))
}

/** The flags that lead to a host, with its token in a file and a data directory of their own. */
export function createConnectionFlags(
  { baseUrl, token }: { baseUrl: string; token: string },
  dataDir = createTempDir(),
): string[] {
  const tokenFile = path.join(createTempDir(), 'token')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  return ['--base-url', baseUrl, '--token-file', tokenFile, '--data-dir', dataDir]
}
