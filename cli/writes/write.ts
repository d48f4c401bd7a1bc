// Writes of the command line: review at the terminal, sending, and the verdict. They are sent by
// electron/services/operations. Read this file first, then verdict.ts.
import { createCancelledError, createRefusedError, type AppError } from '../../shared/errors.ts'
import type { CommandDraft, PreparedWrite } from '../../shared/operations/prepared-write.ts'
import { findBodyEncoding } from '../../shared/traffic/body-text.ts'
import type { ExchangeDetail, StoredBody } from '../../shared/traffic/exchange.ts'
import type { Operation } from '../../shared/ipc/operations.ts'
import { verdictTexts } from '../../shared/operations/operation-verdict.ts'
import type { CommandContext } from '../base/command.ts'
import { parseDurationMs } from '../base/flags.ts'
import type { ExitName } from '../../electron/system/program-exits.ts'
import { parseHostError } from '../output/error-text.ts'
import { withOutput, type PrintFunction } from '../base/output-file.ts'
import { getConnectedProfile, type ConnectedSession } from '../base/session.ts'
import { waitForOutcome, getExitName } from './verdict.ts'
import type { Io } from '../base/io.ts'

type WarningCode = PreparedWrite['warnings'][number]['code']

const warnings: Readonly<Record<WarningCode, string>> = {
  'takes-over-screen': 'It shows something on the screen of the host’s user.',
  'cannot-be-undone': 'It can’t be undone.',
  'no-confirm-gate': 'The host executes it at once, whatever the body says about confirm.',
  'may-need-approval': 'From another device, a person has to approve it.',
  'body-differs': 'The body is not as the contract has it; it is sent as it is.',
  'confirm-not-added': 'The body is not an object: confirm can’t be added. A host that asks for it executes nothing.',
  'not-known': 'No document says what this route does.',
  'not-known-no-max': 'No document says what this route does; the host lists it as one that needs no subscription.',
  'addon-is-rewritten': 'For panels a host rewrites addon; from here it is sent unchanged.',
  'requires-max': 'It needs a subscription, as the host says.',
  'not-listed': 'The host does not list this route.',
  'confirm-ignored': 'confirm in the request does not count: it is set here.',
  'unfinished-commit': 'Another commit of the same window has not finished.',
  replay: 'The same request was sent before.',
  'other-target': 'Its request id was used before, with another target.',
  'id-used-before': 'Its request id was used before.',
  'not-journaled': 'It can’t be recorded.',
}

function printWriteReview(io: Io, prepared: PreparedWrite): void {
  const { method, origin, basePath, path, headers, body, added } = prepared
  io.printStderr(`${method} ${origin}${basePath}${path}`)
  for (const [name, value] of Object.entries(headers)) io.printStderr(`${name}: ${value}`)
  if (body !== null) io.printStderr(`\n${body}\n`)
  if (added.length > 0) io.printStderr(`Added here: ${added.join(', ')}`)
  for (const { code, params } of prepared.warnings) {
    const facts = Object.values(params).filter((value) => value !== '')
    io.printStderr(`Note: ${warnings[code]}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`)
  }
}

