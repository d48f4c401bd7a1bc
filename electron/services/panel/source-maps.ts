import { FlattenMap, isIgnored, originalPositionFor, sourceContentFor, type TraceMap } from '@jridgewell/trace-mapping'
import type { CallFrame, SourcePosition } from '../../../shared/traffic/call-initiator.ts'

/** A file of the panel with a position in it. */
export interface SourceText {
  readonly position: SourcePosition
  readonly isOriginal: boolean
  readonly text: string
}

/** Converts positions in a panel's compiled scripts to positions in the original sources. */
export interface SourceMaps {
  /** Returns null if there is no source map, or no entry for the position. */
  findOriginalPosition(position: SourcePosition): Promise<SourcePosition | null>
  /**
   * Appends ` → FILE:LINE:COLUMN` to each line of a stack trace for which the original source is
   * known.
   */
  annotateStack(text: string): Promise<string>
  /** Adds the original positions, and whether the code belongs to a package. */
  mapFrames(frames: readonly CallFrame[]): Promise<CallFrame[]>
  /**
   * Reads the file with this position. Returns null if the panel serves no text at its path.
   * @param isOriginal true to read the original source, if the source map contains it.
   */
  readSource(position: SourcePosition, isOriginal: boolean): Promise<SourceText | null>
  /** Must be called when the page is reloaded, because its files may have changed. */
  clear(): void
}

const MAX_SCRIPT_BYTES = 16 * 1024 * 1024
const MAX_FILES = 200
/** Maximum characters of all source maps that are kept; the oldest are removed first. */
const MAX_KEPT_CHARS = 64 * 1024 * 1024
/** A page can name any number of files in its stacks, so only a few are read at a time. */
const MAX_PARALLEL_READS = 2
/** A lookup that would have to wait behind more reads finds nothing. */
const MAX_WAITING_READS = 50
const READ_TIMEOUT_MS = 10_000
/** A lookup gives up after this time, because a development server may build a file slowly. */
const WAIT_MS = 2_000
const MAX_STACK_LINES = 60
const MAX_LINE_CHARS = 2_000

interface CachedMap {
  reading: Promise<TraceMap | null>
  /** Length of the map's text; 0 while it is read. */
  chars: number
}

/**
 * Source maps are read only from the panel's own files.
 * @param serve serves the panel's files for any origin.
 * @param options.isQueryIgnored true if a path leads to the same file with every query.
 */
