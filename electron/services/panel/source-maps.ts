import { FlattenMap, originalPositionFor, type TraceMap } from '@jridgewell/trace-mapping'

/** A position in a file: lines and columns begin with 1. */
interface SourcePosition {
  /** Path with query on the panel's origin, or what a source map names. */
  readonly file: string
  readonly line: number
  readonly column: number | null
}

/** Finds where the code of a panel's page was written. */
export interface SourceMaps {
  /** The position before compilation; null without a source map, or where the map names none. */
  findOriginal(position: SourcePosition): Promise<SourcePosition | null>
  /**
   * The text with ` → FILE:LINE:COLUMN` after each position in a line of a stack that a source map
   * knows.
   */
  annotateStack(text: string): Promise<string>
  /** Forgets every file: the page is loaded again. */
  clear(): void
}

const MAX_SCRIPT_BYTES = 16 * 1024 * 1024
const MAX_FILES = 200
const READ_TIMEOUT_MS = 10_000
/**
 * A server may build a file for as long as it likes; what waits for the position does not wait
 * longer than this.
 */
const WAIT_MS = 2_000
const MAX_STACK_LINES = 60
const MAX_LINE_CHARS = 2_000

/**
 * Reads source maps through `serve`, which has the panel's own files at `origin` and nothing else.
 */
export function createSourceMaps(serve: (request: Request) => Promise<Response>): SourceMaps {
  const origin = 'http://panel.invalid'
  let maps = new Map<string, Promise<TraceMap | null>>()

  function mapOf(file: string): Promise<TraceMap | null> {
    const known = maps.get(file)
    if (known) return known
    const reading = readMap(file).catch(() => null)
    if (maps.size >= MAX_FILES) maps.delete([...maps.keys()][0] ?? '')
    maps.set(file, reading)
    return reading
  }

  async function readMap(file: string): Promise<TraceMap | null> {
    const url = new URL(file, origin)
    if (url.origin !== origin) return null
    const script = await read(url)
    // In a document, lines are counted from its beginning and not from that of the script with the
    // map.
    if (script === null || !/javascript|ecmascript/i.test(script.type)) return null
    const address = script.map ?? mappingAddressIn(script.text)
    if (address === null || !URL.canParse(address, url.href)) return null
    const mapUrl = new URL(address, url.href)
    const isInline = mapUrl.protocol === 'data:'
    const text = isInline ? readDataUrl(mapUrl) : await readOwn(mapUrl)
    if (text === null) return null
    return new FlattenMap(text.replace(/^\)\]\}'[^\n]*\n/, ''), isInline ? url.href : mapUrl.href)
  }

  async function readOwn(url: URL): Promise<string | null> {
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

  async function findOriginal({ file, line, column }: SourcePosition): Promise<SourcePosition | null> {
    if (!file.startsWith('/') || line < 1) return null
    const map = await within(mapOf(file))
    if (map === null) return null
    try {
      const found = originalPositionFor(map, { line, column: Math.max(0, (column ?? 1) - 1) })
      // A map is foreign: its mappings may be arrays with anything in them.
      if (typeof found.source !== 'string' || !isPosition(found.line) || !isPosition(found.column + 1)) return null
      return { file: nameOfSource(found.source), line: found.line, column: column === null ? null : found.column + 1 }
    } catch {
      // The mappings are decoded here, and may be of any shape.
      return null
    }
  }

  const nameOfSource = (source: string): string =>
    source
      .replace(`${origin}/`, '/')
      .replace(/^webpack:\/\/[^/]*\/(?:\.\/)?/, '')
      .slice(0, 2_000)

  return {
    findOriginal,
    async annotateStack(text) {
      const lines = text.split('\n')
      for (const [index, line] of lines.slice(0, MAX_STACK_LINES).entries()) {
        if (line.length > MAX_LINE_CHARS) continue
        const match = /^(\s+at .*?|[^\s@]*@)(\/[^\s()]*):(\d{1,7}):(\d{1,7})\)?$/.exec(line)
        if (!match) continue
        const [, , file = '', row, column] = match
        const found = await findOriginal({ file, line: Number(row), column: Number(column) })
        if (!found) continue
        const isClosed = line.endsWith(')')
        lines[index] = `${isClosed ? line.slice(0, -1) : line} → ${formatPosition(found)}${isClosed ? ')' : ''}`
      }
      return lines.join('\n')
    },
    clear: () => void (maps = new Map()),
  }
}

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1

const formatPosition = ({ file, line, column }: SourcePosition): string =>
  [file, line, ...(column === null ? [] : [column])].join(':')

/** The address in the last comment of a script that names its source map; null if there is none. */
function mappingAddressIn(script: string): string | null {
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

async function within<Value>(reading: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), WAIT_MS).unref()
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
