import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Redactor } from './redact.ts'

export type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>

/** What services log to. Everything is redacted before it reaches a sink. */
export interface Log {
  info(message: string, facts?: Facts): void
  warn(message: string, facts?: Facts): void
  error(message: string, facts?: Facts): void
}

export type Sink = (line: string) => void

/** A log that writes one JSON line an entry to the sink, after redaction. */
export function createLog(sink: Sink, redactor: Redactor): Log {
  const write =
    (level: string) =>
    (message: string, facts: Facts = {}): void => {
      sink(redactor.redact(JSON.stringify({ at: new Date().toISOString(), level, message, ...facts })))
    }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}

const MAX_BYTES = 2 * 1024 * 1024

/** A sink into `bridge-inspector.log` of the data directory; at 2 MB the file becomes `.old` and a new one begins. */
export function fileSink(dataDir: string): Sink {
  const file = path.join(dataDir, 'bridge-inspector.log')
  return (line) => {
    try {
      mkdirSync(dataDir, { recursive: true })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.old`)
      appendFileSync(file, `${line}\n`, { mode: 0o600 })
    } catch {
      // A full or read-only disk must not take the program down with it.
    }
  }
}

/** What a thrown thing says, for the log only. */
export function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
