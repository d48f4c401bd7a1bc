import { MAX_CALL_FRAMES, type CallFrame } from '../../../../shared/traffic/call-initiator.ts'

/** The helper script sends at most this many characters. A longer header is not its own. */
const MAX_HEADER_CHARS = 6_000
const MAX_FILE_CHARS = 500
const MAX_POSITION = 10_000_000

/** A line of Chromium: `at async name (FILE:LINE:COLUMN)` or `at FILE:LINE:COLUMN`. */
const CHROMIUM_FRAME = /^\s*at (?:(async) )?(?:(.*?) \()?([^()\s]+):(\d{1,8}):(\d{1,8})\)?$/
/** A line of Firefox or Safari: `name@FILE:LINE:COLUMN`, in Firefox with `async*` before it. */
const NAMED_FRAME = /^(?:([\w ]+)\*)?([^@]*)@([^\s]+):(\d{1,8}):(\d{1,8})$/

/**
 * Parses the stack that the helper script adds to a call. Frames without a file, such as those of
 * built-in functions, are left out.
 * @param header the URI-encoded stack; null if there is none.
 * @param origin the panel's origin, which changes each time the panel is opened.
 * @returns null if there is no stack, or if none of its frames can be read.
 */
export function parseCallStack(header: string | null, origin: string): CallFrame[] | null {
  if (header === null || header.length > MAX_HEADER_CHARS) return null
  const frames = decode(header)
    .split('\n')
    .flatMap((line) => parseFrame(line, origin) ?? [])
    .slice(0, MAX_CALL_FRAMES)
  return frames.length === 0 ? null : frames
}

function parseFrame(text: string, origin: string): CallFrame | null {
  const match = CHROMIUM_FRAME.exec(text) ?? NAMED_FRAME.exec(text)
  if (!match) return null
  const [, asyncMark, name = '', file = '', line, column] = match
  const position = { line: Number(line), column: Number(column) }
  if (position.line < 1 || position.column < 1 || position.line > MAX_POSITION || position.column > MAX_POSITION)
    return null
  return {
    functionName: name.slice(0, 200),
    file: file.replace(origin, '').slice(0, MAX_FILE_CHARS),
    ...position,
    isAsync: asyncMark !== undefined,
    original: null,
    isLibrary: false,
    isWrapper: false,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
