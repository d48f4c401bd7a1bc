import { DEFAULT_REDACTION, redactionPolicySchema, type RedactionPolicy } from '../../shared/recordings/recording.ts'
import { demoDialectNames } from '../../electron/demo-host/usage.ts'
import { AppError } from '../../shared/errors.ts'
import { originKinds } from '../../shared/traffic/exchange.ts'
import {
  filterTokenKinds,
  findRefusedWord,
  splitFilterText,
  toTokenFilter,
  type FilterTokenName,
} from '../../shared/traffic/filter-language.ts'
import { trafficFilterSchema, type TrafficFilter } from '../../shared/traffic/traffic-filter.ts'

/** Kinds of values that a shell completes dynamically; `completion values KIND` prints them. */
export const completionKinds = ['profiles', 'methods', 'paths', 'topics', 'notes', 'documents', 'parts'] as const
export type CompletionKind = (typeof completionKinds)[number]

export interface Flag {
  /** The name without its leading dashes. */
  readonly name: string
  readonly short?: string
  /** Placeholder of the value in the help; a switch has none. */
  readonly valueName?: string
  readonly choices?: readonly string[]
  /** A sentence for each choice, which the help lists below the flags. */
  readonly choiceDescriptions?: Readonly<Record<string, string>>
  /** The kind of values that a shell offers for the flag. */
  readonly completionKind?: CompletionKind
  readonly isRepeatable?: true
  /** An empty value is refused. */
  readonly isFilled?: true
  readonly description: string
}

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

type FlagValue<F extends Flag> = F extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : F extends { readonly valueName: string }
    ? F extends { readonly isRepeatable: true }
      ? readonly string[]
      : string
    : boolean

/** Values of a command line, by the names of the flags in camel case. */
export type OptionsOf<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as CamelCase<F['name']>]?: FlagValue<F> | undefined
}

export const hostFlags = [
  { name: 'profile', valueName: 'NAME', completionKind: 'profiles', description: 'a saved profile, by its name or id' },
  { name: 'base-url', valueName: 'URL', description: 'the host at this address' },
  { name: 'demo', description: 'a demo host of its own, for as long as the command runs' },
  { name: 'demo-nodes', valueName: 'N', description: 'number of cards in its generated study set (default 200000)' },
  {
    name: 'demo-dialect',
    valueName: 'D',
    choices: demoDialectNames,
    description: 'how the demo host answers where the documents leave room',
  },
  { name: 'token-file', valueName: 'PATH', description: 'file that holds the token (or set BRIDGE_TOKEN)' },
  { name: 'data-dir', valueName: 'DIR', description: 'where profiles, settings and the journal are kept' },
  {
    name: 'timeout',
    valueName: 'SECONDS',
    description: 'give up after this time; with --wait and watch: stop waiting for the outcome (the host goes on)',
  },
  {
    name: 'retry',
    valueName: 'N',
    description: 'repeat a read this often if the host does not answer or asks to wait; a write never',
  },
] as const satisfies readonly Flag[]

export type HostOptions = OptionsOf<typeof hostFlags>

export const dataDirFlags = hostFlags.filter(({ name }) => name === 'data-dir')

export const outputFlags = [
  { name: 'json', description: 'print JSON' },
  { name: 'quiet', description: 'no progress and no remarks on standard error, only errors' },
  { name: 'no-color', description: 'no colors (or set NO_COLOR)' },
  { name: 'help', short: 'h', description: 'show this text' },
] as const satisfies readonly Flag[]

export type CommandOptions<Flags extends readonly Flag[]> = OptionsOf<Flags> &
  HostOptions &
  OptionsOf<typeof outputFlags>

export const writeFlags = [
  { name: 'write', description: 'allow this command to write; a profile’s read-only lock outranks it' },
  {
    name: 'yes',
    short: 'y',
    description: 'send without asking; nothing is sent without it if there is no terminal to ask at',
  },
  { name: 'wait', description: 'wait until the outcome is settled, and end with the verdict' },
  {
    name: 'wait-lock',
    valueName: 'SECONDS',
    description:
      'wait this long while another program writes with the data directory (default: 10 for a command, 0 for the app)',
  },
] as const satisfies readonly Flag[]

export const outputFormatFlag = {
  name: 'format',
  valueName: 'FORMAT',
  choices: ['ndjson', 'json', 'csv', 'text'],
  description: 'ndjson: one entry a line, as the host sent it; default: text on a terminal, otherwise ndjson',
} as const satisfies Flag

export type OutputFormat = (typeof outputFormatFlag.choices)[number]

export const outputFileFlags = [
  { name: 'output', short: 'o', valueName: 'FILE', description: 'into this file' },
  { name: 'force', description: 'replaces the file if it exists' },
] as const satisfies readonly Flag[]

/** These choose recorded exchanges. */
export const exchangeFlags = [
  {
    name: 'origin',
    valueName: 'ORIGIN',
    description: `only of these callers: a kind (${originKinds.join(', ')}), or the name of a panel or client`,
  },
  { name: 'run', valueName: 'RUN', description: 'only of this run of the program: its number, or last' },
  {
    name: 'filter',
    valueName: 'FILTER',
    description: 'only exchanges that Traffic lists with this filter, such as "status:4xx -route:/guide slower:1s"',
  },
] as const satisfies readonly Flag[]