export function createSourceMaps(
  serve: (request: Request) => Promise<Response>,
  { isQueryIgnored = false } = {},
): SourceMaps {
  const origin = 'http://panel.invalid'
  let maps = new Map<string, CachedMap>()
  let readCount = 0
  const waitingReads: (() => void)[] = []

  async function getMap(file: string): Promise<TraceMap | null> {
    if (!URL.canParse(file, origin)) return null
    const url = new URL(file, origin)
    if (url.origin !== origin) return null
    const address = isQueryIgnored ? url.pathname : url.pathname + url.search
    const cachedMap = maps.get(address)
    if (cachedMap) return cachedMap.reading
    if (waitingReads.length >= MAX_WAITING_READS) return null
    const entry: CachedMap = { reading: Promise.resolve(null), chars: 0 }
    if (maps.size >= MAX_FILES) maps.delete([...maps.keys()][0] ?? '')
    maps.set(address, entry)
    // A map that was removed while it waited, by a new load of the page, is not read.
    const readUnlessRemoved = async (): Promise<TraceMap | null> =>
      maps.get(address) === entry ? readMap(new URL(address, origin), entry) : null
    entry.reading = readInTurn(readUnlessRemoved).catch(() => null)
    return entry.reading
  }

  async function readInTurn<Value>(read: () => Promise<Value>): Promise<Value> {
    if (readCount >= MAX_PARALLEL_READS) await new Promise<void>((resolve) => waitingReads.push(resolve))
    else readCount += 1
    try {
      return await read()
    } finally {
      // The next read takes over the place of this one.
      const startNext = waitingReads.shift()
      if (startNext) startNext()
      else readCount -= 1
    }
  }

  function removeExcessMaps(): void {
    let total = [...maps.values()].reduce((sum, { chars }) => sum + chars, 0)
    for (const [address, { chars }] of maps) {
      if (total <= MAX_KEPT_CHARS) return
      if (chars > 0) maps.delete(address)
      total -= chars
    }
  }

  async function readMap(url: URL, entry: CachedMap): Promise<TraceMap | null> {
    const script = await read(url)
    // The lines of an inline script are counted from the beginning of the document, so its map does
    // not apply.
    if (script === null || !/javascript|ecmascript/i.test(script.type)) return null
    const address = script.map ?? findMapAddress(script.text)
    if (address === null || !URL.canParse(address, url.href)) return null
    const mapUrl = new URL(address, url.href)
    const isInline = mapUrl.protocol === 'data:'
    const text = isInline ? readDataUrl(mapUrl) : await readOwnText(mapUrl)
    if (text === null) return null
    entry.chars = text.length
    removeExcessMaps()
    return new FlattenMap(text.replace(/^\)\]\}'[^\n]*\n/, ''), isInline ? url.href : mapUrl.href)
  }

  /** Returns null for a file that is no text or cannot be read. */
  async function readText(url: URL): Promise<string | null> {
    try {
      const file = await read(url)
      return file !== null && TEXT_TYPE.test(file.type) ? file.text : null
    } catch {
      return null
    }
  }

  async function readOwnText(url: URL): Promise<string | null> {
    if (url.origin !== origin) return null
    return (await read(url))?.text ?? null
  }

  async function read(url: URL): Promise<{ text: string; type: string; map: string | null } | null> {
    const response = await serve(new Request(url, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) }))
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of response.body ?? []) {
      size += piece.byteLength
      if (size > MAX_SCRIPT_BYTES || !response.ok) return null
      pieces.push(piece)
    }
    const { headers } = response
    return {
      text: Buffer.concat(pieces).toString('utf8'),
      type: headers.get('content-type') ?? '',
      map: headers.get('sourcemap') ?? headers.get('x-sourcemap'),
    }
  }

  async function findOriginal({ file, line, column }: SourcePosition): Promise<OriginalSource | null> {
    if (!file.startsWith('/') || line < 1) return null
    const map = await waitAtMost(getMap(file))
    if (map === null) return null
    try {
      const original = originalPositionFor(map, { line, column: Math.max(0, (column ?? 1) - 1) })
      // The map comes from the panel, so its mappings may contain values of any type.
      if (typeof original.source !== 'string' || !isPosition(original.line) || !isPosition(original.column + 1))
        return null
      const position = {
        file: toSourceName(original.source),
        line: original.line,
        column: column === null ? null : original.column + 1,
      }
      const text: unknown = sourceContentFor(map, original.source)
      return {
        position,
        text: typeof text === 'string' ? text : null,
        isIgnored: isIgnored(map, original.source),
      }
    } catch {
      // The library decodes mappings only when they are used, and they may be invalid.
      return null
    }
  }

  const findOriginalPosition = async (position: SourcePosition): Promise<SourcePosition | null> =>
    (await findOriginal(position))?.position ?? null

  async function mapFrame(frame: CallFrame): Promise<CallFrame> {
    const original = await findOriginal(frame)
    const isLibrary = original?.isIgnored === true || LIBRARY_PATH.test(original?.position.file ?? frame.file)
    return { ...frame, original: original?.position ?? null, isLibrary }
  }

  const toSourceName = (source: string): string =>
    source
      .replace(`${origin}/`, '/')
      .replace(/^webpack:\/\/[^/]*\/(?:\.\/)?/, '')
      .slice(0, 2_000)

  return {
    findOriginalPosition,
    async annotateStack(text) {
      const lines = text.split('\n')
      for (const [index, line] of lines.slice(0, MAX_STACK_LINES).entries()) {
        if (line.length > MAX_LINE_CHARS) continue
        const position = parseStackPosition(line)
        const original = position && (await findOriginalPosition(position))
        if (!original) continue
        const isClosed = line.endsWith(')')
        lines[index] = `${isClosed ? line.slice(0, -1) : line} → ${formatPosition(original)}${isClosed ? ')' : ''}`
      }
      return lines.join('\n')
    },
    mapFrames: (frames) => Promise.all(frames.map(mapFrame)),
    async readSource(position, isOriginal) {
      const original = isOriginal ? await findOriginal(position) : null
      if (original !== null && original.text !== null)
        return { position: original.position, isOriginal: true, text: original.text }
      const url = new URL(position.file, origin)
      const text = position.file.startsWith('/') && url.origin === origin ? await readText(url) : null
      return text === null ? null : { position, isOriginal: false, text }
    },
    clear: () => void (maps = new Map()),
  }
}

interface OriginalSource {
  readonly position: SourcePosition
  /** Null if the source map does not contain the source's text. */
  readonly text: string | null
  /** True if the source map lists the source as one to be ignored by debuggers. */
  readonly isIgnored: boolean
}

const TEXT_TYPE = /^text\/|javascript|ecmascript|json|xml/i

/** Paths of packages, and of files that a development server adds to a page. */
const LIBRARY_PATH = /(?:^|\/)node_modules\/|\/\.vite\/deps\/|^\/@(?:vite|id)\b/

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1

/**
 * Reads the position at the end of a line such as `  at f (/a.js:1:2)` or `f@/a.js:1:2`; null if it
 * has none.
 */
function parseStackPosition(line: string): SourcePosition | null {
  const [end, row, column] = /:(\d{1,7}):(\d{1,7})\)?$/.exec(line) ?? []
  if (end === undefined) return null
  const head = line.slice(0, -end.length)
  const isV8 = /^\s+at /.test(head)
  const start = isV8 ? Math.max(head.lastIndexOf(' '), head.lastIndexOf('(')) : head.indexOf('@')
  const file = head.slice(start + 1)
  if (start < 0 || !file.startsWith('/') || /[\s()]/.test(file)) return null
  return { file, line: Number(row), column: Number(column) }
}

const formatPosition = ({ file, line, column }: SourcePosition): string =>
  [file, line, ...(column === null ? [] : [column])].join(':')

/**
 * Returns the address from the last `sourceMappingURL` comment of a script; null if there is none.
 */
function findMapAddress(script: string): string | null {
  const name = 'sourceMappingURL='
  const index = script.lastIndexOf(name)
  if (index < 0 || !/\/[/*][#@][ \t]*$/.test(script.slice(Math.max(0, index - 10), index))) return null
  return /^[^\s'"*]+/.exec(script.slice(index + name.length))?.[0] ?? null
}

function readDataUrl({ href }: URL): string | null {
  const comma = href.indexOf(',')
  if (comma < 0) return null
  const data = decodeURIComponent(href.slice(comma + 1))
  return /;base64$/i.test(href.slice(0, comma)) ? Buffer.from(data, 'base64').toString('utf8') : data
}

async function waitAtMost<Value>(reading: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), WAIT_MS).unref()
  })
  try {
    return await Promise.race([reading, timeout])
  } finally {
    clearTimeout(timer)
  }
}
