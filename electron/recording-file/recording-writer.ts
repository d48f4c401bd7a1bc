import { assertNotCancelled } from '../../shared/errors.ts'
import {
  findScreenshotType,
  formatBodyName,
  getPartOfEntry,
  getSegmentName,
  lineParts,
  lineSchemas,
  MANIFEST_ENTRY,
  MAX_SEGMENT_CHARS,
  MAX_SEGMENT_LINES,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  recordingManifestSchema,
  REPORT_ENTRY,
  REQUIRED_PARTS,
  screenshotExtensions,
  type LinePart,
  type ManifestFacts,
  type RecordedExchange,
  type RecordedLine,
  type RecordedMoment,
  type RecordedStep,
  type RecordingManifest,
} from '../../shared/recordings/recording.ts'
import { RecordingReport } from '../core/recordings/report/recording-report.ts'
import { assertWithinLimit } from './limits.ts'
import { passPieces, PieceReader, type EntryContent, type OtherEntry } from './pieces.ts'
import { SealWriter, type SignSeal } from './seal.ts'
import { ZipWriter } from './zip-writer.ts'

const LINE_FEED = 10

/** Room for segments of lines, the manifest and the seals. */
const RESERVED_ENTRIES = 1_000
/** A larger body passes through without being held in memory. */
const MAX_HELD_BYTES = 4_194_304

export interface RecordingSource {
  /** Called last, when it is known what was left out. */
  readonly describe: () => ManifestFacts
  /** Lines of each part, in order. Parts without lines are absent from the file. */
  readonly lines: { readonly [Part in LinePart]?: AsyncIterable<RecordedLine<Part>> | Iterable<RecordedLine<Part>> }
  /** Returns null for a body that is gone; then the exchange names none. */
  readonly loadBody: (name: string) => Promise<EntryContent | null>
  readonly screenshots?: Screenshots
  /** Entries of parts that this version does not know, from the file that is written anew. */
  readonly otherEntries?: AsyncIterable<OtherEntry>
}

/** Loads PNG and JPEG files by their names. No step names a picture for which it returns null. */
export type Screenshots = ReadonlyMap<string, () => Promise<Uint8Array | null>>

export interface RecordingProgress {
  readonly exchanges: number
  readonly bodies: number
  /** Bytes of bodies. */
  readonly bytes: number
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: RecordingProgress) => void) | undefined
  /** The file is written here before it moves to its place: beside it by default. */
  readonly temporaryDir?: string | undefined
  /** Signs the seal; without it the file can be checked, but nobody vouches for it. */
  readonly sign?: SignSeal | null | undefined
}

/** The file appears whole or not at all. @throws CANCELLED, SAVE_FAILED, the source's errors */
export function writeRecording(
  file: string,
  source: RecordingSource,
  { signal, onProgress, sign, temporaryDir }: WriteOptions = {},
): Promise<RecordingManifest> {
  const createdAt = new Date()
  return ZipWriter.write(file, createdAt, temporaryDir, async (zip) => {
    const writer = new PartWriter(zip, 1, signal, onProgress)
    for (const part of lineParts) {
      if (part === 'steps')
        for (const [name, load] of source.screenshots ?? []) {
          const picture = await load()
          if (picture) await writer.addScreenshot(name, picture)
        }
      const lines: AsyncIterable<object> | Iterable<object> = source.lines[part] ?? []
      await writer.addLines(part, lines, source.loadBody)
    }
    for await (const { name, content } of source.otherEntries ?? [])
      await writer.addEntry(getPartOfEntry(name), name, content)
    const facts = source.describe()
    await writer.addReport(facts, sign ?? null)
    return writer.finish(facts, [], sign ?? null)
  })
}

/** Writes the parts of a recording, its report and its seal. */
export class PartWriter {
  /** Receives every line that is written. */
  readonly report = new RecordingReport()
  readonly #zip: ZipWriter
  readonly #seal = new SealWriter()
  readonly #sealNumber: number
  readonly #signal: AbortSignal | undefined
  readonly #onProgress: WriteOptions['onProgress']
  readonly #parts = new Map<string, { entries: number; lines: number | null }>()
  /** Names of the entries, by the names that the source has; null for a body that is gone. */
  readonly #bodies = new Map<string, string | null>()
  /** Names of the entries, by the names that the source has. */
  readonly #screenshots = new Map<string, string>()
  #lineCount = 0
  #entryCount = 0
  readonly #progress = { exchanges: 0, bodies: 0, bytes: 0 }

