// The parts of every command: its declaration, flags, input and output, and session.
// Commands themselves are in cli/commands; printing of entries is in cli/output.
// Read this file first, then session.ts.

import type { ExitName } from '../../electron/system/program-exits.ts'
import { type CommandOptions, type Flag, type CompletionKind, hostFlags, outputFlags } from './flags.ts'
import type { Io, StandardStreams } from './io.ts'
import type { ConnectedSession, SessionOptions } from './session.ts'

const helpFlag: readonly Flag[] = outputFlags.filter(({ name }) => name === 'help')

/** Includes the flags that choose a host and those of the output. */
export function getFlags({ flags, hasHostFlags, isPassThrough }: Command): readonly Flag[] {
  if (isPassThrough) return [...flags, ...helpFlag]
  return [...flags, ...(hasHostFlags ? hostFlags : []), ...outputFlags]
}

/** Example: `-o, --output FILE`. */
export function formatFlag({ name, short, valueName }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${valueName === undefined ? '' : ` ${valueName}`}`
}

/** Includes the choices unless `choiceDescriptions` explains them separately. */
export function describeFlag({ description, choices, choiceDescriptions }: Flag): string {
  if (choiceDescriptions) return `${description}: one of those listed below`
  return choices ? `${description} (${choices.join(', ')})` : description
}

/** Example: `bridge-inspector call METHOD PATH [flags]`. */
export function formatUsage({ name, args }: Command): string {
  const parts = args.map((arg) => {
    const text = `${arg.choices ? arg.choices.join('|') : arg.name.toUpperCase()}${arg.isRepeatable ? '…' : ''}`
    return arg.required ? text : `[${text}]`
  })
  return ['bridge-inspector', name, ...parts, '[flags]'].join(' ')
}

interface ArgumentSpec {
  readonly name: string
  readonly required: boolean
  readonly isRepeatable?: true
  readonly choices?: readonly string[]
  /** The kind of values that a shell offers for the argument. */
  readonly completionKind?: CompletionKind
  readonly description: string
}

export interface CommandExample {
  readonly commandLine: string
  readonly description: string
}

export interface CommandContext {
  readonly io: Io
  /** Only for commands that speak a protocol on standard input and output; others use `io`. */
  readonly streams: StandardStreams
  readonly version: string
  /** Folder with the files that ship with the program; it ends with a slash. */
  readonly resources: URL
  /** Aborted by Ctrl+C, by a signal of the system, and when nobody reads the output any more. */
  readonly signal: AbortSignal
  /** The environment with which the program was started. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The next signal, which does not stop the command; null once output or `until` ends it. */
  waitForSignal(until?: AbortSignal): Promise<NodeJS.Signals | null>
  /** The session is connected. Its services are disposed of when the command ends. */
  openSession(options: SessionOptions): Promise<ConnectedSession>
  /** Runs another entry point of the program instead of the command. Returns its exit code. */
  runProgram(entry: 'open' | 'serve' | 'demo-host', args: readonly string[]): Promise<number>
}

/** A named exit, or the exit code of another program that was run instead of the command. */
export type CommandExit = ExitName | number

interface CommandSpec<Flags extends readonly Flag[]> {
  readonly name: string
  readonly summary: string
  /** Paragraphs that the help shows below the usage. */
  readonly description: readonly string[]
  readonly args: readonly ArgumentSpec[]
  readonly flags: Flags
  readonly examples: readonly CommandExample[]
  /** The arguments are passed unparsed to another entry point. */
  readonly isPassThrough?: true
  /** The command connects to a host, so it also has the flags that choose a host. */
  readonly hasHostFlags?: true
  run(context: CommandContext, args: readonly string[], options: CommandOptions<Flags>): Promise<CommandExit>
}

/** The options are those that `parseCommand` returns for this command. */
export interface Command extends Omit<CommandSpec<readonly Flag[]>, 'run'> {
  run(
    context: CommandContext,
    args: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ): Promise<CommandExit>
}

/** Parsing, option types, help, completion, man page and documentation derive from it. */
export function defineCommand<const Flags extends readonly Flag[]>(spec: CommandSpec<Flags>): Command {
  return { ...spec, run: (context, args, options) => spec.run(context, args, options as CommandOptions<Flags>) }
}
