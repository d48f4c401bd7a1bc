import path from 'node:path'
import { createRefusedError } from '../shared/errors.ts'
import type { PanelSource } from '../shared/panel/panel.ts'
import { isRecordingName } from '../shared/recordings/recording.ts'
import { dialectTraits, isDialectName, type DialectName } from './demo-host/dialects/index.ts'
import { readTokenFile, type TokenFileProblem } from './services/files/token-file.ts'
import type { NewNotice } from './services/notices.ts'
import { normaliseBaseUrl } from './services/profiles/base-url.ts'
import { Secret } from './services/secret.ts'
import { parseFlags } from './system/flags.ts'
import { getUserFolder } from './system/user-folder.ts'

export { checkDataDir } from './services/files/data-dir.ts'

type Environment = Readonly<Record<string, string | undefined>>

const TOKEN_VARIABLES = ['BRIDGE_TOKEN', 'MN_BRIDGE_TOKEN']

/**
 * Copies the environment and removes the tokens from `env`, so that programs that this program
 * starts do not inherit the tokens. The system still shows the initial environment of this process
 * to everyone who may read it.
 */
export function extractEnvironment(env: Record<string, string | undefined>): Environment {
  const original = { ...env }
  for (const name of TOKEN_VARIABLES) Reflect.deleteProperty(env, name)
  return original
}

/** Copies the environment without the tokens; on Windows, the case of names varies. */
export function removeTokens(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !TOKEN_VARIABLES.includes(name.toUpperCase())))
}

export interface Config {
  readonly demo: boolean
  /** The number of cards in the demo library's generated study set. */
  readonly demoNodes: number
  /** How the demo host behaves where the spec leaves room. */
  readonly demoDialect: DialectName
  /** An address in the form that `normaliseBaseUrl` returns. */
  readonly baseUrl: string | null
  /** The name or id of a saved profile; only the command line sets it. */
  readonly profile: string | null
  readonly token: Secret | null
  readonly dataDir: string
  readonly panel: PanelSource | null
  /** Absolute path of a recording to show in place of a host. */
  readonly recording: string | null
  /** The port of the browser host; 0 means any free port. */
  readonly port: number
  readonly open: boolean
  /** If true, requests of a separate client are recorded from the start. */
  readonly record: boolean
  /** If true, the packaged desktop app has developer tools, which are those of its whole window. */
  readonly hasDevTools: boolean
  /** Maximum duration of a request besides the settings' limit; set only by the command line. */
  readonly timeoutMs: number | null
  /** Warnings about values that were accepted nevertheless. */
  readonly warnings: readonly NewNotice[]
}

export const programUsage = `Flags (after --), and the path of a recording to open (FILE.birec, FILE.har):
  --demo             start the demo host and connect to it
  --demo-nodes N     number of cards in its generated study set (default 200000)
  --demo-dialect D   how it answers where the documents leave room: 0.91 (default), 0.49, strict, loose, open
  --base-url URL     connect to this host
  --token-file PATH  file that holds the token (or set BRIDGE_TOKEN)
  --data-dir DIR     where profiles and settings are kept
  --panel DIR|URL    open this panel: a folder with an index.html, or a development server on this machine
  --port N           port of the browser host (0 for any)
  --record           record another client: prints a second line with the address and key for it
  --dev-tools        let the desktop app open the developer tools of its window, for the code of a panel
  --no-open          do not open a browser
  --help             show this text`

