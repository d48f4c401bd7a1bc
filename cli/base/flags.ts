import { z } from 'zod'
import { demoDialects } from '../../electron/demo-host/usage.ts'
import { AppError } from '../../shared/errors.ts'

/** What a shell can complete besides words that are fixed; `completion values KIND` prints them. */
export const valueKinds = ['profiles', 'methods', 'paths', 'topics', 'notes', 'documents', 'parts'] as const
export type ValueKind = (typeof valueKinds)[number]

/** A flag as it is parsed, completed and documented. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  /** What stands for its value; absent for a switch. */
  readonly value?: string
  /** The only values it takes. */
  readonly choices?: readonly string[]
  /** What each of the choices means, where that needs a sentence of its own: listed below the flags. */
  readonly meanings?: Readonly<Record<string, string>>
  /** What its value is, for a shell that completes it. */
  readonly completes?: ValueKind
  /** May be given more than once. */
  readonly many?: true
  readonly about: string
}

/** Which host, and with which token: for every command that talks to one. */
export const hostFlags: readonly Flag[] = [
  { name: 'profile', value: 'NAME', completes: 'profiles', about: 'a saved profile, by its name or id' },
  { name: 'base-url', value: 'URL', about: 'the host at this address' },
  { name: 'demo', about: 'a demo host of its own, for as long as the command runs' },
  { name: 'demo-nodes', value: 'N', about: 'number of cards in its generated study set (default 200000)' },
  {
    name: 'demo-dialect',
    value: 'D',
    choices: demoDialects,
    about: 'how the demo host answers where the documents leave room',
  },
  { name: 'token-file', value: 'PATH', about: 'file that holds the token (or set BRIDGE_TOKEN)' },
  { name: 'data-dir', value: 'DIR', about: 'where profiles, settings and the journal are kept' },
  {
    name: 'timeout',
    value: 'SECONDS',
    about: 'give up after this time; with --wait and watch: stop waiting for the outcome (the host goes on)',
  },
  {
    name: 'retry',
    value: 'N',
    about: 'repeat a read this often if the host does not answer or asks to wait; a write never',
  },
]

/** How the output looks: for every command. */
export const outputFlags: readonly Flag[] = [
  { name: 'json', about: 'print JSON' },
  { name: 'quiet', about: 'no progress and no remarks on standard error, only errors' },
  { name: 'no-color', about: 'no colors (or set NO_COLOR)' },
  { name: 'help', short: 'h', about: 'show this text' },
]

/** For commands that may write. */
export const writeFlags: readonly Flag[] = [
  { name: 'write', about: 'allow this command to write; a profile’s read-only lock outranks it' },
  {
    name: 'yes',
    short: 'y',
    about: 'send without asking; nothing is sent without it if there is no terminal to ask at',
  },
  { name: 'wait', about: 'wait until the outcome is settled, and end with the verdict' },
  {
    name: 'wait-lock',
    value: 'SECONDS',
    about:
      'wait this long while another program writes with the data directory (default: 10 for a command, 0 for the app)',
  },
]

export const formatFlag: Flag = {
  name: 'format',
  value: 'FORMAT',
  choices: ['ndjson', 'json', 'csv', 'text'],
  about: 'ndjson: one entry a line, as the host sent it; default: text on a terminal, otherwise ndjson',
}

const text = z.string().optional()
const on = z.boolean().optional()

/** The values of the flags that every command with a host has. */
const hostOptions = {
  profile: text,
  baseUrl: text,
  demo: on,
  demoNodes: text,
  demoDialect: text,
  tokenFile: text,
  dataDir: text,
  timeout: text,
  retry: text,
}
const outputOptions = { json: on, quiet: on, color: on }
export const writeOptions = { write: on, yes: on, wait: on, waitLock: text }
export const formatOptions = { format: z.enum(['ndjson', 'json', 'csv', 'text']).optional() }
export type Format = 'ndjson' | 'json' | 'csv' | 'text'

/** A schema for the options of a command: those of every command, and its own. */
export const optionsOf = <S extends z.core.$ZodLooseShape>(own: S) =>
  z.object({ ...hostOptions, ...outputOptions, ...own })

/** What every command with a host is given. */
export type HostOptions = z.infer<z.ZodObject<typeof hostOptions>>

/** An error of whoever typed the command; it never repeats a value, which could be a misplaced token. */
export const usageError = (message: string): AppError =>
  new AppError({ kind: 'refused', code: 'FLAG_INVALID', message, retryable: false })

/** The milliseconds of a flag that takes a time: `10`, `2.5s`, `500ms`, `2m`. Throws `FLAG_INVALID`. */
export function durationOf(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const [, number = '', unit = 's'] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(value) ?? []
  if (number === '') throw usageError(`--${flag} takes a time in seconds, as 10, 2.5s, 500ms or 2m.`)
  return Number(number) * { ms: 1, s: 1_000, m: 60_000 }[unit as 'ms' | 's' | 'm']
}
