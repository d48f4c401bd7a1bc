import { isBinding } from '../../shared/bridge/basis.ts'
import { toSchemaViolations, toConversionFindings } from '../model/responses/schema-violations.ts'
import { treePageSchema } from '../../shared/bridge/resources/study-sets.ts'
import { NodeIdNormalizer } from '../../shared/bridge/node-ids.ts'
import { getNextCursor } from '../../shared/bridge/listing-cursor.ts'
import { salvage } from '../../shared/bridge/salvage.ts'
import { JsonFindingList, type JsonFinding } from '../../shared/json/findings.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { scanJson } from '../../shared/json/scan.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'
import { TreeReader } from '../model/tree/tree-reader.ts'
import { getElementText } from '../../shared/json/list-elements.ts'
import { UnknownNodesError, type TreeFinding, type TreePageHeader } from './tree-protocol.ts'
import { getMember, isObject } from '../../shared/json/object.ts'

interface StoredPage {
  readonly start: number
  readonly count: number
  /** The page exactly as the host sent it. */
  bytes: PackedBytes
}

/** What is known of a page whose errors were looked for, and its compressed bytes. */
interface AuditedPage {
  readonly bytes: PackedBytes
  readonly list: JsonFindingList
}

const headSchema = treePageSchema.omit({ nodes: true })

/** The tree in the worker. Stores the bytes of every page and reads the nodes from them. */
export class TreeSession {
  readonly #reader: TreeReader
  readonly #pages: StoredPage[] = []
  /** By the hash of their bytes. */
  readonly #audited = new Map<string, AuditedPage>()
  /** Pages audited in the session before, until each page of this one was looked at. */
  #earlierAudited: ReadonlyMap<string, AuditedPage>
  #naming = new NodeIdNormalizer()
  /** False from the first page that the byte reader cannot read: others will be similar. */
  #isPlain = true

  /** @param earlier the tree before, because a listing that is read again is mostly the same */
  constructor(root: string, topicid = '', earlier: TreeSession | null = null) {
    this.#reader = new TreeReader(root, topicid)
    this.#earlierAudited = earlier ? earlier.#audited : new Map()
  }

