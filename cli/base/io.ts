import type { Readable, Writable } from 'node:stream'
import { isReaderClosed } from '../../electron/system/output.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'

/** Adds colors, or nothing. */
interface TextStyle {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly success: (text: string) => string
  readonly failure: (text: string) => string
}

/** Codes that begin and end a style (ECMA-48 SGR). */
const codes = { bold: [1, 22], dim: [2, 22], good: [32, 39], bad: [31, 39] } as const

function createStyle(colored: boolean): TextStyle {
  const style =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      colored ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: style(codes.bold), dim: style(codes.dim), success: style(codes.good), failure: style(codes.bad) }
}

/** Foreign text in one line of output. */
export const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

interface Terminal {
  /** It is a terminal. */
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The standard streams, as far as the program uses them. */
export interface StandardStreams {
  readonly stdin: Readable & Pick<Terminal, 'isTTY'>
  readonly stdout: Writable & Pick<Terminal, 'isTTY'>
  readonly stderr: Writable & Terminal
}

interface IoOptions {
  readonly isQuiet: boolean
  readonly hasColor: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What commands print to and ask at. */
export interface Io {
  /** Standard output is a terminal. */
  readonly isTerminal: boolean
  /** Somebody can be asked: input and errors are a terminal. */
  readonly canAsk: boolean
  /** For standard output. */
  readonly style: TextStyle
  /**
   * Writes to standard output and waits while the reader is behind, so that nothing piles up here. On a terminal, control characters are
   * shown as escapes; anywhere else the bytes are untouched. Resolves at once when nobody reads any more, or the command is stopped.
   */
  print(data: string | Uint8Array): Promise<void>
  /** The same for text of our own, in which foreign parts went through `escapeUnseen` already: its styles stay. */
  printText(text: string): Promise<void>
  /** A line that says something about the output, on standard error; left out with `--quiet`. */
  printNote(line: string): void
  /** A line on standard error, in any case. */
  printStderr(line: string): void
  /** Replaces the line of progress; only on a terminal. Null takes it away. */
  showProgress(line: string | null): void
  /** The first line typed; null where nobody can be asked, or at the end of input. */
  askQuestion(question: string, signal: AbortSignal): Promise<string | null>
  /** Resolves once everything that was printed has been handed over or has failed, or the command is stopped. */
  flush(): Promise<void>
  /** All of standard input. */
  readInput(most: number): Promise<Buffer>
}

/** What may happen to a stream that was full. */
const events = ['drain', 'close', 'error'] as const

/** What becomes of the outputs while a command runs. */
interface OutputListener {
  /** Nobody reads standard output any more: that is the end, but no error. */
  onReaderGone(): void
  /** An output can't be written any more, for another reason than that. */
  onOutputFailed(stream: 'stdout' | 'stderr', error: unknown): void
}

export function createIo(
  { stdin, stdout, stderr }: StandardStreams,
  options: IoOptions,
  listener: OutputListener,
  signal: AbortSignal,
): Io {
  const terminal = stdout.isTTY === true
  const talks = stderr.isTTY === true
  let gone = false
  let shown = false
  stdout.on('error', (error) => {
    gone = true
    if (isReaderClosed(error)) listener.onReaderGone()
    else listener.onOutputFailed('stdout', error)
  })
  stderr.on('error', (error) => {
    if (!isReaderClosed(error)) listener.onOutputFailed('stderr', error)
  })

  function clear(): void {
    if (shown) stderr.write('\r\u001b[K')
    shown = false
  }

  const line = (text: string): void => {
    clear()
    stderr.write(`${escapeInvisible(text)}\n`)
  }

  function write(data: string | Uint8Array): Promise<void> {
    if (gone || signal.aborted) return Promise.resolve()
    clear()
    if (stdout.write(data)) return Promise.resolve()
    return new Promise((resolve) => {
      const go = (): void => {
        for (const event of events) stdout.off(event, go)
        signal.removeEventListener('abort', go)
        resolve()
      }
      for (const event of events) stdout.on(event, go)
      // Whoever stops the command does not wait for a reader that has stopped reading.
      signal.addEventListener('abort', go)
    })
  }

  return {
    isTerminal: terminal,
    canAsk: stdin.isTTY === true && talks,
    style: createStyle(terminal && options.hasColor && wantsColor(options.env)),
    print: (data) =>
      write(terminal ? escapeInvisible(typeof data === 'string' ? data : new TextDecoder().decode(data)) : data),
    printText: write,
    printNote(text) {
      if (!options.isQuiet) line(text)
    },
    printStderr: line,
    showProgress(text) {
      if (!talks || options.isQuiet) return
      clear()
      if (text === null) return
      stderr.write(escapeInvisible(text).slice(0, Math.max(20, (stderr.columns ?? 80) - 1)))
      shown = true
    },
    async askQuestion(question, signal) {
      if (!(stdin.isTTY && talks)) return null
      clear()
      const { createInterface } = await import('node:readline/promises')
      const reader = createInterface({ input: stdin, output: stderr })
      // Reading in this way, Ctrl+C reaches the reader and not the program.
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      try {
        return await reader.question(question, { signal }).catch(() => null)
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
      // A stream reports its error a moment after the write that failed.
      await new Promise((resolve) => setImmediate(resolve))
    },
    async readInput(most) {
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of stdin) {
        const bytes = Buffer.from(piece as Buffer | string)
        size += bytes.byteLength
        if (size > most) break
        pieces.push(bytes)
      }
      return Buffer.concat(pieces)
    },
  }
}

const wantsColor = (env: IoOptions['env']): boolean => !env['NO_COLOR'] && env['TERM'] !== 'dumb'