  constructor(zip: ZipWriter, sealNumber: number, signal?: AbortSignal, onProgress?: WriteOptions['onProgress']) {
    this.#zip = zip
    this.#sealNumber = sealNumber
    this.#signal = signal
    this.#onProgress = onProgress
  }

  /** Writes the lines of a part in segments; the bodies of a segment come before it. */
  async addLines(
    part: LinePart,
    lines: AsyncIterable<object> | Iterable<object>,
    loadBody: RecordingSource['loadBody'],
  ): Promise<void> {
    let texts: string[] = []
    let chars = 0
    const writeSegment = async (): Promise<void> => {
      await this.addSegment(part, texts)
      texts = []
      chars = 0
    }
    for await (const line of lines) {
      assertNotCancelled(this.#signal)
      const value = await this.#toWritten(part, line, loadBody)
      this.report.addLine(part, value)
      const text = JSON.stringify(value)
      if (texts.length >= MAX_SEGMENT_LINES || (texts.length > 0 && chars + text.length > MAX_SEGMENT_CHARS))
        await writeSegment()
      texts.push(text)
      chars += text.length + 1
    }
    if (texts.length > 0) await writeSegment()
  }

  /** @param texts JSON objects without line breaks. */
  async addSegment(part: LinePart, texts: readonly string[]): Promise<void> {
    const { entries, lines } = this.#parts.get(part) ?? { entries: 0, lines: 0 }
    const name = getSegmentName(part, entries)
    const contents: Uint8Array[] = []
    const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0))
    let start = 0
    this.#lineCount += texts.length
    assertWithinLimit('lines', this.#lineCount)
    for (const text of texts) {
      const end = start + bytes.write(text, start)
      contents.push(bytes.subarray(start, end))
      bytes[end] = LINE_FEED
      start = end + 1
    }
    this.#seal.add(name, contents)
    await this.#zip.add(name, bytes, true)
    this.#parts.set(part, { entries: entries + 1, lines: (lines ?? 0) + texts.length })
    if (part === 'exchanges') {
      assertWithinLimit('exchanges', (lines ?? 0) + texts.length)
      this.#reportProgress({ exchanges: texts.length })
    }
  }