/** @throws FLAG_INVALID when the value of `--run` is no run */
export function parseRun(value: string | undefined): number | 'last' | undefined {
  if (value === undefined || value === 'last') return value
  if (!/^[1-9]\d{0,8}$/.test(value)) throw createUsageError('--run takes the number of a run, or last.')
  return Number(value)
}

/** Tokens that need more than the stored rows. */
const UNSTORED_NAMES: readonly FilterTokenName[] = ['has', 'id']

function describeFilterValues(word: string): string {
  const kind = Object.entries(filterTokenKinds).find(([name]) => word.replace(/^-/, '').startsWith(`${name}:`))
  if (!kind || kind[1].values.length === 0 || UNSTORED_NAMES.some((name) => name === kind[0])) return ''
  return ` For ${kind[0]}: it knows ${kind[1].values.join(', ')}.`
}

/** @throws FLAG_INVALID for a token that is none, or that needs more than the stored rows */
export function parseExchangeFilter(value: string | undefined): TrafficFilter | undefined {
  if (value === undefined) return undefined
  const typed = splitFilterText(value)
  const { tokens, text } = typed
  const refused = findRefusedWord(typed, UNSTORED_NAMES)
  if (refused !== undefined)
    throw createUsageError(`--filter does not take ${refused.slice(0, 100)}.${describeFilterValues(refused)}`)
  const filter = trafficFilterSchema.safeParse({ ...toTokenFilter(tokens), ...(text === '' ? {} : { text }) })
  if (!filter.success) throw createUsageError('The text of --filter is too long.')
  return filter.data
}

export const sourceRootFlag = {
  name: 'source-root',
  valueName: 'DIR',
  isFilled: true,
  description: 'the folder with the sources that the source maps name; files are named from the working directory',
} as const satisfies Flag

export const sarifFileFlag = {
  name: 'sarif',
  valueName: 'FILE',
  isFilled: true,
  description: 'write the findings into this file, as a SARIF 2.1.0 log',
} as const satisfies Flag

/** Names a file of the repository, because code scanning shows each result at a file. */
export function artifactFlag(description: string) {
  return { name: 'artifact', valueName: 'FILE', isFilled: true, description } as const satisfies Flag
}

/** @throws FLAG_INVALID for a file outside of the repository, or where no report names files */
export function assertArtifact(artifact: string | undefined, isUsed: boolean): void {
  if (artifact === undefined) return
  if (!isUsed) throw createUsageError('--artifact needs a format that names files, such as --sarif.')
  if (/^(?:[/\\]|[a-z]:|[a-z][a-z0-9+.-]*:\/\/)/i.test(artifact) || artifact.split(/[/\\]/).includes('..'))
    throw createUsageError('--artifact takes a path relative to the root of the repository.')
}

/** By default, a redaction does what the dialog of the app suggests. */
export const redactionFlags = [
  {
    name: 'texts',
    valueName: 'P',
    choices: redactionPolicySchema.shape.texts.options,
    description: `texts of the library in a recording (default ${DEFAULT_REDACTION.texts})`,
  },
  {
    name: 'ids',
    valueName: 'P',
    choices: redactionPolicySchema.shape.ids.options,
    description: `ids in a recording (default ${DEFAULT_REDACTION.ids})`,
  },
  {
    name: 'pictures',
    valueName: 'P',
    choices: redactionPolicySchema.shape.pictures.options,
    description: `pictures in a recording (default ${DEFAULT_REDACTION.pictures})`,
  },
] as const satisfies readonly Flag[]

export function toRedactionPolicy({ texts, ids, pictures }: OptionsOf<typeof redactionFlags>): RedactionPolicy {
  return {
    texts: texts ?? DEFAULT_REDACTION.texts,
    ids: ids ?? DEFAULT_REDACTION.ids,
    pictures: pictures ?? DEFAULT_REDACTION.pictures,
  }
}

/** The format that one of these flags chooses; text for none. @throws FLAG_INVALID for several */
export function chooseFormat<const Name extends string>(
  names: readonly Name[],
  options: { readonly [N in Name]?: boolean | undefined },
): Name | 'text' {
  const chosen = names.filter((name) => options[name] === true)
  if (chosen.length > 1) {
    const flags = names.map((name) => `--${name}`)
    throw createUsageError(
      `${flags.slice(0, -1).join(', ')} and ${flags.at(-1) ?? ''} each choose a format. Use only one.`,
    )
  }
  return chosen[0] ?? 'text'
}

/** `message` must repeat no value of the command line, because it could be a misplaced token. */
export function createUsageError(message: string): AppError {
  return new AppError({ kind: 'refused', code: 'FLAG_INVALID', message, retryable: false })
}

/** Parses durations such as `10`, `2.5s`, `500ms` or `2m`. @throws FLAG_INVALID for other texts */
export function parseDurationMs(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const [, number = '', unit = 's'] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(value) ?? []
  if (number === '') throw createUsageError(`--${flag} takes a time in seconds, as 10, 2.5s, 500ms or 2m.`)
  return Number(number) * { ms: 1, s: 1_000, m: 60_000 }[unit as 'ms' | 's' | 'm']
}
