import type { CallFrame, SourcePosition } from '../../../shared/traffic/call-initiator.ts'
import { SourceMapThread } from './source-map-thread/source-map-thread.ts'
import { NodeAbortSignal } from '../../core/node-abort.ts'

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
  /** Appends ` → FILE:LINE:COLUMN` to each line whose original source is known. */
  annotateStack(text: string): Promise<string>
  /** Adds the original positions and names, and whether the code belongs to a package. */
  mapFrames(frames: readonly CallFrame[]): Promise<CallFrame[]>
  /** Reads a file of the panel, or with `isOriginal` the map's source; null without a text. */
  readSource(position: SourcePosition, isOriginal: boolean): Promise<SourceText | null>
  /** Call it when the page is closed, or reloaded, as its files may have changed. */
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
/** Nothing but the end of a run waits for the frames of a call, which findings name later. */
const FRAME_WAIT_MS = 10_000
const MAX_STACK_LINES = 60
const MAX_LINE_CHARS = 2_000

interface CachedMap {
  /** Resolves with false if the thread has no map of the script. */
  reading: Promise<boolean>
  /** Length of the map's text; 0 while it is read. */
  chars: number
}

interface SourceMapOptions {
  /** The file that parses source maps in a worker thread. */
  readonly worker: URL
  /** True if a path leads to the same file with every query. */
  readonly isQueryIgnored?: boolean
  /** Called for a script whose map needs too much time or memory, once for each load. */
  readonly onRefused?: (file: string) => void
  /** Milliseconds after which a lookup of a single position gives up. */
  readonly maxWaitMs?: number
}

