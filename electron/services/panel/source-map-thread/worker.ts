// Parses the source maps of a panel in a thread, because a map of a few hundred bytes can ask for
// more time and memory than there is. The limits are those of source-map-thread.ts.
import {
  FlattenMap,
  isIgnored,
  originalPositionFor,
  sourceContentFor,
  traceSegment,
  type TraceMap,
} from '@jridgewell/trace-mapping'
import { getMember } from '../../../../shared/json/object.ts'
import { serveThread } from '../../../system/worker-thread.ts'

/** Lines of a compiled script, and sources of a map. The largest bundles have a tenth of it. */
const MAX_LINES = 1_000_000
const MAX_SOURCES = 100_000
const MAX_SECTIONS = 10_000

interface CompiledScript {
  readonly map: TraceMap
  readonly lines: readonly string[]
}

const scripts = new Map<string, CompiledScript>()
const MAX_NAME_CHARS = 200

/** Checks limits first, as each line up to a section's offset takes memory. @throws Error */
function assertBounded(map: unknown): void {
  let sectionCount = 0
  for (const pending = [{ part: map, firstLine: 0 }]; pending.length > 0;) {
    const { part, firstLine } = pending.pop() ?? { part: null, firstLine: 0 }
    const [mappings, sources, sections] = ['mappings', 'sources', 'sections'].map((name) => getMember(part, name))
    if (typeof mappings === 'string' && countLines(mappings) + firstLine > MAX_LINES) throw new Error('too many lines')
    if (Array.isArray(sources) && sources.length > MAX_SOURCES) throw new Error('too many sources')
    for (const section of Array.isArray(sections) ? (sections as unknown[]) : []) {
      sectionCount += 1
      const offset = getMember(section, 'offset')
      const [line, column] = [getMember(offset, 'line'), getMember(offset, 'column')].map(Number)
      if (sectionCount > MAX_SECTIONS || !isOffset(line) || !isOffset(column))
        throw new Error('sections out of their range')
      if (firstLine + line > MAX_LINES) throw new Error('too many lines')
      pending.push({ part: getMember(section, 'map'), firstLine: firstLine + line })
    }
  }
}

const isOffset = (value: number | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function countLines(text: string, separator = ';'): number {
  let count = 1
  for (let index = text.indexOf(separator); index >= 0; index = text.indexOf(separator, index + 1)) count += 1
  return count
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1

interface MapPosition {
  /** The address of the script, which names its map. */
  readonly address: string
  /** Counted from 1. */
  readonly line: number
  /** Counted from 0. */
  readonly column: number
}

const methods = {
  /** @throws what is wrong with the map */
  add({ address, scriptText, mapText, mapUrl }: { [Name in 'address' | 'scriptText' | 'mapText' | 'mapUrl']: string }) {
    const map = JSON.parse(mapText) as unknown
    assertBounded(map)
    // The library checks the rest when it is used, which may throw.
    const parsedMap = new FlattenMap(map as ConstructorParameters<typeof FlattenMap>[0], mapUrl)
    if (countLines(scriptText, '\n') > MAX_LINES) throw new Error('too many lines')
    scripts.set(address, { map: parsedMap, lines: scriptText.split('\n') })
  },
  /**
   * Returns null for a position without an original, or of a map that was not added. The text is
   * null if it was not asked for, or if the source map does not contain the source's text.
   */
  find({ address, line: compiledLine, column: compiledColumn, isTextWanted }: MapPosition & { isTextWanted: boolean }) {
    const map = scripts.get(address)?.map
    if (!map) return null
    const original = originalPositionFor(map, { line: compiledLine, column: compiledColumn })
    // The map comes from the panel, so its mappings may contain values of any type.
    const { source, line, column } = original
    if (typeof source !== 'string' || !isPosition(line) || !isPosition(column + 1)) return null
    const text: unknown = isTextWanted ? sourceContentFor(map, source) : null
    // The source may be listed as one to be ignored by debuggers.
    return { source, line, column, isIgnored: isIgnored(map, source), text: typeof text === 'string' ? text : null }
  },
  /**
   * Finds the original name of a function by the code that calls it: a source map names the
   * identifiers that a bundler renamed. Returns null unless the script has the compiled name at
   * exactly this position, since the caller may have called something else.
   */
  findName({ address, line, column, compiledName }: MapPosition & { compiledName: string }) {
    const script = scripts.get(address)
    if (!script?.lines[line - 1]?.startsWith(compiledName, column)) return null
    const segment = traceSegment(script.map, line - 1, column)
    const nameIndex = segment?.[0] === column ? segment[4] : undefined
    const name: unknown = nameIndex === undefined ? null : script.map.names[nameIndex]
    return typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARS ? name : null
  },
  remove(addresses: readonly string[]) {
    for (const address of addresses) scripts.delete(address)
  },
}

export type SourceMapMethods = typeof methods

serveThread(methods)
