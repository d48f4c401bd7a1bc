import type { Socket } from 'node:net'
import { AppError } from '../../../shared/errors.ts'

/** No line comes close: the longest body of a command and what stands around it. */
const MOST_CHARS = 5_000_000

/** The values of a socket that speaks JSON, one a line. Throws `LINE_INVALID` for what is none, or is too long. */
export async function* jsonLines(socket: Socket): AsyncGenerator<unknown> {
  let rest = ''
  socket.setEncoding('utf8')
  for await (const piece of socket) {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_CHARS || lines.some((line) => line.length > MOST_CHARS)) throw invalid()
    for (const line of lines) yield parsed(line)
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    throw invalid()
  }
}

const invalid = (): AppError =>
  new AppError({ kind: 'malformed', code: 'LINE_INVALID', message: 'That is not a line of JSON.', retryable: false })
