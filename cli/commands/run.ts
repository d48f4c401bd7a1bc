import { existsSync } from 'node:fs'
import path from 'node:path'
import { readCollection } from '../../electron/services/console/collections.ts'
import { getCallAccess, matchCallTarget, type CallTarget } from '../../shared/bridge/call-target.ts'
import { evaluateAssertions, MAX_ASSERTED_BODY_BYTES } from '../../shared/collections/assertion-result.ts'
import {
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
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { toProgramConfig, type ConnectedSession } from '../base/session.ts'
import { formatError } from '../output/error-text.ts'
import { readKeptBody } from '../output/http-archive.ts'
import { runReporters } from '../output/run-report.ts'
import { confirmWrite, createWriteFlagError, unlockProfile } from '../writes/write.ts'
import { mayWrite, readCallTargets, toWriteDraft } from '../writes/write-draft.ts'

const flags = [
  {
    name: 'var',
    valueName: 'NAME=VALUE',
    isRepeatable: true,
    description: 'a variable; outranks the one in the file',
  },
  {
    name: 'reporter',
    valueName: 'FORMAT',
    choices: ['text', 'json', 'junit'],
    description: 'what the report looks like (default text; --json is the same as json)',
  },
  { name: 'output', short: 'o', valueName: 'FILE', description: 'write the report into this file' },
  { name: 'force', description: 'replace the file if it exists' },
  ...writeFlags.filter(({ name }) => name !== 'wait'),
] as const satisfies readonly Flag[]
type RunOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [name = '']: readonly string[],
  runOptions: RunOptions,
): Promise<CommandExit> {
  const { io, signal } = context
  const { reporter = runOptions.json ? 'json' : 'text', write = false } = runOptions
  assertOutputWritable(runOptions)
  const chosenValues = parseVariables(runOptions.var ?? [])
  const collection = readCollectionFile(name, toProgramConfig(runOptions, context.env).dataDir)
  const writing = collection.requests.find(({ method, path: requestPath, body }) => mayWrite(method, requestPath, body))
  if (writing && !write) throw createWriteFlagError(writing.method, writing.path)
  const session = await context.openSession({
    host: runOptions,
    isJournaled: write,
    timeLimit: write ? 'request' : 'command',
    waitLockMs: parseDurationMs('wait-lock', runOptions.waitLock),
  })
  const ports = createPorts(context, session, await readCallTargets(session), runOptions)
  const startedAt = Date.now()
  const showStep = (steps: readonly SequenceStep[]): void =>
    io.showProgress(steps.find(({ state }) => state === 'running' || state === 'asking')?.request.name ?? null)
  const steps = await runSequence(
    collection.requests,
    { ...collection.variables, ...chosenValues },
    ports,
    showStep,
    signal,
  )
  io.showProgress(null)
  const report = { collection, steps, startedAt, durationMs: Date.now() - startedAt }
  await withOutput(io, runOptions, (print) => Promise.resolve(print(runReporters[reporter](report))))
  return steps.every(({ state }) => state === 'done') ? 'ok' : 'unmet'
}

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
function readCollectionFile(name: string, dataDir: string): Collection {
  const fileName = name.endsWith('.json') ? name : `${name}.json`
  const savedFile = path.join(dataDir, 'collections', path.basename(fileName))
  const file = existsSync(fileName) ? path.resolve(fileName) : savedFile
  if (!existsSync(file))
    throw createRefusedError(
      'COLLECTION_UNKNOWN',
      `There is no file ${path.resolve(fileName)}, and no collection ${file}.`,
      { file },
    )
  const collection = readCollection(path.dirname(file), path.basename(file), () => false)
  if (typeof collection !== 'string') return collection
  throw createRefusedError('COLLECTION_UNREADABLE', `${file} is no collection that can be run (${collection}).`, {
    file,
  })
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
    return { seq: detail.row.seq, operationId, status: detail.row.status ?? 0, readBody }
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
    'Sends the saved requests in their order; values that a response gives are variables of the next ones. It stops at the first request that fails: no response, an assertion that does not hold, a status that was not expected, or a variable without a value. Ends with 11 if one failed.',
    'A collection that writes needs --write; each write is confirmed at the terminal, or with --yes, and recorded in the journal.',
  ],
  args: [{ name: 'collection', required: true, description: 'file of the collection, or its name in the console' }],
  flags,
  examples: [
    { commandLine: 'run smoke.json --profile work', description: 'the requests of a file, in order' },
    { commandLine: 'run smoke.json --var topic=TOPIC --reporter junit -o report.xml --demo', description: 'for CI' },
  ],
  hasHostFlags: true,
  run,
})
