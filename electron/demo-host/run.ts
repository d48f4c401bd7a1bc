import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import { MAX_GENERATED_CARDS } from './library/generated-set.ts'
import { createLibraryFileSchema } from './library/library-file.ts'
import { parseFlags } from '../system/flags.ts'
import { printText } from '../system/output.ts'
import { readRegularFile } from '../system/regular-file.ts'
import { isDialectName } from './dialects/index.ts'
import { isDriftVersion } from './drift/drift.ts'
import { isFaultName } from './faults.ts'
import { startServedRecording } from './recorded/recorded-host.ts'
import { startDemoHost } from './server.ts'
import { demoUsage } from './usage.ts'

const options = {
  port: { type: 'string', default: '42340' },
  'token-file': { type: 'string' },
  from: { type: 'string' },
  'recorded-delays': { type: 'boolean', default: false },
  library: { type: 'string' },
  'library-schema': { type: 'boolean', default: false },
  nodes: { type: 'string' },
  seed: { type: 'string' },
  latency: { type: 'string', default: '0' },
  'pairing-code': { type: 'string' },
  'user-edits': { type: 'string' },
  dialect: { type: 'string' },
  'allow-fault-header': { type: 'boolean', default: false },
  fault: { type: 'string' },
  'drift-version': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseFlags<typeof options>>

type NumberFlag = 'port' | 'nodes' | 'seed' | 'latency' | 'user-edits'

/** These choices are fixed in a recording. */
const libraryFlags = ['library', 'nodes', 'seed', 'pairing-code', 'user-edits', 'dialect', 'drift-version'] as const

function parseWholeNumber(values: Values, name: NumberFlag, max: number, min = 0): number {
  const text = values[name] ?? ''
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  const range = min === 0 ? `up to ${max}` : `from ${min} to ${max}`
  if (!(number >= min && number <= max)) failUsage(`--${name} takes a whole number ${range}, not "${text}".`)
  return number
}

function failUsage(message: string): never {
  throw createRefusedError('FLAG_INVALID', message)
}

/** The token never appears on the command line or in the output; only its file is named. */
function readOrCreateToken(values: Values): { file: string; token: string } {
  const tokenFile = values['token-file']
  if (tokenFile !== undefined) {
    try {
      return {
        file: path.resolve(tokenFile),
        token: readFileSync(tokenFile, 'utf8').trim() || failUsage(`${tokenFile} is empty.`),
      }
    } catch {
      return failUsage(`The token file ${tokenFile} cannot be read.`)
    }
  }
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'demo-host-')), 'token')
  const token = `mnb0.${randomBytes(24).toString('base64url')}`
  writeFileSync(file, token, { mode: 0o600 })
  return { file, token }
}

/** The schema is checked when the host starts. */
function readLibraryFile(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file, { follow: true }).text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    // The message of the parser quotes lines of the file.
    return failUsage(`The library ${file} cannot be read: ${reason.replaceAll(/\s+/g, ' ')}`)
  }
}

/** @returns the start of the host: the simulated one, or a served recording */
function parseStart(values: Values): (token: string) => Promise<{ baseUrl: string; close(): Promise<void> }> {
  const { fault } = values
  if (fault !== undefined && !isFaultName(fault)) failUsage(`There is no fault "${fault}". --help lists them.`)
  const server = {
    port: parseWholeNumber(values, 'port', 65_535),
    latencyMs: parseWholeNumber(values, 'latency', 600_000),
    fault: fault ?? null,
    allowFaultHeader: values['allow-fault-header'],
  }
  const { from } = values
  const keepsDelays = values['recorded-delays']
  if (from !== undefined) {
    const libraryFlag = libraryFlags.find((name) => values[name] !== undefined)
    if (libraryFlag) failUsage(`--${libraryFlag} is for the simulated library, not for the recording of --from.`)
    if (fault === 'drift') failUsage('--fault drift is for the simulated library, not for the recording of --from.')
    return (token) => startServedRecording(from, { ...server, token, keepsDelays })
  }
  if (keepsDelays) failUsage('--recorded-delays is for a recording, which --from names.')
  const dialect = values.dialect ?? '0.91'
  if (!isDialectName(dialect)) failUsage(`There is no dialect "${dialect}". --help lists them.`)
  const pairingCode = values['pairing-code'] ?? null
  if (pairingCode !== null && !/^\d{6}$/.test(pairingCode)) failUsage('--pairing-code takes six digits.')
  const driftVersion = values['drift-version']
  if (driftVersion !== undefined && fault !== 'drift') failUsage('--drift-version is for --fault drift.')
  if (driftVersion !== undefined && !isDriftVersion(driftVersion))
    failUsage(`There is no drift version "${driftVersion}". --help lists them.`)
  const library = values.library === undefined ? undefined : readLibraryFile(values.library)
  const nodes = values.nodes === undefined ? undefined : parseWholeNumber(values, 'nodes', MAX_GENERATED_CARDS, 1)
  const seed = values.seed === undefined ? undefined : parseWholeNumber(values, 'seed', 999_999_999)
  const userEditSeconds = values['user-edits'] === undefined ? 0 : parseWholeNumber(values, 'user-edits', 86_400)
  if (values['user-edits'] !== undefined && userEditSeconds === 0) failUsage('--user-edits takes at least one second.')
  return (token) =>
    startDemoHost({
      ...server,
      token,
      ...(library === undefined ? {} : { library }),
      ...(nodes === undefined ? {} : { nodes }),
      ...(seed === undefined ? {} : { seed }),
      pairingCode,
      dialect,
      ...(driftVersion === undefined ? {} : { driftVersion }),
      ...(userEditSeconds === 0 ? {} : { userEditMs: userEditSeconds * 1_000 }),
    })
}

/** Runs the simulated host or a served recording until a signal. Returns the exit code. */
export async function runDemoHost(args: readonly string[]): Promise<number> {
  const values = parseFlags(options, args)
  if (values.help) {
    await printText(`${demoUsage}\n`)
    return 0
  }
  if (values['library-schema']) {
    await printText(`${JSON.stringify(createLibraryFileSchema(), null, 2)}\n`)
    return 0
  }
  const start = parseStart(values)
  const { file, token } = readOrCreateToken(values)
  // Registered before the address is printed, whose reader may stop the host at once.
  const stopSignal = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  const host = await start(token).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      {
        kind: 'internal',
        code: 'DEMO_HOST_FAILED',
        message: `The demo host could not start: ${reason}`,
        retryable: false,
      },
      { cause: error },
    )
  })
  try {
    await printText(`Demo host: ${host.baseUrl} (token in ${file})\n`)
    await stopSignal
  } finally {
    await host.close()
  }
  return 0
}
