import { toSchemaViolations, toReadAsFindings } from '../model/responses/schema-violations.ts'
import { treePageSchema } from '../../shared/bridge/resources/study-sets.ts'
import { nextCursorIn } from '../../shared/bridge/listing-cursor.ts'
import { salvage } from '../../shared/bridge/salvage.ts'
import { FindingList, type JsonFinding } from '../../shared/json/findings.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanJson } from '../../shared/json/scan.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { TreeReader } from '../model/tree/tree-reader.ts'
import { getElementText } from '../../shared/json/list-elements.ts'
import type { TreeFinding, TreePageHeader } from './tree-protocol.ts'
import { isObject } from '../../shared/json/object.ts'

interface StoredPage {
  readonly start: number
  readonly count: number
  /** Exactly as the host sent them. */
  readonly bytes: PackedBytes
}

const headSchema = treePageSchema.omit({ nodes: true })

/** One tree inside the worker: keeps the bytes of every page and reads the nodes from them. */
export class TreeSession {
  readonly #reader: TreeReader
  readonly #pages: StoredPage[] = []
  /** Until a page was unusual as a whole: the others will be as well. */
  #isPlain = true

  constructor(root: string) {
    this.#reader = new TreeReader(root)
  }

  /** Throws an Error whose message says what is wrong if a page can't be read at all. */
  addPage(bytes: ArrayBuffer, onHead: (head: TreePageHeader) => void): TreeChunk {
    const view = new Uint8Array(bytes)
    const { value, text } = this.#take(view)
    const head = headOf(value, text, this.#reader.unlinkedCount)
    onHead(head)
    if (head.nodeTotal !== null) this.#reader.reserve(head.nodeTotal)
    const chunk = this.#reader.linkNodes()
    this.#pages.push({ start: chunk.start, count: chunk.count, bytes: new PackedBytes(view) })
    return chunk
  }

  /** Takes the nodes of a page, by parsing the whole of it if reading its bytes will not do; returns the rest. */
  #take(bytes: Uint8Array<ArrayBuffer>): { value: object; text: string } {
    const read = this.#isPlain ? this.#reader.readPage(bytes) : null
    if (read && isObject(read.value)) return { value: read.value, text: read.text }
    const { text } = decodeUtf8(bytes)
    const value: unknown = JSON.parse(text)
    const nodes: unknown = isObject(value) ? value['nodes'] : null
    if (!isObject(value) || !Array.isArray(nodes)) throw new Error('the answer holds no array "nodes"')
    this.#isPlain = false
    this.#reader.readNodes(nodes)
    return { value, text }
  }

  /** Bytes kept of the pages themselves. */
  get size(): number {
    return this.#pages.reduce((sum, { bytes }) => sum + bytes.size, 0)
  }

  search(text: string, limit: number): Uint32Array<ArrayBuffer> {
    return this.#reader.search(text, limit)
  }

  indexOf(noteid: string): number {
    return this.#reader.indexOf(noteid)
  }

  /** A card has another title than its page said. Returns its index; -1 if it is not in the tree. */
  setTitle(noteid: string, title: string): number {
    const index = this.#reader.indexOf(noteid)
    if (index >= 0) this.#reader.setTitle(index, title)
    return index
  }

  /** The node's text as the host sent it. */
  async getNodeSource(index: number): Promise<string | null> {
    const page = this.#pages.find(({ start, count }) => index >= start && index < start + count)
    return page ? getElementText(decodeUtf8(await page.bytes.read()).text, 'nodes', index - page.start) : null
  }

  /** Makes a page ready to be searched, so that the first search finds it so. */
  prepareSearch(number: number): void {
    this.#reader.prepareSearch(number)
  }

  /** Checks a page for what reading hid, and packs its bytes. Done after loading, because it costs as much again. */
  async auditPage(number: number): Promise<{ findings: TreeFinding[]; total: number }> {
    const page = this.#pages[number]
    if (!page) return { findings: [], total: 0 }
    const list = new FindingList()
    const { text, invalidAt } = decodeUtf8(await page.bytes.read())
    if (invalidAt !== null) list.add(() => ({ kind: 'invalid-utf8', offset: invalidAt }))
    scanJson(text, list)
    await page.bytes.pack()
    return {
      findings: list.items.map((finding) => ({ page: number, index: nodeOf(finding, page), finding })),
      total: list.total,
    }
  }
}

function nodeOf(finding: JsonFinding, page: StoredPage): number {
  const n = 'path' in finding ? /^\/nodes\/(\d+)(?:\/|$)/.exec(finding.path)?.[1] : undefined
  return n === undefined ? -1 : page.start + Number(n)
}

function headOf(page: object, text: string, count: number): TreePageHeader {
  const { value = {}, problems, conversions: readAs } = salvage(headSchema, page)
  return {
    entryCount: count,
    nextCursor: nextCursorIn(value),
    nodeTotal: value.nodeTotal ?? null,
    isTruncated: value.truncated ?? null,
    truncation: value.truncation ?? null,
    walkLimitReached: value.walkLimitReached ?? null,
    sort: value.sort ?? null,
    findings: [...toSchemaViolations(problems, text), ...toReadAsFindings(readAs)],
  }
}

/** Bytes that are hardly ever looked at again, kept in little room. */
export class PackedBytes {
  #bytes: Uint8Array<ArrayBuffer>
  #isPacked = false

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  /** How many bytes are kept. */
  get size(): number {
    return this.#bytes.byteLength
  }

  /** Puts them into less room, if there is any to gain; until that is done, they are kept as they are. */
  async pack(): Promise<void> {
    if (this.#isPacked) return
    const packed = await through(new CompressionStream('deflate-raw'), this.#bytes)
    if (packed.byteLength >= this.#bytes.byteLength) return
    this.#bytes = packed
    this.#isPacked = true
  }

  /** The bytes as they were. */
  async read(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#isPacked ? through(new DecompressionStream('deflate-raw'), this.#bytes) : this.#bytes
  }
}

async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = writable.getWriter()
  // What goes wrong here is said by the other end as well.
  writer.write(bytes).catch(() => undefined)
  writer.close().catch(() => undefined)
  return new Uint8Array(await new Response(readable).arrayBuffer())
}
