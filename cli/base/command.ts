import type { z } from 'zod'
import type { ExitName } from '../../shared/exit.ts'
import { type Flag, type ValueKind, hostFlags, outputFlags } from './flags.ts'
import type { Io, Streams } from './io.ts'
import type { Opened, SessionOptions } from './session.ts'

const help: readonly Flag[] = outputFlags.filter(({ name }) => name === 'help')

/** Every flag that a command takes: its own, those that choose a host, those of the output. */
export function flagsOf({ flags, host, passes }: Command): readonly Flag[] {
  if (passes) return [...flags, ...help]
  return [...flags, ...(host ? hostFlags : []), ...outputFlags]
}

/** `-o, --output FILE` */
export function flagText({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`
}

/** What a flag does, with its choices unless each of them has a sentence of its own. */
export function aboutOf({ about, choices, meanings }: Flag): string {
  if (meanings) return `${about}: one of those listed below`
  return choices ? `${about} (${choices.join(', ')})` : about
}

/** `bridge-inspector call METHOD PATH [flags]` */
export function usageOf({ name, args }: Command): string {
  const parts = args.map((arg) => {
    const text = `${arg.choices ? arg.choices.join('|') : arg.name.toUpperCase()}${arg.many ? '…' : ''}`
    return arg.required ? text : `[${text}]`
  })
  return ['bridge-inspector', name, ...parts, '[flags]'].join(' ')
}

interface Argument {
  readonly name: string
  readonly required: boolean
  readonly many?: true
  readonly choices?: readonly string[]
  /** What it is, for a shell that completes it. */
  readonly completes?: ValueKind
  readonly about: string
}

export interface Example {
  readonly line: string
  readonly about: string
}

/** What a command is given to work with. */
export interface Context {
  readonly io: Io
  /** For a protocol on standard input and output; whatever else is said goes through `io`. */
  readonly streams: Streams
  readonly version: string
  /** Aborted by Ctrl+C, by a signal, and when nobody reads the output any more. */
  readonly signal: AbortSignal
  /** Builds the services and connects; they are disposed of when the command ends. */
  open(options: SessionOptions): Promise<Opened>
  /** Runs another of the program's entry points with these arguments, in place of this one. Returns its exit code. */
  become(entry: 'open' | 'serve' | 'demo-host', args: readonly string[]): Promise<number>
}

/** How it ended; a number is the exit code of another program that took over. */
export type Ending = ExitName | number

interface Spec<O extends z.ZodType> {
  readonly name: string
  readonly summary: string
  /** Paragraphs of the help, below the usage. */
  readonly about: readonly string[]
  readonly args: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples: readonly Example[]
  readonly options: O
  /** Another entry point understands the arguments: they are handed over as they are. */
  readonly passes?: true
  /** Talks to a host, so that the flags that choose one apply. */
  readonly host?: true
  run(context: Context, args: readonly string[], options: z.infer<O>): Promise<Ending>
}

/** A command whose options are parsed by whoever runs it. */
export interface Command extends Omit<Spec<z.ZodType>, 'options' | 'run'> {
  run(context: Context, args: readonly string[], options: unknown): Promise<Ending>
}

/** Declares a command: the one description that parsing, help, completion, manual and documentation are made from. */
export function command<O extends z.ZodType>(spec: Spec<O>): Command {
  return { ...spec, run: (context, args, options) => spec.run(context, args, spec.options.parse(options)) }
}
