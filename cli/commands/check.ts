import { openRecording, type RecordingFile } from '../../electron/recording-file/index.ts'
import { AppError, toWireError } from '../../shared/errors.ts'
import { isJsonPointer } from '../../shared/json/pointer.ts'
import {
  RecordedReads,
  type RecordedRead,
  type UncheckedRequest,
} from '../../electron/core/recordings/check/recorded-reads.ts'
import { ResentRun } from '../../electron/core/recordings/comparison/resent-run.ts'
import {
  checkResponse,
  learnVolatilePointers,
  MAX_LEARNED_BYTES,
  shapeDifferenceKinds,
  type CheckedResponse,
} from '../../electron/core/recordings/check/response-check.ts'
import { parseRequestMeaning } from '../../electron/core/recordings/replay/request-meaning.ts'
import type { RecordedExchange, RedactionPolicy } from '../../shared/recordings/recording.ts'
import { RecordingRedactor } from '../../electron/core/redaction/redaction.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  chooseFormat,
  createUsageError,
  outputFileFlags,
  parseDurationMs,
  writeFlags,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import type { ConnectedSession } from '../base/session.ts'
import { checkReporters, countOutcomes, type CheckedRead, type CheckReport } from '../output/check-report.ts'
import { readKeptBody } from '../output/http-archive.ts'
import { assertDemoHost, sendRecordedWrite } from '../writes/recorded-write.ts'
import { readCallTargets } from '../writes/write-draft.ts'
import { unlockProfile } from '../writes/write.ts'

const flags = [
  {
    name: 'ignore',
    valueName: 'POINTER',
    isRepeatable: true,
    description: 'leave out this place, such as /nodes/*/updatedAt (* is any list entry)',
  },
  { name: 'shape', description: 'compare statuses, types and members, but no values' },
  { name: 'junit', description: 'print a JUnit report' },
  { name: 'sarif', description: 'print a SARIF 2.1.0 log' },
  { name: 'markdown', description: 'print a Markdown table' },
  ...writeFlags.filter(({ name }) => name !== 'wait'),
  ...outputFileFlags,
] as const satisfies readonly Flag[]
type CheckOptions = CommandOptions<typeof flags>

/** Differences of one read that are listed; further ones are counted. */
const MAX_LISTED_DIFFERENCES = 200
/** Of the recorded responses to one read, only the last ones show what is volatile. */
const MAX_LEARNED_RESPONSES = 20
/** After this number of reads in a row without any response, the host is most likely gone. */
const MAX_FAILED_IN_A_ROW = 3

async function run(
  context: CommandContext,
  [file = '']: readonly string[],
  checkOptions: CheckOptions,
): Promise<CommandExit> {
  const { io, version } = context
  const format = chooseFormat(['json', 'junit', 'sarif', 'markdown'], checkOptions)
  const ignored = parseIgnored(checkOptions.ignore ?? [])
  assertOutputWritable(checkOptions)
  const recording = await openRecording(file)
  try {
    const { write: areWritesSent = false, yes, waitLock } = checkOptions
    const session = await context.openSession({
      host: checkOptions,
      isAnyResponseAllowed: true,
      timeLimit: 'request',
      isJournaled: areWritesSent,
      waitLockMs: parseDurationMs('wait-lock', waitLock),
    })
    if (areWritesSent) {
      await assertDemoHost(session)
      await unlockProfile(session)
    }
    const report = await checkRecording(context, session, recording, {
      file,
      ignored,
      areWritesSent,
      yes,
      shape: checkOptions.shape === true,
    })
    io.showProgress(null)
    await withOutput(io, checkOptions, (print) =>
      Promise.resolve(print(checkReporters[format](report, version, process.cwd()))),
    )
    return printRemarks(context, report)
  } finally {
    await recording.close()
  }
}

function parseIgnored(pointers: readonly string[]): readonly string[] {
  for (const pointer of pointers)
    if (!isJsonPointer(pointer))
      throw createUsageError('--ignore takes a JSON pointer, such as /nodes/*/updatedAt; * stands for any list entry.')
  return pointers
}

interface Settings {
  readonly file: string
  readonly ignored: readonly string[]
  /** True if values are not compared. */
  readonly shape: boolean
  /** True if recorded writes are sent again. */
  readonly areWritesSent: boolean
  readonly yes: boolean | undefined
}