const flags = {
  demo: { type: 'boolean' },
  'demo-nodes': { type: 'string' },
  'demo-dialect': { type: 'string' },
  'base-url': { type: 'string' },
  'token-file': { type: 'string' },
  'data-dir': { type: 'string' },
  panel: { type: 'string' },
  port: { type: 'string' },
  'dev-tools': { type: 'boolean' },
  'no-open': { type: 'boolean' },
  record: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

export const flagsWithValue: readonly string[] = Object.entries(flags)
  .filter(([, { type }]) => type === 'string')
  .map(([name]) => `--${name}`)

export function isValueFlag(flag: string): boolean {
  return flagsWithValue.includes(flag)
}

/**
 * Parses the flags of the program. A token is never accepted as a flag, because every program on
 * this machine can read arguments.
 *
 * @throws FLAG_… (`AppError`) with one line for the user, and the errors of `normaliseBaseUrl`.
 */
export function parseConfig(argv: readonly string[], env: Environment): Config {
  assertNoTokenFlag(argv)
  const recording = findRecordingFile(argv)
  const values = parseFlags(
    flags,
    argv.filter((arg) => arg !== recording),
  )
  if (values.demo && values['base-url'] !== undefined) {
    throw createRefusedError(
      'FLAG_CONFLICT',
      '--demo and --base-url both say what to connect to. Use only one of them.',
    )
  }
  if (values['data-dir'] === '') throw createRefusedError('FLAG_DATA_DIR', '--data-dir takes the path of a directory.')
  const { token, warnings } = readToken(values['token-file'], env)
  return {
    demo: values.demo ?? false,
    demoNodes: parseWholeNumber('demo-nodes', values['demo-nodes'], 200_000, 1, 1_000_000),
    demoDialect: parseDialect(values['demo-dialect'] ?? '0.91'),
    baseUrl: values['base-url'] === undefined ? null : normaliseBaseUrl(values['base-url']),
    profile: null,
    timeoutMs: null,
    token,
    dataDir: path.resolve(values['data-dir'] ?? getDefaultDataDir(env)),
    recording: recording === null ? null : path.resolve(recording),
    panel: values.panel === undefined ? null : parsePanelSource(values.panel),
    port: parseWholeNumber('port', values.port, 0, 0, 65_535),
    record: values.record ?? false,
    hasDevTools: values['dev-tools'] ?? false,
    open: !(values['no-open'] ?? false),
    warnings,
  }
}

/** The argument that is a recording's path, as a file manager passes it; null if there is none. */
function findRecordingFile(argv: readonly string[]): string | null {
  const isFile = (arg: string, index: number): boolean =>
    !arg.startsWith('-') && !isValueFlag(argv[index - 1] ?? '') && isRecordingName(arg)
  return argv.find(isFile) ?? null
}

/** @throws FLAG_TOKEN when a token is on the command line. */
export function assertNoTokenFlag(argv: readonly string[]): void {
  if (!argv.some((arg) => arg === '--token' || arg.startsWith('--token='))) return
  throw createRefusedError(
    'FLAG_TOKEN',
    'A token on the command line can be read by other programs and is not accepted. Use --token-file PATH or BRIDGE_TOKEN.',
  )
}

function parseWholeNumber(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  if (text === undefined) return fallback
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw createRefusedError(
      'FLAG_NUMBER',
      `--${name} takes a whole number from ${min} to ${max}, not "${text.slice(0, 40)}".`,
    )
  }
  return value
}

/** A text that is no server address is a folder, which is checked when the panel is opened. */
function parsePanelSource(text: string): PanelSource {
  if (text === '')
    throw createRefusedError('FLAG_PANEL', '--panel takes a folder, or the address of a development server.')
  if (!/^https?:\/\//i.test(text)) return { kind: 'folder', path: path.resolve(text) }
  if (!URL.canParse(text))
    throw createRefusedError('FLAG_PANEL', `--panel does not take the address "${text.slice(0, 100)}".`)
  return { kind: 'server', url: text }
}

function parseDialect(text: string): DialectName {
  if (isDialectName(text)) return text
  const names = Object.keys(dialectTraits).join(', ')
  throw createRefusedError('FLAG_DIALECT', `--demo-dialect takes one of ${names}, not "${text.slice(0, 40)}".`)
}

function readToken(
  file: string | undefined,
  env: Environment,
): { token: Secret | null; warnings: readonly NewNotice[] } {
  if (file === undefined) {
    const fromEnv = env['BRIDGE_TOKEN']?.trim()
    return { token: fromEnv ? new Secret(fromEnv) : null, warnings: [] }
  }
  const { token, problem } = readTokenFile(file) ?? { token: null, problem: 'unreadable' }
  if (token === null) throw createRefusedError('FLAG_TOKEN_FILE', tokenFileMessages[problem](file))
  const notice = { level: 'warning', code: 'TOKEN_FILE_READABLE', params: { file } } as const
  return {
    token: new Secret(token),
    warnings: problem === null ? [] : [{ ...notice, message: tokenFileMessages[problem](file) }],
  }
}

const tokenFileMessages: Readonly<Record<TokenFileProblem, (file: string) => string>> = {
  unreadable: (file) => `The token file ${file} cannot be read.`,
  empty: (file) => `The token file ${file} is empty.`,
  'not-a-file': (file) =>
    `The token file ${file} is not a regular file, or is too large for a token. Use a small regular file, or BRIDGE_TOKEN.`,
  foreign: (file) => `The token file ${file} belongs to another user. Use a file of your own, or BRIDGE_TOKEN.`,
  writable: (file) => `Other users can change the token file ${file}. Make it private (chmod 600 ${file}).`,
  readable: (file) => `Other users can read the token file ${file}. Make it private (chmod 600 ${file}).`,
}

export function getDefaultDataDir(env: Environment): string {
  return path.join(getUserFolder('config', env), 'bridge-inspector')
}
