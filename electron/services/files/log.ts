import { closeSync, constants, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeDataDir } from './atomic-file.ts'
import { openRegularFile } from '../../system/regular-file.ts'
import type { Redactor } from '../redactor.ts'
import type { PageFault } from '../../../shared/ipc/app.ts'

type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The log of the services. Every entry is redacted before it is written. */
export interface Log {
  info(message: string, facts?: LogFacts): void
  warn(message: string, facts?: LogFacts): void
  error(message: string, facts?: LogFacts): void
}

type LogSink = (line: string) => void

/** Truncated after redaction, so that no half of a token remains. */
const MAX_FACT_CHARS = 4_000

/** Creates a log that writes each entry to the sink as one line of JSON, after redaction. */
export function createLog(sink: LogSink, redactor: Redactor): Log {
  const redactFact = (value: LogFacts[string]): LogFacts[string] =>
    typeof value === 'string' ? redactor.redact(value).slice(0, MAX_FACT_CHARS) : value
  const createWriter =
    (level: string) =>
    (message: string, facts: LogFacts = {}): void => {
      const entries = Object.entries(facts).map(([name, value]) => [name, redactFact(value)] as const)
      const entry = {
        ...Object.fromEntries(entries),
        at: new Date().toISOString(),
        level,
        message: redactFact(message),
      }
      // The complete line is redacted again: a fact's name can reveal that its value is a secret.
      sink(redactor.redact(JSON.stringify(entry)))
    }
  return { info: createWriter('info'), warn: createWriter('warn'), error: createWriter('error') }
}

const MAX_LOG_BYTES = 2 * 1024 * 1024

/** Appends to `bridge-inspector.log`; at `maxBytes` it becomes `.old` and a new one begins. */
export function createFileSink(dataDir: string, maxBytes = MAX_LOG_BYTES): LogSink {
  const file = path.join(dataDir, 'bridge-inspector.log')
  return (line) => {
    try {
      makeDataDir(dataDir)
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`)
      appendText(file, `${line}\n`)
    } catch {
      // A full or read-only disk must not end the program.
    }
  }
}

const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

function appendText(file: string, text: string): void {
  const handle = openRegularFile(file, APPEND_FLAGS)
  try {
    writeFileSync(handle, text)
  } finally {
    closeSync(handle)
  }
}

/** Describes a thrown value with its stack; for the log only. */
export function describeError(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** A fault that recurs with every frame would fill the log. */
const MAX_FAULTS_PER_MINUTE = 20
const MINUTE_MS = 60_000

/** Counts faults beyond the limit per minute; `now` returns monotonic milliseconds. */
export function createPageFaultLogger(
  log: Log,
  now: () => number = () => performance.now(),
): (fault: PageFault) => void {
  let periodStart = Number.NEGATIVE_INFINITY
  let loggedCount = 0
  let skippedCount = 0
  return ({ kind, message, stack, where }) => {
    if (now() - periodStart >= MINUTE_MS) {
      if (skippedCount > 0) log.warn('the page reported more errors than are logged', { count: skippedCount })
      periodStart = now()
      loggedCount = 0
      skippedCount = 0
    }
    if (loggedCount >= MAX_FAULTS_PER_MINUTE) {
      skippedCount += 1
      return
    }
    loggedCount += 1
    log.error('the page reported an error', { kind, where, reason: stack || message })
  }
}