async function checkRecording(
  context: CommandContext,
  session: ConnectedSession,
  recording: RecordingFile,
  { file, ignored, shape, areWritesSent, yes }: Settings,
): Promise<CheckReport> {
  const { io, signal } = context
  const startedAt = Date.now()
  const { redaction } = recording.manifest
  const { reads, unchecked } = await collectReads(recording, areWritesSent)
  const targets = areWritesSent ? await readCallTargets(session) : []
  const resentRun = areWritesSent ? new ResentRun(redaction) : null
  const unasked: UncheckedRequest[] = []
  const checked: CheckedRead[] = []
  const volatilePointers = new Set<string>()
  let failedInARow = 0
  for (const [index, read] of reads.entries()) {
    if (signal.aborted || failedInARow >= MAX_FAILED_IN_A_ROW) break
    const { method, path, endpoint } = read
    io.showProgress(`${index + 1} of ${reads.length}: ${method} ${path}`)
    const learned = await learnVolatile(recording, read)
    for (const pointer of learned) volatilePointers.add(pointer)
    const expected = await loadExpected(recording, read)
    const request = resentRun === null ? read : resentRun.translateRequest(read)
    if (request === null) {
      resentRun?.missResponse(expected, endpoint)
      unasked.push({ method, path, reason: 'created' })
      continue
    }
    if (read.isWrite) resentRun?.startWrite()
    const actual = await askAgain(session, () =>
      read.isWrite
        ? sendRecordedWrite(context, session, { ...request, method }, { targets, yes })
        : sendRead(session, { ...request, method }),
    )
    if (typeof actual === 'string') {
      resentRun?.missResponse(expected, endpoint)
      failedInARow += 1
      checked.push({ method, path, differences: [], total: 0, problem: actual })
      continue
    }
    failedInARow = 0
    const omitted = [...ignored, ...learned]
    const { differences, total } =
      resentRun?.checkResponse(expected, actual, endpoint, omitted) ??
      checkResponse(expected, actual, omitted, redaction && { policy: redaction, endpoint })
    const counted = shape ? differences.filter(({ kind }) => shapeDifferenceKinds.has(kind)) : differences
    checked.push({
      method,
      path,
      problem: null,
      differences: counted.slice(0, MAX_LISTED_DIFFERENCES),
      total: shape ? counted.length : total,
    })
  }
  return {
    file,
    checked,
    unchecked: [...unchecked, ...unasked],
    startedAt,
    baseUrl: session.state.profile?.baseUrl ?? '',
    volatilePointers: [...volatilePointers].sort(),
    notCompared: describeNotCompared(redaction),
    isPartial: checked.length + unasked.length < reads.length,
    durationMs: Date.now() - startedAt,
  }
}

function describeNotCompared(redaction: RedactionPolicy | null): string {
  if (redaction === null) return ''
  const kinds = [
    ...(redaction.texts === 'keep' ? [] : ['texts']),
    ...(redaction.ids === 'keep' ? [] : ['ids']),
    ...(redaction.texts === 'keep' && redaction.pictures === 'keep' ? [] : ['pictures and documents']),
  ]
  return `Not compared, because the recording is redacted: ${kinds.join(', ')}.`
}

async function collectReads(recording: RecordingFile, areWritesSent: boolean): Promise<RecordedReads> {
  const { redaction } = recording.manifest
  const redactor = redaction && new RecordingRedactor(redaction)
  const reads = new RecordedReads((exchange, text) => redactor?.leavesRequest(exchange, text) ?? true, {
    areWritesSent,
  })
  for await (const exchange of recording.readExchanges()) {
    const { method, path, endpoint: endpointId } = exchange.row
    const body = exchange.requestBody === null ? null : await recording.readBody(exchange.requestBody)
    const bodyText = body === null ? null : Buffer.from(body).toString()
    reads.add(exchange, parseRequestMeaning({ method, path, bodyText, endpointId }), bodyText)
  }
  return reads
}

const loadBody = async (recording: RecordingFile, { responseBody }: RecordedExchange): Promise<Uint8Array> =>
  responseBody === null ? new Uint8Array() : recording.readBody(responseBody)

