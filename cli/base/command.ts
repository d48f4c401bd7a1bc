import type { z } from 'zod'
import type { ExitName } from '../../shared/program-exits.ts'
import { type Flag, type CompletionKind, hostFlags, outputFlags } from './flags.ts'
import type { Io, StandardStreams } from './io.ts'
import type { ConnectedSession, SessionOptions } from './session.ts'

const help: readonly Flag[] = outputFlags.filter(({ name }) => name === 'help')

/** Every flag that a command takes: its own, those that choose a host, those of the output. */
export function getFlags({ flags, hasHostFlags: host, isPassThrough: passes }: Command): readonly Flag[] {
  if (passes) return [...flags, ...help]
  return [...flags, ...(host ? hostFlags : []), ...outputFlags]
}

/** `-o, --output FILE` */
export function formatFlag({ name, short, valueName: value }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`
}

/** What a flag does, with its choices unless each of them has a sentence of its own. */
export function describeFlag({ description: about, choices, choiceDescriptions: meanings }: Flag): string {
  if (meanings) return `${about}: one of those listed below`
  return choices ? `${about} (${choices.join(', ')})` : about
}

/** `bridge-inspector call METHOD PATH [flags]` */
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
  /** What it is, for a shell that completes it. */
  readonly completionKind?: CompletionKind
  readonly description: string
}

export interface CommandExample {
  readonly commandLine: string
  readonly description: string
}

/** What a command is given to work with. */
export interface CommandContext {
  readonly io: Io
  /** For a protocol on standard input and output; whatever else is said goes through `io`. */
  readonly streams: StandardStreams
  readonly version: string
  /** Aborted by Ctrl+C, by a signal, and when nobody reads the output any more. */
  readonly signal: AbortSignal
  /** Builds the services and connects; they are disposed of when the command ends. */
  openSession(options: SessionOptions): Promise<ConnectedSession>
  /** Runs another of the program's entry points with these arguments, in place of this one. Returns its exit code. */
  runProgram(entry: 'open' | 'serve' | 'demo-host', args: readonly string[]): Promise<number>
}

/** How it ended; a number is the exit code of another program that took over. */
export type CommandExit = ExitName | number

interface CommandSpec<O extends z.ZodType> {
  readonly name: string
  readonly summary: string
  /** Paragraphs of the help, below the usage. */
  readonly description: readonly string[]
  readonly args: readonly ArgumentSpec[]
  readonly flags: readonly Flag[]
  readonly examples: readonly CommandExample[]
  readonly options: O
  /** Another entry point understands the arguments: they are handed over as they are. */
  readonly isPassThrough?: true
  /** Talks to a host, so that the flags that choose one apply. */
  readonly hasHostFlags?: true
  run(context: CommandContext, args: readonly string[], options: z.infer<O>): Promise<CommandExit>
}

/** A command whose options are parsed by whoever runs it. */
export interface Command extends Omit<CommandSpec<z.ZodType>, 'options' | 'run'> {
  run(context: CommandContext, args: readonly string[], options: unknown): Promise<CommandExit>
}

/** Declares a command: the one description that parsing, help, completion, manual and documentation are made from. */
export function defineCommand<O extends z.ZodType>(spec: CommandSpec<O>): Command {
  return { ...spec, run: (context, args, options) => spec.run(context, args, spec.options.parse(options)) }
}
