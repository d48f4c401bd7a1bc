import { existsSync } from 'node:fs'
import path from 'node:path'
import { readCollection } from '../../electron/services/console/collections.ts'
import { getCallAccess, matchCallTarget, type CallTarget } from '../../shared/bridge/call-target.ts'
import { evaluateAssertions, MAX_ASSERTED_BODY_BYTES } from '../../shared/collections/assertion-result.ts'
import {
  createSequenceSteps,
  runSequence,
  type FilledRequest,
  type SequencePorts,
  type SequenceStep,
  type StepResponse,
} from '../../shared/collections/request-sequence.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { Collection } from '../../shared/ipc/console.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError, parseDurationMs, writeFlags, type CommandOptions, type Flag } from '../base/flags.ts'
import { withOutput } from '../base/output-file.ts'
import { toProgramConfig, type ConnectedSession } from '../base/session.ts'
import { formatError } from '../output/error-text.ts'
import { readKeptBody } from '../output/http-archive.ts'
import { runFormats, runReporters, type RowRun } from '../output/run-report.ts'
import { confirmWrite, createWriteFlagError, unlockProfile } from '../writes/write.ts'
import { mayWrite, readCallTargets, toWriteDraft } from '../writes/write-draft.ts'
import { readDataRows } from './run/data-rows.ts'
import { parseReportTargets } from './run/report-targets.ts'

const flags = [
  {
    name: 'var',
    valueName: 'NAME=VALUE',
    isRepeatable: true,
    description: 'a variable; outranks the one in the file',
  },
  {
    name: 'data',
    valueName: 'FILE',
    isFilled: true,
    description:
      'run the collection once for each row of this file, whose values are variables: CSV with names in its first line, or a JSON list of objects (.csv, .json)',
  },
  { name: 'bail', description: 'stop at the first request that fails' },
  {
    name: 'reporter',
    valueName: 'FORMAT[=FILE]',
    isRepeatable: true,
    description: `what the reports look like, separated by commas: ${runFormats.join(', ')} (default text; --json is the same as json)`,
  },
  { name: 'output', short: 'o', valueName: 'FILE', description: 'write the report that has no file into this file' },
  { name: 'force', description: 'replace files that exist' },
  ...writeFlags.filter(({ name }) => name !== 'wait'),
] as const satisfies readonly Flag[]
type RunOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [name = '']: readonly string[],
  runOptions: RunOptions,
): Promise<CommandExit> {
  const { io, signal } = context
  const { write = false, bail = false, data } = runOptions
  const targets = parseReportTargets(runOptions.reporter ?? [], runOptions)
  const chosenValues = parseVariables(runOptions.var ?? [])
  const { collection, file } = readCollectionFile(name, toProgramConfig(runOptions, context.env).dataDir)
  const rows =
    data === undefined ? [null] : readDataRows(data).map((variables, index) => ({ number: index + 1, variables }))
  if (rows.length * collection.requests.length > MAX_REQUESTS)
    throw createUsageError(
      `These are more than ${MAX_REQUESTS} requests: ${rows.length} rows with each of the collection.`,
    )
  const writing = collection.requests.find(({ method, path: requestPath, body }) => mayWrite(method, requestPath, body))
  if (writing && !write) throw createWriteFlagError(writing.method, writing.path)
  const session = await context.openSession({
    host: runOptions,
    isJournaled: write,
    timeLimit: write ? 'request' : 'command',
    waitLockMs: parseDurationMs('wait-lock', runOptions.waitLock),
  })
  const ports = createPorts(context, session, await readCallTargets(session), runOptions)
  const showStep = (steps: readonly SequenceStep[]): void =>
    io.showProgress(steps.find(({ state }) => state === 'running' || state === 'asking')?.request.name ?? null)
  const runs: RowRun[] = []
  let isStopped = false
  for (const row of rows) {
    const startedAt = Date.now()
    const variables = { ...collection.variables, ...row?.variables, ...chosenValues }
    const steps: readonly SequenceStep[] = isStopped
      ? createSequenceSteps(collection.requests, 'skipped')
      : await runSequence(collection.requests, variables, ports, showStep, signal, !bail)
    runs.push({ row, steps, startedAt, durationMs: Date.now() - startedAt })
    isStopped ||= signal.aborted || (bail && !isPassed(steps))
  }
  io.showProgress(null)
  const report = { collection, file, baseUrl: session.state.profile?.baseUrl ?? '', runs }
  for (const { format, output } of targets)
    await withOutput(io, { output }, (print) => print(runReporters[format](report)))
  return runs.every(({ steps }) => isPassed(steps)) ? 'ok' : 'unmet'
}

/** A report holds each of them. */
const MAX_REQUESTS = 100_000

const isPassed = (steps: readonly SequenceStep[]): boolean => steps.every(({ state }) => state === 'done')

function parseVariables(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, variable, value = ''] = /^(\w{1,60})=(.*)$/s.exec(text) ?? []
      if (variable === undefined) throw createUsageError('--var takes NAME=VALUE.')
      return [variable, value] as const
    }),
  )
}