/** Maps are read from the panel's own files, which `serve` serves for any origin. */
export function createSourceMaps(
  serve: (request: Request) => Promise<Response>,
  { worker, isQueryIgnored = false, onRefused, maxWaitMs = WAIT_MS }: SourceMapOptions,
): SourceMaps {
  const origin = 'http://panel.invalid'
  let maps = new Map<string, CachedMap>()
  let readCount = 0
  const waitingReads: (() => void)[] = []
  /** Scripts whose maps have ended the thread. */
  const refusedAddresses = new Set<string>()
  const thread = new SourceMapThread(worker, (addresses) => {
    maps = new Map()
    for (const address of addresses) {
      if (!refusedAddresses.has(address)) onRefused?.(address)
      refusedAddresses.add(address)
    }
  })

  /** Returns the address by which the thread knows the map of a file; null if there is no map. */
  async function addMap(file: string): Promise<string | null> {
    if (!URL.canParse(file, origin)) return null
    const url = new URL(file, origin)
    if (url.origin !== origin) return null
    const address = isQueryIgnored ? url.pathname : url.pathname + url.search
    if (refusedAddresses.has(address)) return null
    const cachedMap = maps.get(address)
    if (cachedMap) return (await cachedMap.reading) ? address : null
    if (waitingReads.length >= MAX_WAITING_READS) return null
    const entry: CachedMap = { reading: Promise.resolve(false), chars: 0 }
    if (maps.size >= MAX_FILES) removeMaps([...maps.keys()].slice(0, 1))
    maps.set(address, entry)
    // A map that was removed while it waited, by a new load of the page, is not read.
    const readUnlessRemoved = async (): Promise<boolean> =>
      maps.get(address) === entry && (await readMap(address, entry))
    entry.reading = readInTurn(readUnlessRemoved).catch(() => false)
    return (await entry.reading) ? address : null
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

  function removeMaps(addresses: readonly string[]): void {
    for (const address of addresses) maps.delete(address)
    void thread.ask('remove', addresses).catch(() => undefined)
  }

  function removeExcessMaps(): void {
    const excess: string[] = []
    let total = [...maps.values()].reduce((sum, { chars }) => sum + chars, 0)
    for (const [address, { chars }] of maps) {
      if (total <= MAX_KEPT_CHARS) break
      if (chars > 0) excess.push(address)
      total -= chars
    }
    if (excess.length > 0) removeMaps(excess)
  }

  async function readMap(scriptAddress: string, entry: CachedMap): Promise<boolean> {
    const url = new URL(scriptAddress, origin)
    const script = await read(url)
    // An inline script's lines count from the document's beginning, so its map does not apply.
    if (script === null || !/javascript|ecmascript/i.test(script.type)) return false
    const address = script.map ?? findMapAddress(script.text)
    if (address === null || !URL.canParse(address, url.href)) return false
    const mapUrl = new URL(address, url.href)
    const isInline = mapUrl.protocol === 'data:'
    const text = isInline ? readDataUrl(mapUrl) : await readOwnText(mapUrl)
    if (text === null) return false
    entry.chars = script.text.length + text.length
    removeExcessMaps()
    const mapText = text.replace(/^\)\]\}'[^\n]*\n/, '')
    await thread.ask('add', {
      address: scriptAddress,
      scriptText: script.text,
      mapText,
      mapUrl: isInline ? url.href : mapUrl.href,
    })
    return true
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
    const response = await serve(new Request(url, { signal: NodeAbortSignal.timeout(READ_TIMEOUT_MS) }))
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

  async function findOriginal(
    { file, line, column }: SourcePosition,
    { isTextWanted = false, waitMs = maxWaitMs } = {},
  ): Promise<OriginalSource | null> {
    if (!file.startsWith('/') || line < 1) return null
    const address = await waitAtMost(addMap(file), waitMs)
    if (address === null) return null
    const position = { address, line, column: Math.max(0, (column ?? 1) - 1) }
    // The library decodes mappings only when they are used, and they may be invalid.
    const original = await waitAtMost(
      thread.ask('find', { ...position, isTextWanted }).catch(() => null),
      waitMs,
    )
    return (
      original && {
        position: {
          file: toSourceName(original.source),
          line: original.line,
          column: column === null ? null : original.column + 1,
        },
        text: original.text,
        isIgnored: original.isIgnored,
      }
    )
  }

  const findOriginalPosition = async (position: SourcePosition): Promise<SourcePosition | null> =>
    (await findOriginal(position))?.position ?? null

  async function mapFrame(frame: CallFrame): Promise<CallFrame> {
    const original = await findOriginal(frame, { waitMs: FRAME_WAIT_MS })
    const isLibrary = original?.isIgnored === true || LIBRARY_PATH.test(original?.position.file ?? frame.file)
    return { ...frame, original: original?.position ?? null, isLibrary }
  }

  /** The code that called a function names it as the original source does. */
  async function findFunctionName({ functionName }: CallFrame, caller: CallFrame | undefined): Promise<string> {
    const compiledName = /[\w$]{1,100}$/.exec(functionName)?.[0]
    if (compiledName === undefined || !caller || caller.isAsync || caller.column === null) return functionName
    const address = await waitAtMost(addMap(caller.file), FRAME_WAIT_MS)
    if (address === null) return functionName
    const position = { address, line: Math.max(1, caller.line), column: Math.max(0, caller.column - 1) }
    const name = await waitAtMost(
      thread.ask('findName', { ...position, compiledName }).catch(() => null),
      FRAME_WAIT_MS,
    )
    return name === null ? functionName : functionName.slice(0, -compiledName.length) + name
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
    mapFrames: (frames) =>
      Promise.all(
        frames.map(async (frame, index) => ({
          ...(await mapFrame(frame)),
          functionName: await findFunctionName(frame, frames[index + 1]),
        })),
      ),
    async readSource(position, isOriginal) {
      const original = isOriginal ? await findOriginal(position, { isTextWanted: true }) : null
      if (original !== null && original.text !== null)
        return { position: original.position, isOriginal: true, text: original.text }
      const url = new URL(position.file, origin)
      const text = position.file.startsWith('/') && url.origin === origin ? await readText(url) : null
      return text === null ? null : { position, isOriginal: false, text }
    },
    clear() {
      maps = new Map()
      refusedAddresses.clear()
      thread.close()
    },
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

/** Reads a position at the end of `  at f (/a.js:1:2)` or `f@/a.js:1:2`; null without one. */
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

/** Returns the address in the last `sourceMappingURL` comment of a script; null without one. */
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

async function waitAtMost<Value>(reading: Promise<Value>, waitMs: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), waitMs).unref()
  })
  try {
    return await Promise.race([reading, timeout])
  } finally {
    clearTimeout(timer)
  }
}
