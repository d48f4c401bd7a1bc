import { closeSync, constants, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeDataDir } from './atomic-file.ts'
import { openRegularFile } from '../../system/regular-file.ts'
import type { Redactor } from '../redactor.ts'
import type { PageFault } from '../../../shared/ipc/app.ts'

type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What services log to. Everything is redacted before it reaches a sink. */
export interface Log {
  info(message: string, facts?: Facts): void
  warn(message: string, facts?: Facts): void
  error(message: string, facts?: Facts): void
}

type Sink = (line: string) => void

/** Maximum characters of one fact; cut after redaction, so that no half of a token remains. */
const MAX_FACT_CHARS = 4_000

/** A log that writes each entry to the sink as one line of JSON, after redaction. */
export function createLog(sink: Sink, redactor: Redactor): Log {
  const clean = (value: Facts[string]): Facts[string] =>
    typeof value === 'string' ? redactor.redact(value).slice(0, MAX_FACT_CHARS) : value
  const write =
    (level: string) =>
    (message: string, facts: Facts = {}): void => {
      const entries = Object.entries(facts).map(([name, value]) => [name, clean(value)] as const)
      const entry = { ...Object.fromEntries(entries), at: new Date().toISOString(), level, message: clean(message) }
      // Once more as a whole: a fact's name can reveal that its value is a secret.
      sink(redactor.redact(JSON.stringify(entry)))
    }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}

const MAX_BYTES = 2 * 1024 * 1024

/**
 * A sink that writes to `bridge-inspector.log` in the data directory; at `maxBytes` the file
 * becomes `.old` and a new one begins.
 */
export function createFileSink(dataDir: string, maxBytes = MAX_BYTES): Sink {
  const file = path.join(dataDir, 'bridge-inspector.log')
  return (line) => {
    try {
      makeDataDir(dataDir)
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`)
      append(file, `${line}\n`)
    } catch {
      // A full or read-only disk must not take the program down.
    }
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

function append(file: string, text: string): void {
  const handle = openRegularFile(file, APPEND)
  try {
    writeFileSync(handle, text)
  } finally {
    closeSync(handle)
  }
}

/** Describes something that was thrown; for the log only. */
export function describeError(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/**
 * How many page faults are logged per minute: one that recurs with every frame says nothing new.
 */
const MAX_PER_MINUTE = 20
const MINUTE_MS = 60_000

/**
 * Logs the faults that pages report, and counts those beyond the limit. `now` returns rising
 * milliseconds.
 */
export function createPageFaultLogger(
  log: Log,
  now: () => number = () => performance.now(),
): (fault: PageFault) => void {
  let began = Number.NEGATIVE_INFINITY
  let written = 0
  let unwritten = 0
  return ({ kind, message, stack, where }) => {
    if (now() - began >= MINUTE_MS) {
      if (unwritten > 0) log.warn('the page reported more errors than are logged', { count: unwritten })
      began = now()
      written = 0
      unwritten = 0
    }
    if (written >= MAX_PER_MINUTE) {
      unwritten += 1
      return
    }
    written += 1
    log.error('the page reported an error', { kind, where, reason: stack || message })
  }
}