/**
 * Reads a file, or else a collection that the console saved in the data directory.
 * @throws COLLECTION_UNKNOWN when there is neither, COLLECTION_UNREADABLE when it is no collection
 */
function readCollectionFile(name: string, dataDir: string): { collection: Collection; file: string | null } {
  const fileName = name.endsWith('.json') ? name : `${name}.json`
  const savedFile = path.join(dataDir, 'collections', path.basename(fileName))
  const file = existsSync(fileName) ? path.resolve(fileName) : savedFile
  if (!existsSync(file))
    throw createRefusedError(
      'COLLECTION_UNKNOWN',
      `There is no file ${path.resolve(fileName)}, and no collection ${file}.`,
      { file },
    )
  const result = readCollection(path.dirname(file), path.basename(file), () => false)
  if (!('reason' in result)) {
    const relativeFile = path.relative(process.cwd(), file)
    const isBelow = !path.isAbsolute(relativeFile) && relativeFile.split(path.sep)[0] !== '..'
    return { collection: result, file: isBelow ? relativeFile.replaceAll(path.sep, '/') : null }
  }
  const reason = result.member === null ? result.reason : `${result.reason}: ${result.member}`
  throw createRefusedError('COLLECTION_UNREADABLE', `${file} is no collection that can be run (${reason}).`, { file })
}

function createPorts(
  { io, signal }: CommandContext,
  session: ConnectedSession,
  targets: readonly CallTarget[],
  runOptions: RunOptions,
): SequencePorts {
  const { call } = session

  async function readResponse(id: { seq: number } | { id: string }, operationId: string | null): Promise<StepResponse> {
    const detail = await call('traffic.exchange', id)
    const readBody = async (): Promise<string | null> => {
      const bytes = await readBodyBytes(detail)
      return bytes && new TextDecoder().decode(bytes)
    }
    const { seq, status, durationMs } = detail.row
    return { seq, operationId, status: status ?? 0, durationMs, readBody }
  }

  /** Returns null if a part of the body is missing, or it is too long. */
  async function readBodyBytes({ row: { seq }, response }: ExchangeDetail): Promise<Uint8Array | null> {
    if (response.missing !== null || response.kept > MAX_ASSERTED_BODY_BYTES) return null
    const bytes = await readKeptBody(call, { seq, side: 'response', end: response.kept })
    return bytes.byteLength < response.kept ? null : bytes
  }

  async function sendWrite({ method, path: requestPath, body }: FilledRequest): Promise<StepResponse> {
    if (runOptions.write !== true) throw createWriteFlagError(method, requestPath)
    await unlockProfile(session)
    const draft = toWriteDraft(matchCallTarget(method, requestPath, targets), requestPath, body)
    const prepared = await call('operations.prepare', { ...draft, caller: 'command-line' })
    await confirmWrite(io, prepared, runOptions, signal)
    const { summary, events } = await call('operations.send', { ticket: prepared.ticket })
    const responseEvent = events.find((event) => event.kind === 'answer')
    if (responseEvent) return readResponse({ id: responseEvent.exchangeId }, summary.id)
    return { seq: null, operationId: summary.id, status: 0, readBody: () => Promise.resolve(null) }
  }

  return {
    isRead: ({ method, path: requestPath, body }) =>
      getCallAccess(method, matchCallTarget(method, requestPath, targets), body) === 'read',
    send: async (request) => readResponse(await call('traffic.send', { ...request }), null),
    review: sendWrite,
    async checkAssertions({ assertions }, variables, { seq, status }) {
      const detail = seq === null ? null : await call('traffic.exchange', { seq })
      return evaluateAssertions(assertions, variables, {
        status,
        durationMs: detail?.row.durationMs ?? null,
        endpointId: detail?.row.endpoint ?? null,
        body: detail && (await readBodyBytes(detail)),
      })
    },
    describeError: formatError,
  }
}

export const runCommand = defineCommand({
  name: 'run',
  summary: 'Run a collection of the console, and report what holds',
  description: [
    'Sends the saved requests in their order; values that a response gives are variables of the next ones. A request fails without a response, or with an assertion that does not hold, a status that was not expected, or a variable without a value. The reads after it are still sent, except those that need a value of it; writes are not, because they may rest on what failed. --bail stops there. Ends with 11 if one failed.',
    '--data sends the collection once for each row; the values of --var outrank those of a row, and these the ones of the collection.',
    'A collection that writes needs --write; each write is confirmed at the terminal, or with --yes, and recorded in the journal.',
  ],
  args: [{ name: 'collection', required: true, description: 'file of the collection, or its name in the console' }],
  flags,
  examples: [
    { commandLine: 'run smoke.json --profile work', description: 'the requests of a file, in order' },
    { commandLine: 'run smoke.json --var topic=TOPIC --reporter junit -o report.xml --demo', description: 'for CI' },
    {
      commandLine: 'run smoke.json --data topics.csv --reporter junit=topics.xml,html=topics.html,github --demo',
      description: 'once for each row, with three reports',
    },
  ],
  hasHostFlags: true,
  run,
})
