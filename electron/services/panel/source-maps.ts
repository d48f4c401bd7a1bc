import { FlattenMap, isIgnored, originalPositionFor, sourceContentFor, type TraceMap } from '@jridgewell/trace-mapping'
import type { CallFrame, SourcePosition } from '../../../shared/panel/call-initiator.ts'

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
const READ_TIMEOUT_MS = 10_000
/** A lookup gives up after this time, because a development server may build a file slowly. */
const WAIT_MS = 2_000
const MAX_STACK_LINES = 60
const MAX_LINE_CHARS = 2_000

/**
 * Source maps are read only from the panel's own files.
 * @param serve serves the panel's files for any origin.
 */
export function createSourceMaps(serve: (request: Request) => Promise<Response>): SourceMaps {
  const origin = 'http://panel.invalid'
  let maps = new Map<string, Promise<TraceMap | null>>()

  function getMap(file: string): Promise<TraceMap | null> {
    const cachedMap = maps.get(file)
    if (cachedMap) return cachedMap
    const reading = readMap(file).catch(() => null)
    if (maps.size >= MAX_FILES) maps.delete([...maps.keys()][0] ?? '')
    maps.set(file, reading)
    return reading
  }

  async function readMap(file: string): Promise<TraceMap | null> {
    const url = new URL(file, origin)
    if (url.origin !== origin) return null
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
        const match = /^(\s+at .*?|[^\s@]*@)(\/[^\s()]*):(\d{1,7}):(\d{1,7})\)?$/.exec(line)
        if (!match) continue
        const [, , file = '', row, column] = match
        const original = await findOriginalPosition({ file, line: Number(row), column: Number(column) })
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