async function learnVolatile(recording: RecordingFile, { exchanges }: RecordedRead): Promise<string[]> {
  const bodies: Uint8Array[] = []
  for (const exchange of exchanges.slice(-MAX_LEARNED_RESPONSES)) {
    if (exchange.row.bytes <= MAX_LEARNED_BYTES) bodies.push(await loadBody(recording, exchange))
  }
  return learnVolatilePointers(bodies)
}

async function loadExpected(recording: RecordingFile, { exchanges }: RecordedRead): Promise<CheckedResponse> {
  const exchange = exchanges.at(-1)
  if (!exchange) return { status: null, mediaType: '', bytes: new Uint8Array() }
  const { status, mediaType } = exchange.row
  return { status, mediaType, bytes: await loadBody(recording, exchange) }
}

const sendRead = async (
  { call }: ConnectedSession,
  { method, path, bodyText }: Pick<RecordedRead, 'method' | 'path' | 'bodyText'>,
): Promise<ExchangeDetail> => call('traffic.exchange', await call('traffic.send', { method, path, body: bodyText }))

/** After one of these codes, nothing further is sent. */
const GATE_CODES: ReadonlySet<string | undefined> = new Set(['NOT_CONFIRMED', 'NOT_JOURNALED', 'READ_ONLY'])

/** Returns a text that says why there is no response. */
async function askAgain(
  { call }: ConnectedSession,
  send: () => Promise<ExchangeDetail | string>,
): Promise<CheckedResponse | string> {
  try {
    const exchange = await send()
    if (typeof exchange === 'string') return exchange
    const { row, response } = exchange
    if (response.missing !== null) return 'The response is larger than what this program reads.'
    const bytes = await readKeptBody(call, { seq: row.seq, side: 'response', end: response.kept })
    return { status: row.status, mediaType: row.mediaType, bytes }
  } catch (error) {
    if (!(error instanceof AppError) || GATE_CODES.has(error.code)) throw error
    const { kind, code = kind, message } = toWireError(error)
    return `${code}: ${message}`
  }
}

function printRemarks({ io }: CommandContext, report: CheckReport): CommandExit {
  const { checked, volatilePointers, unchecked, isPartial } = report
  const { different, failed } = countOutcomes(report)
  // Nothing was checked then, which must not look like a success.
  if (checked.length === 0) io.printStderr('NOTHING_CHECKED: The recording has no read that could be asked again.')
  if (isPartial) io.printStderr('STOPPED: This is only a part: not every recorded read was asked.')
  if (volatilePointers.length > 0)
    io.printNote(`Not compared, because it differs in the recording itself: ${volatilePointers.join(', ')}.`)
  if (unchecked.length > 0) io.printNote(`${unchecked.length} recorded requests were not asked again.`)
  if (different > 0 || checked.length === 0) return 'unmet'
  return failed > 0 || isPartial ? 'partial' : 'ok'
}

export const checkCommand = defineCommand({
  name: 'check',
  summary: 'Ask the reads of a recording again of another host or version, and compare the responses',
  description: [
    'Each read of the recording is asked once: its status, media type, shape and values are compared with the last response that was recorded. Writes are not sent, nor what takes over the screen. Pages after the first are left out, because a cursor belongs to the host that gave it.',
    'What differs between recorded responses to the same read is volatile and not compared; --ignore names further places. With --shape, only statuses, types and members are compared. What a redaction replaced is not compared, and a read that asks for it is not asked.',
    'With --write, the recorded writes are sent as well, in their order between the reads, if the host says in its status that it is a demo, as the demo host does (--demo); any other host is refused before anything is asked. Each is confirmed unless --yes is given, recorded in the journal, and followed to its outcome. What the writes create has other ids then, which count as the recorded ones; times, revisions and cursors are not compared, and a request that names what only the recording created is not asked.',
    'The exit code is 11 if anything differs.',
  ],
  args: [{ name: 'file', required: true, description: 'a recording (.birec)' }],
  flags,
  examples: [
    { commandLine: 'check day.birec --base-url http://127.0.0.1:42340', description: 'against this host' },
    { commandLine: 'check day.birec --demo --write --yes', description: 'with its writes, which only a demo gets' },
    { commandLine: 'check day.birec --profile work --shape --junit -o check.xml', description: 'for CI' },
  ],
  hasHostFlags: true,
  run,
})