export interface WriteOptions {
  readonly write?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly wait?: boolean | undefined
  readonly timeout?: string | undefined
  readonly json?: boolean | undefined
  /** Prints status and headers above the body. */
  readonly include?: boolean | undefined
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

export function createWriteFlagError(method: string, path: string): AppError {
  return createRefusedError(
    'WRITE_FLAG',
    `${method} ${path.split('?', 1)[0] ?? ''} may change something. Nothing was sent: add --write to allow it.`,
  )
}

export function parseTimeoutMs({ timeout }: Pick<WriteOptions, 'timeout'>): number | undefined {
  return parseDurationMs('timeout', timeout)
}

/**
 * Shows the write, asks for confirmation, records it and sends it once. With `wait`, also waits for
 * its outcome.
 * @throws READ_ONLY_PROFILE, NOT_JOURNALED, NOT_CONFIRMED and the errors of `operations.send`, all
 *   before anything is sent
 */
export async function sendWrite(
  { io, signal }: CommandContext,
  session: ConnectedSession,
  draft: CommandDraft,
  options: WriteOptions,
): Promise<ExitName> {
  const timeoutMs = parseTimeoutMs(options)
  await unlockProfile(session)
  const prepared = await session.call('operations.prepare', { ...draft, caller: 'command-line' })
  await confirmWrite(io, prepared, options, signal)
  const sentRecord = await session.call('operations.send', { ticket: prepared.ticket })
  const record = options.wait ? await waitForOutcome(session, sentRecord, io, signal, timeoutMs) : sentRecord
  if (signal.aborted) {
    io.printStderr(`INTERRUPTED: It was sent, and is recorded as ${record.summary.id}. It is not sent again.`)
    return 'interrupted'
  }
  let outputError: unknown = null
  const body = await withOutput(io, options, (print) =>
    printResponse(print, session, record, { ...options, isDecoded: isShown(io, options) }),
  ).catch((thrown: unknown) => {
    if (!signal.aborted) outputError = thrown
    return null
  })
  const { code, message } = getFailure(record, body)
  if (code !== null) io.printStderr(`${code}: ${message}`)
  const wait = record.events.find((event) => event.kind === 'answer')?.retryAfterSeconds
  if (code !== null && wait !== undefined) io.printStderr(`The host asks to wait ${wait} s before it is tried again.`)
  const outcomeText = `${verdictTexts[record.summary.verdict.code]} (record ${record.summary.id})`
  // Printed even if the response cannot be, lest the user send the write again.
  if (outputError !== null) {
    io.printStderr(`SENT: ${outcomeText} It is not sent again.`)
    throw outputError
  }
  io.printNote(outcomeText)
  return getExitName(record, prepared.access)
}

/** @throws NOT_JOURNALED, and NOT_CONFIRMED without `yes` or a person's consent at the terminal */
export async function confirmWrite(
  io: CommandContext['io'],
  prepared: PreparedWrite,
  { yes }: Pick<WriteOptions, 'yes'>,
  signal: AbortSignal,
): Promise<void> {
  if (prepared.warnings.some(({ code }) => code === 'not-journaled')) {
    throw createRefusedError(
      'NOT_JOURNALED',
      'It could not be recorded, because the journal can’t be used. Nothing was sent.',
    )
  }
  if (yes !== true) await askConfirmation(io, prepared, signal)
  if (signal.aborted) throw createCancelledError()
}

/** @throws READ_ONLY_PROFILE if a saved profile of this address is read-only, despite all flags */
export async function unlockProfile(session: ConnectedSession): Promise<void> {
  const { profile } = await getConnectedProfile(session)
  const lockedBy = session.app.firstProfile?.sharedAddress?.lockedBy
  if (lockedBy !== undefined && lockedBy !== null && lockedBy !== profile.name) {
    throw createRefusedError(
      'READ_ONLY_PROFILE',
      `The saved profile “${lockedBy}” has the same address and is read-only, which outranks --write and --yes. Nothing was sent. Unlock it in the app first.`,
    )
  }
  if (session.app.firstProfile?.isLocked ?? profile.readOnly) {
    throw createRefusedError(
      'READ_ONLY_PROFILE',
      'The saved profile of this host is read-only, which outranks --write and --yes. Nothing was sent. Unlock it in the app first.',
    )
  }
  if (profile.readOnly) await session.call('operations.unlock', { profileId: profile.id, scope: 'session' })
}

async function askConfirmation(io: CommandContext['io'], prepared: PreparedWrite, signal: AbortSignal): Promise<void> {
  printWriteReview(io, prepared)
  if (!io.canAsk)
    throw createRefusedError(
      'NOT_CONFIRMED',
      'There is no terminal to confirm at. Nothing was sent: add --yes to send it.',
    )
  const reply = await io.askQuestion('Send this? [y/N] ', signal)
  if (!/^y(?:es)?$/i.test(reply?.trim() ?? ''))
    throw createRefusedError('NOT_CONFIRMED', 'Not confirmed. Nothing was sent.')
}

/** Prints the response byte for byte; with `json` the whole record. Returns a short body. */
async function printResponse(
  print: PrintFunction,
  { call }: ConnectedSession,
  record: Operation,
  {
    json = false,
    include = false,
    isDecoded,
  }: Pick<WriteOptions, 'json' | 'include'> & { readonly isDecoded: boolean },
): Promise<Uint8Array | null> {
  if (json) await print(`${JSON.stringify(record, null, 2)}\n`)
  const responseEvent = record.events.find((event) => event.kind === 'answer')
  if (responseEvent === undefined) return null
  const exchange = await call('traffic.exchange', { id: responseEvent.exchangeId })
  const { row, response } = exchange
  if (include && !json) await print(formatResponseHead(exchange))
  // The body is needed only for the message of an error.
  if (json && record.summary.errorCode === null) return null
  return printResponseBody(json ? () => Promise.resolve() : print, call, { seq: row.seq, body: response, isDecoded })
}

/** Formats status and headers like `curl -i`, with an empty line at the end. */
export function formatResponseHead({ row, responseHeaders }: ExchangeDetail): string {
  return [`HTTP/1.1 ${row.status ?? 0}`, ...responseHeaders.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\n',
  )
}

/** Returns true if the output goes to a terminal. */
export function isShown(io: Io, { output }: Pick<WriteOptions, 'output'>): boolean {
  return io.isTerminal && (output === undefined || output === '-')
}

interface PrintedBody {
  readonly seq: number
  readonly body: StoredBody
  /** Text is decoded for a person; a program gets the bytes. */
  readonly isDecoded: boolean
}

/** Returns the body if it was a single chunk. */
export async function printResponseBody(
  print: PrintFunction,
  call: ConnectedSession['call'],
  { seq, body, isDecoded }: PrintedBody,
): Promise<Uint8Array | null> {
  const storedBytes = body.kept
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let singleChunk: Uint8Array | null = null
  for (let start = 0; start < storedBytes;) {
    const { bytes } = await call('traffic.body', { seq, side: 'response', start, end: storedBytes })
    if (bytes.byteLength === 0) break
    singleChunk = start === 0 && bytes.byteLength === storedBytes ? new Uint8Array(bytes) : null
    const chunk = new Uint8Array(bytes)
    if (isDecoded) decoder ??= new TextDecoder(findBodyEncoding(chunk, body).encoding)
    start += bytes.byteLength
    await print(decoder?.decode(chunk, { stream: start < storedBytes }) ?? chunk)
  }
  return singleChunk
}

/** Uses the host's own words if the host sent an error. */
function getFailure({ summary, events }: Operation, body: Uint8Array | null): { code: string | null; message: string } {
  const { errorCode, failureCode } = summary
  const responseEvent = events.find((event) => event.kind === 'answer')
  if (errorCode === null) return { code: failureCode, message: 'The host did not answer.' }
  return {
    code: errorCode,
    message: parseHostError(body).message ?? `The host answered with status ${responseEvent?.status ?? '?'}.`,
  }
}
