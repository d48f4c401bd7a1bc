import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { tempDir } from './data-dir.ts'

export interface Ended {
  /** Exit code; null if a signal ended it. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** What stands on standard input; without it, it is empty. */
  readonly input?: string
  /** Of Node itself. */
  readonly node?: readonly string[]
}

const file = path.join(root, 'out/cli/bridge-inspector.js')

/** Starts the bundled program, as a shell does; nothing of it is a terminal. */
export function startProgram(args: readonly string[], { env = {}, input = '', node = [] }: Options = {}): ChildProcess {
  ensureBuilt('cli')
  const inherited = { ...process.env }
  for (const name of ['BRIDGE_TOKEN', 'MN_BRIDGE_TOKEN']) Reflect.deleteProperty(inherited, name)
  const child = spawn(process.execPath, [...node, file, ...args], { env: { ...inherited, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return child
}

/** Waits for the end of a program that was started, collecting what it prints. */
export function ended(child: ChildProcess): Promise<Ended> {
  const stdout: Buffer[] = []
  let stderr = ''
  child.stdout?.on('data', (piece: Buffer) => stdout.push(piece))
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()))
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, stdout: Buffer.concat(stdout), stderr })),
  )
}

export const program = (args: readonly string[], options?: Options): Promise<Ended> =>
  ended(startProgram(args, options))

/** The flags that lead to a host, with its token in a file and a data directory of their own. */
export function flagsFor({ baseUrl, token }: { baseUrl: string; token: string }, dataDir = tempDir()): string[] {
  const tokenFile = path.join(tempDir(), 'token')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  return ['--base-url', baseUrl, '--token-file', tokenFile, '--data-dir', dataDir]
}