  /** Writes an entry of a part that does not consist of lines. */
  async addEntry(part: string, name: string, content: EntryContent): Promise<void> {
    assertNotCancelled(this.#signal)
    this.#entryCount += 1
    assertWithinLimit('entries', this.#entryCount + RESERVED_ENTRIES)
    const reader = new PieceReader(content)
    const start = await reader.readStart(MAX_HELD_BYTES + 1)
    const isWhole = start.length <= MAX_HELD_BYTES
    if (isWhole) this.#seal.add(name, [start])
    await this.#zip.add(name, isWhole ? start : this.#seal.pass(name, reader.readAll()), isCompressible(start))
    const { entries } = this.#parts.get(part) ?? { entries: 0 }
    this.#parts.set(part, { entries: entries + 1, lines: null })
  }

  /** Writes a body of the source once. Returns its name in the file, or null if it is gone. */
  async addBody(name: string, load: () => Promise<EntryContent | null>): Promise<string | null> {
    const earlierName = this.#bodies.get(name)
    if (earlierName !== undefined) return earlierName
    const content = await load()
    // A number says nothing about the content, so a redaction can keep the lines that name it.
    const writtenName = content && formatBodyName(this.#bodies.size + 1)
    this.#bodies.set(name, writtenName)
    if (content && writtenName !== null) await this.writeBody(writtenName, content)
    return writtenName
  }

  async writeBody(name: string, content: EntryContent): Promise<void> {
    await this.addEntry('bodies', `bodies/${name}`, this.#countBytes(content))
    this.#reportProgress({ bodies: 1 })
  }

  /** Adds it before lines that name it. The returned entry ends by its type (JPEG becomes PNG). */
  async addScreenshot(name: string, bytes: Uint8Array): Promise<string> {
    const type = findScreenshotType(bytes)
    const [, stem = '', end = ''] = /^(.*?)(\.[a-z]+)?$/.exec(name) ?? []
    const extension = type === null ? end : screenshotExtensions[type]
    const others = new Set(this.#screenshots.values())
    let newName = stem + extension
    for (let number = 2; others.has(newName); number += 1) newName = `${stem}-${number}${extension}`
    this.#screenshots.set(name, newName)
    await this.addEntry('screenshots', `screenshots/${newName}`, bytes)
    return `screenshots/${newName}`
  }

  /** Makes a line name its picture as it was written, and none that was dropped. */
  nameScreenshot<Line extends RecordedStep | RecordedMoment>(line: Line): Line {
    return line.screenshot === null ? line : { ...line, screenshot: this.#screenshots.get(line.screenshot) ?? null }
  }

  /** Call this after everything else was added. @returns the bytes of the report */
  async addReport(facts: ManifestFacts, sign: SignSeal | null): Promise<Uint8Array> {
    const text = this.report.format(facts, Object.fromEntries(this.#parts), sign?.fingerprint ?? null)
    const bytes = Buffer.from(text)
    await this.addEntry('report', REPORT_ENTRY, bytes)
    return bytes
  }

  /** @param earlier digests of the earlier seals, which the new seal names. */
  async finish(facts: ManifestFacts, earlier: readonly string[], sign: SignSeal | null): Promise<RecordingManifest> {
    // Members are written in the order of the schema, in which a redaction writes them again.
    const manifest = recordingManifestSchema.parse({
      format: RECORDING_FORMAT,
      version: RECORDING_VERSION,
      requiredParts: [...REQUIRED_PARTS],
      ...facts,
      parts: Object.fromEntries(this.#parts),
    })
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    this.#seal.add(MANIFEST_ENTRY, [bytes])
    await this.#zip.add(MANIFEST_ENTRY, bytes, true)
    const program = `${facts.program.name} ${facts.program.version}`
    await this.#seal.finish(this.#zip, this.#sealNumber, { createdAt: Date.now(), program, earlier }, sign)
    return manifest
  }

  async #toWritten(
    part: LinePart,
    line: object,
    loadBody: RecordingSource['loadBody'],
  ): Promise<RecordedLine<LinePart>> {
    if (part === 'exchanges') return this.#addBodies(line as RecordedExchange, loadBody)
    if (isPicturedPart(part)) return this.nameScreenshot(lineSchemas[part].parse(line))
    return lineSchemas[part].parse(line)
  }

  async #addBodies(line: RecordedExchange, loadBody: RecordingSource['loadBody']): Promise<RecordedExchange> {
    const exchange = lineSchemas.exchanges.parse(line)
    const findName = async (name: string | null): Promise<string | null> =>
      name === null ? null : this.addBody(name, () => loadBody(name))
    const requestBody = await findName(exchange.requestBody)
    return { ...exchange, requestBody, responseBody: await findName(exchange.responseBody) }
  }

  #countBytes(content: EntryContent): EntryContent {
    const count = ({ length }: Uint8Array): void => {
      assertNotCancelled(this.#signal)
      this.#reportProgress({ bytes: length })
    }
    if (!(content instanceof Uint8Array)) return passPieces(content, count)
    count(content)
    return content
  }

  #reportProgress(added: Partial<RecordingProgress>): void {
    this.#progress.exchanges += added.exchanges ?? 0
    this.#progress.bodies += added.bodies ?? 0
    this.#progress.bytes += added.bytes ?? 0
    this.#onProgress?.({ ...this.#progress })
  }
}

/** Lines of these parts name pictures. */
export function isPicturedPart(part: LinePart): part is 'steps' | 'moments' {
  return part === 'steps' || part === 'moments'
}

/** First bytes of compressed files: PNG, JPEG, GIF, RIFF, PDF, zip, gzip, Ogg, MP3. */
const COMPRESSED_BEGINNINGS = [
  '89504e47',
  'ffd8ff',
  '47494638',
  '52494646',
  '25504446',
  '504b0304',
  '1f8b',
  '4f676753',
  '494433',
]

function isCompressible(start: Uint8Array): boolean {
  const beginning = Buffer.from(start.subarray(0, 4)).toString('hex')
  return !COMPRESSED_BEGINNINGS.some((magic) => beginning.startsWith(magic))
}