  /** @throws Error with the reason when the page cannot be read at all */
  addPage(bytes: ArrayBuffer, onHead: (head: TreePageHeader) => void): TreeChunk {
    const view = new Uint8Array(bytes)
    const { value, text } = this.#readNodes(view)
    const topicid = getMember(value, 'topicid')
    if (typeof topicid === 'string') this.#reader.addStudySetId(topicid)
    const header = toHeader(value, text, this.#reader.unlinkedCount)
    onHead(header)
    if (header.nodeTotal !== null) this.#reader.reserve(header.nodeTotal)
    const chunk = this.#reader.linkNodes()
    this.#pages.push({ start: chunk.start, count: chunk.count, bytes: new PackedBytes(view) })
    return chunk
  }

  /**
   * Reads the nodes of a page from its bytes or, if that is not possible, by parsing the whole
   * page. A parsed page is returned with its nodes, a page read from its bytes without them.
   */
  #readNodes(bytes: Uint8Array<ArrayBuffer>): { value: object; text: string } {
    const read = this.#isPlain ? this.#reader.readPage(bytes) : null
    if (read && isObject(read.value)) return { value: read.value, text: read.text }
    const { text } = decodeUtf8(bytes)
    const value: unknown = JSON.parse(text)
    const nodes: unknown = isObject(value) ? value['nodes'] : null
    if (!isObject(value) || !Array.isArray(nodes)) throw new Error('the answer holds no array "nodes"')
    // The nodes of pages that were read from their bytes have `noteid`.
    if (this.#isPlain && this.#reader.count > 0) this.#naming = new NodeIdNormalizer('noteid')
    this.#isPlain = false
    const namedNodes = this.#naming.nameNodes(nodes)
    if (namedNodes === null) throw new UnknownNodesError(bytes.buffer)
    this.#reader.readNodes(namedNodes)
    return { value, text }
  }

  get size(): number {
    return this.#pages.reduce((sum, { bytes }) => sum + bytes.size, 0)
  }

  search(text: string, limit: number): Uint32Array<ArrayBuffer> {
    return this.#reader.search(text, limit)
  }

  indexOf(noteid: string): number {
    return this.#reader.indexOf(noteid)
  }

  /** Returns the index of the card, or -1 if the tree does not contain the card. */
  setTitle(noteid: string, title: string): number {
    const index = this.#reader.indexOf(noteid)
    if (index >= 0) this.#reader.setTitle(index, title)
    return index
  }

  /** The JSON text of a node as the host sent it. */
  async getNodeSource(index: number): Promise<string | null> {
    const page = this.#pages.find(({ start, count }) => index >= start && index < start + count)
    return page ? getElementText(decodeUtf8(await page.bytes.read()).text, 'nodes', index - page.start) : null
  }

  /** Prepares a page for searching, so that the first search is fast. */
  prepareSearch(pageIndex: number): void {
    this.#reader.prepareSearch(pageIndex)
  }

  /**
   * Finds errors in a page that parsing hides, and compresses the bytes of the page, unless they
   * are those of a page of the session before. Called after loading, because it takes as long as
   * loading.
   */
  async auditPage(pageIndex: number): Promise<{ findings: TreeFinding[]; total: number }> {
    const page = this.#pages[pageIndex]
    if (!page) return { findings: [], total: 0 }
    const bytes = await page.bytes.read()
    const hash = new Uint32Array(await crypto.subtle.digest('SHA-256', bytes)).join()
    const audited = this.#audited.get(hash) ?? this.#earlierAudited.get(hash) ?? (await auditBytes(page.bytes, bytes))
    this.#audited.set(hash, audited)
    if (this.#audited.size === this.#pages.length) this.#earlierAudited = new Map()
    const { list } = audited
    page.bytes = audited.bytes
    return {
      findings: list.items.map((finding) => ({ page: pageIndex, index: findNodeIndex(finding, page), finding })),
      total: list.total,
    }
  }
}

async function auditBytes(packedBytes: PackedBytes, bytes: Uint8Array): Promise<AuditedPage> {
  const list = new JsonFindingList()
  const { text, invalidAt: invalidOffset } = decodeUtf8(bytes)
  if (invalidOffset !== null) list.add(() => ({ kind: 'invalid-utf8', offset: invalidOffset }))
  scanJson(text, list)
  await packedBytes.pack()
  return { bytes: packedBytes, list }
}

function findNodeIndex(finding: JsonFinding, page: StoredPage): number {
  const position = 'path' in finding ? /^\/nodes\/(\d+)(?:\/|$)/.exec(finding.path)?.[1] : undefined
  return position === undefined ? -1 : page.start + Number(position)
}

function toHeader(page: object, text: string, count: number): TreePageHeader {
  const { value = {}, problems, conversions } = salvage(headSchema, page)
  return {
    entryCount: count,
    nextCursor: getNextCursor(value),
    nodeTotal: value.nodeTotal ?? null,
    isTruncated: value.truncated ?? null,
    truncation: value.truncation ?? null,
    walkLimitReached: value.walkLimitReached ?? null,
    sort: value.sort ?? null,
    findings: [
      ...toSchemaViolations(
        problems.filter(({ basis }) => isBinding(basis)),
        text,
      ),
      ...toConversionFindings(conversions),
    ],
  }
}

/** Bytes that are rarely read. They are stored uncompressed until `pack` is called. */
export class PackedBytes {
  #bytes: Uint8Array<ArrayBuffer>
  #isPacked = false

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  /** Number of bytes in memory: compressed, once `pack` has been called. */
  get size(): number {
    return this.#bytes.byteLength
  }

  /** The bytes stay uncompressed if compressing does not make them smaller. */
  async pack(): Promise<void> {
    if (this.#isPacked) return
    const packed = await transform(new CompressionStream('deflate-raw'), this.#bytes)
    if (packed.byteLength >= this.#bytes.byteLength) return
    this.#bytes = packed
    this.#isPacked = true
  }

  async read(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#isPacked ? transform(new DecompressionStream('deflate-raw'), this.#bytes) : this.#bytes
  }
}

async function transform(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = writable.getWriter()
  // The readable side reports the same errors.
  writer.write(bytes).catch(() => undefined)
  writer.close().catch(() => undefined)
  return new Uint8Array(await new Response(readable).arrayBuffer())
}
