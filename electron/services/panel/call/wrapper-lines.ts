import { BoundedMap } from '../../../core/protocol/rule-state.ts'
import { removeQuery, type CallFrame } from '../../../../shared/traffic/call-initiator.ts'

const MAX_LINES = 500
const MAX_CALLS_PER_LINE = 1_000
const MAX_DISTINCT = 20
/** Fewer calls tell nothing about a line. */
const MIN_CALLS = 3
/** A wrapper makes nearly all calls of a panel. */
const MIN_SHARE = 0.8

/** The calls of which one line is the innermost one of the page's own code. */
interface CallingLine {
  readonly routes: Set<string>
  readonly callers: Set<string>
  readonly calls: Map<string, readonly CallFrame[]>
  count: number
}

/**
 * Finds the code of a panel that only passes on the calls of other code, such as a `bridge.ts`: by
 * the names that the user gave, and by the fact that one line makes nearly all calls, of different
 * routes, for different lines.
 */
export class WrapperLines {
  readonly #getNames: () => readonly string[]
  readonly #lines = new BoundedMap<CallingLine>(MAX_LINES)
  readonly #wrappers = new Set<string>()
  #callCount = 0

  /** @param getNames returns paths of files or folders, or ends of such paths */
  constructor(getNames: () => readonly string[]) {
    this.#getNames = getNames
  }

  mark(frames: readonly CallFrame[]): CallFrame[] {
    const names = this.#getNames().map(toSegments)
    return frames.map((frame) => {
      const segments = toSegments((frame.original ?? frame).file)
      const isNamed = names.some((name) => containsSegments(segments, name))
      return { ...frame, isWrapper: isNamed || this.#wrappers.has(toKey(frame)) }
    })
  }

  /** Returns earlier calls whose line turned out to be one of a wrapper, by exchange id. */
  observe(exchangeId: string, route: string, frames: readonly CallFrame[]): ReadonlyMap<string, readonly CallFrame[]> {
    this.#callCount += 1
    const candidates = frames.filter(({ isLibrary, isWrapper }) => !isLibrary && !isWrapper)
    const [innermost, caller] = candidates
    if (!innermost || !caller) return NO_CALLS
    const key = toKey(innermost)
    const line = this.#lines.get(key) ?? { routes: new Set(), callers: new Set(), calls: new Map(), count: 0 }
    this.#lines.set(key, line)
    line.count += 1
    if (line.routes.size < MAX_DISTINCT) line.routes.add(route)
    if (line.callers.size < MAX_DISTINCT) line.callers.add(toKey(caller))
    if (line.calls.size < MAX_CALLS_PER_LINE) line.calls.set(exchangeId, frames)
    const isWrapper = line.count >= MIN_CALLS && line.routes.size > 1 && line.callers.size > 1
    if (!isWrapper || line.count < this.#callCount * MIN_SHARE || this.#wrappers.size >= MAX_LINES) return NO_CALLS
    this.#wrappers.add(key)
    this.#lines.delete(key)
    return line.calls
  }
}

const NO_CALLS: ReadonlyMap<string, readonly CallFrame[]> = new Map()

const toKey = ({ original, ...frame }: CallFrame): string => {
  const { file, line, column } = original ?? frame
  return `${removeQuery(file)}:${line}:${column ?? ''}`
}

const toSegments = (file: string): string[] =>
  removeQuery(file)
    .split(/[/\\]/)
    .filter((segment) => segment !== '' && segment !== '.')

const containsSegments = (segments: readonly string[], name: readonly string[]): boolean =>
  name.length > 0 && segments.some((_, start) => name.every((segment, index) => segments[start + index] === segment))
