import type { Readable, Writable } from 'node:stream'
import { isReaderClosed } from '../../electron/system/output.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'

/** Each function adds an ANSI style to a text, or returns it unchanged if colors are off. */
interface TextStyle {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly success: (text: string) => string
  readonly failure: (text: string) => string
}

/** The codes that begin and end each style (ECMA-48 SGR). */
const sgrCodes = { bold: [1, 22], dim: [2, 22], good: [32, 39], bad: [31, 39] } as const

function createStyle(hasColor: boolean): TextStyle {
  const style =
    ([startCode, endCode]: readonly [number, number]) =>
    (text: string): string =>
      hasColor ? `\u001b[${startCode}m${text}\u001b[${endCode}m` : text
  return {
    bold: style(sgrCodes.bold),
    dim: style(sgrCodes.dim),
    success: style(sgrCodes.good),
    failure: style(sgrCodes.bad),
  }
}

/** Joins the lines of a foreign text, which must stay on one line of output. */
export function toSingleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A foreign text on one line, with its invisible characters as escapes. */
export function toPlainText(text: string): string {
  return escapeInvisible(toSingleLine(text))
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface StandardStreams {
  readonly stdin: Readable & Pick<Terminal, 'isTTY'>
  readonly stdout: Writable & Terminal
  readonly stderr: Writable & Terminal
}

interface IoOptions {
  readonly isQuiet: boolean
  readonly hasColor: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Output of commands, and questions to the person at the terminal. */
export interface Io {
  readonly isTerminal: boolean
  /** True if standard input and standard error are terminals, so that a person can answer. */
  readonly canAsk: boolean
  readonly style: TextStyle
  /**
   * Writes to standard output and waits while the reader is slow, so that output does not pile up
   * in memory. On a terminal, control characters are shown as escapes; otherwise the bytes stay
   * unchanged. Resolves at once when nobody reads any more or the command is stopped.
   */
  print(data: string | Uint8Array): Promise<void>
  /** Like `print`, but keeps styles: foreign parts must have passed `escapeInvisible` already. */
  printText(text: string): Promise<void>
  /** The line goes to standard error; `--quiet` leaves it out. */
  printNote(line: string): void
  /** Prints the line even with `--quiet`. */
  printStderr(line: string): void
  /** Only a terminal has a progress line; null removes it. */
  showProgress(line: string | null): void
  /** Returns the line typed; null if nobody can be asked or the input has ended. */
  askQuestion(question: string, signal: AbortSignal): Promise<string | null>
  /** Resolves when all output has been written or has failed, or the command is stopped. */
  flush(): Promise<void>
  /** Reads up to `maxBytes`; a chunk that would exceed them is dropped with the rest. */
  readInput(maxBytes: number): Promise<Buffer>
}

/** After one of these events, printing no longer waits for the stream to drain. */
const writableEvents = ['drain', 'close', 'error'] as const

interface OutputListener {
  /** Nobody reads standard output any more, so the command ends without an error. */
  onReaderGone(): void
  onOutputFailed(stream: 'stdout' | 'stderr', error: unknown): void
}

export function createIo(
  { stdin, stdout, stderr }: StandardStreams,
  options: IoOptions,
  listener: OutputListener,
  signal: AbortSignal,
): Io {
  const isTerminal = stdout.isTTY === true
  const hasStderrTerminal = stderr.isTTY === true
  let isOutputClosed = false
  let isProgressShown = false
  stdout.on('error', (error) => {
    isOutputClosed = true
    if (isReaderClosed(error)) listener.onReaderGone()
    else listener.onOutputFailed('stdout', error)
  })
  stderr.on('error', (error) => {
    if (!isReaderClosed(error)) listener.onOutputFailed('stderr', error)
  })

  function clearProgress(): void {
    if (isProgressShown) stderr.write('\r\u001b[K')
    isProgressShown = false
  }

  const printLine = (text: string): void => {
    clearProgress()
    stderr.write(`${escapeInvisible(text)}\n`)
  }

  function write(data: string | Uint8Array): Promise<void> {
    if (isOutputClosed || signal.aborted) return Promise.resolve()
    clearProgress()
    if (stdout.write(data)) return Promise.resolve()
    return new Promise((resolve) => {
      const onWritable = (): void => {
        for (const event of writableEvents) stdout.off(event, onWritable)
        signal.removeEventListener('abort', onWritable)
        resolve()
      }
      for (const event of writableEvents) stdout.on(event, onWritable)
      // A stopped command must not wait for a reader that has stalled.
      signal.addEventListener('abort', onWritable)
    })
  }

  return {
    isTerminal: isTerminal,
    canAsk: stdin.isTTY === true && hasStderrTerminal,
    style: createStyle(isTerminal && options.hasColor && wantsColor(options.env)),
    print: (data) =>
      write(isTerminal ? escapeInvisible(typeof data === 'string' ? data : new TextDecoder().decode(data)) : data),
    printText: write,
    printNote(text) {
      if (!options.isQuiet) printLine(text)
    },
    printStderr: printLine,
    showProgress(text) {
      if (!hasStderrTerminal || options.isQuiet) return
      clearProgress()
      if (text === null) return
      stderr.write(escapeInvisible(text).slice(0, Math.max(20, (stderr.columns ?? 80) - 1)))
      isProgressShown = true
    },
    async askQuestion(question, questionSignal) {
      if (!(stdin.isTTY && hasStderrTerminal)) return null
      clearProgress()
      const { createInterface } = await import('node:readline/promises')
      const reader = createInterface({ input: stdin, output: stderr })
      // While readline reads, it gets Ctrl+C instead of the process.
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      try {
        return await reader.question(question, { signal: questionSignal }).catch(() => null)
      } finally {
        reader.close()
      }
    },
    async flush() {
      if (signal.aborted) return
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      const flushed = [stdout, stderr].map(
        (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
      )
      await Promise.race([Promise.all(flushed), stopped])
      // A stream emits its error after the callback of the write that failed.
      await new Promise((resolve) => setImmediate(resolve))
    },
    async readInput(maxBytes) {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of stdin) {
        const bytes = Buffer.from(chunk as Buffer | string)
        size += bytes.byteLength
        if (size > maxBytes) break
        chunks.push(bytes)
      }
      return Buffer.concat(chunks)
    },
  }
}

const wantsColor = (env: IoOptions['env']): boolean => !env['NO_COLOR'] && env['TERM'] !== 'dumb'
