import { createCancelledError } from '../../shared/errors.ts'
import {
  combineLeftOut,
  combineRedactions,
  getPartOfEntry,
  getSegmentName,
  lineParts,
  MANIFEST_ENTRY,
  recordingManifestSchema,
  REPORT_ENTRY,
  type LeftOut,
  type LinePart,
  type RecordedExchange,
  type RecordedLine,
  type RecordingManifest,
  type RedactionPolicy,
} from '../../shared/recordings/recording.ts'
import { readLines } from './line-reader.ts'
import { isKnownPart, parseLine, type RecordingFile } from './recording-file.ts'
import { formatManifest, PartWriter, readContent, type ManifestFacts, type WriteOptions } from './recording-writer.ts'
import { getSealDir, type SignRoots } from './seal.ts'
import { listSeals } from './seal-reader.ts'
import { SealRewriter } from './seal-rewriter.ts'
import { hashRoots } from './seal-writer.ts'
import { ZipWriter, type EntryContent } from './zip-writer.ts'

/** Of a larger body nothing is compared: it counts as taken out, and what is left as added. */
const MAX_COMPARED_BYTES = 268_435_456
const MAX_MANIFEST_BYTES = 16_777_216
/** A smaller body is in memory while it is redacted and compared; a larger one is read again. */
const MAX_HELD_BYTES = 4_194_304

/** Loads a body of the recording that is redacted. Its bytes have other readers. */
export type LoadOldBody = (name: string) => Promise<Uint8Array>

/** Rewrites the lines and bodies of one recording. */
export interface RecordingTransform {
  /** Called before anything is rewritten. */
  learn(exchanges: AsyncIterable<RecordedExchange>, load: LoadOldBody): Promise<void>
  /** The exchange that is returned names the bodies that stand in place of the old ones. */
  redactExchange(exchange: RecordedExchange, load: LoadOldBody): Promise<RecordedExchange>
  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part>
  /** Returns a body by its new name; null if there is none. */
  loadBody(name: string, load: LoadOldBody): Promise<EntryContent | null>
  /** @returns null to drop it */
  redactScreenshot(bytes: Uint8Array): Uint8Array | null
  redactManifest(manifest: RecordingManifest): RecordingManifest
  /** What was dropped so far. */
  listLeftOut(): readonly LeftOut[]
}

interface RedactOptions extends WriteOptions {
  /** What the transform does, as the manifest says it. */
  readonly policy: RedactionPolicy
}

/**
 * Writes a further recording with less in it. The seals of the first one stay valid: whoever reads
 * the second one sees what was removed, and that the rest is as it was sealed.
 * @throws CANCELLED, SAVE_FAILED, and the errors of reading the recording; then nothing is written
 */
export const redactRecording = (
  recording: RecordingFile,
  file: string,
  transform: RecordingTransform,
  { policy, signal, onProgress, sign }: RedactOptions,
): Promise<RecordingManifest> =>
  ZipWriter.write(file, new Date(), async (zip) => {
    const numbers = listSeals(recording.zip)
    const seals: SealRewriter[] = []
    for (const number of numbers) seals.push(await SealRewriter.load(recording.zip, number, zip))
    const writer = new PartWriter(zip, (numbers.at(-1) ?? 0) + 1, signal, onProgress)
    return new Redaction(recording, transform, policy, zip, writer, seals, signal).write(sign ?? null)
  })

class Redaction {
  readonly #recording: RecordingFile
  readonly #transform: RecordingTransform
  readonly #policy: RedactionPolicy
  readonly #zip: ZipWriter
  readonly #writer: PartWriter
  readonly #seals: readonly SealRewriter[]
  readonly #signal: AbortSignal | undefined
  readonly #movedBodies = new Set<string>()
  /** Bodies of the exchange that is redacted. */
  readonly #oldBodies = new Map<string, Uint8Array>()
  #droppedEntries = 0

  constructor(
    recording: RecordingFile,
    transform: RecordingTransform,
    policy: RedactionPolicy,
    zip: ZipWriter,
    writer: PartWriter,
    seals: readonly SealRewriter[],
    signal: AbortSignal | undefined,
  ) {
    this.#recording = recording
    this.#transform = transform
    this.#policy = policy
    this.#zip = zip
    this.#writer = writer
    this.#seals = seals
    this.#signal = signal
  }

  async write(sign: SignRoots | null): Promise<RecordingManifest> {
    const recording = this.#recording
    await this.#transform.learn(recording.readExchanges(), (name) => recording.readBody(name))
    for (const part of lineParts) {
      if (part === 'steps') for (const name of recording.screenshots) await this.#writeScreenshot(name)
      await this.#writeLines(part)
    }
    // Parts that are unknown cannot be looked into.
    for (const name of recording.zip.entries.keys()) if (!isKnownPart(getPartOfEntry(name))) this.#droppedEntries += 1
    const facts = this.#describe()
    await this.#writeReport(facts, sign)
    for (const seal of this.#seals) await this.#finishSeal(seal)
    return this.#writer.finish(
      facts,
      this.#seals.map(({ seal }) => hashRoots(seal.bytes)),
      sign,
    )
  }

  async #writeLines(part: LinePart): Promise<void> {
    for (let index = 0; index < (this.#recording.manifest.parts[part]?.entries ?? 0); index += 1) {
      const entry = getSegmentName(part, index)
      const texts: string[] = []
      for await (const before of readLines(this.#recording.zip.read(entry), entry)) {
        this.#checkSignal()
        const line = texts.length + 1
        const value = parseLine(part, entry, line, before)
        const changed = await this.#transformLine(part, value)
        this.#writer.report.addLine(part, changed as RecordedLine<LinePart>)
        const text = JSON.stringify(changed)
        // A line that did not change keeps its bytes, whoever wrote them.
        const isSame = text === JSON.stringify(value)
        texts.push(isSame ? before.toString() : text)
      }
      await this.#moveLines(entry, texts)
      await this.#writer.addSegment(part, texts)
      await this.#flush()
    }
  }

  /** Reads the lines again: small buffers that are kept hold the memory of others. */
  async #moveLines(entry: string, texts: readonly string[]): Promise<void> {
    let line = 0
    for await (const before of readLines(this.#recording.zip.read(entry), entry)) {
      const after = Buffer.from(texts[line] ?? '')
      line += 1
      for (const seal of this.#seals) await seal.moveLine(entry, line, before, after)
    }
  }

  async #transformLine<Part extends LinePart>(part: Part, value: RecordedLine<Part>): Promise<object> {
    if (part === 'steps')
      return this.#writer.nameScreenshot(this.#transform.redactLine('steps', value as RecordedLine<'steps'>))
    if (part !== 'exchanges')
      return this.#transform.redactLine(
        part as Exclude<LinePart, 'exchanges'>,
        value as RecordedLine<Exclude<LinePart, 'exchanges'>>,
      )
    const exchange = value as RecordedExchange
    this.#oldBodies.clear()
    const changed = await this.#transform.redactExchange(exchange, this.#loadOldBody)
    const requestBody = await this.#moveBody(exchange.requestBody, changed.requestBody)
    return { ...changed, requestBody, responseBody: await this.#moveBody(exchange.responseBody, changed.responseBody) }
  }

  readonly #loadOldBody: LoadOldBody = async (name) => {
    const bytes = this.#oldBodies.get(name) ?? (await this.#recording.readBody(name))
    if (bytes.length <= MAX_HELD_BYTES) this.#oldBodies.set(name, bytes)
    return bytes
  }

  /** @returns the new name, or null if the body is gone */
  async #moveBody(oldName: string | null, newName: string | null): Promise<string | null> {
    const after = newName === null ? null : await this.#transform.loadBody(newName, this.#loadOldBody)
    const bytes = after === null ? null : await readContent(after)
    if (oldName !== null && !this.#movedBodies.has(oldName)) {
      this.#movedBodies.add(oldName)
      const size = this.#recording.zip.entries.get(`bodies/${oldName}`)?.size ?? 0
      const before = size > MAX_COMPARED_BYTES ? null : await this.#loadOldBody(oldName)
      const moved = { before: before ?? Buffer.alloc(0), after: before && bytes, entry: `bodies/${newName}` }
      for (const seal of this.#seals) await seal.moveBody(`bodies/${oldName}`, moved)
    }
    if (newName !== null && bytes) await this.#writer.addBody(newName, () => Promise.resolve(bytes))
    await this.#flush()
    return bytes ? newName : null
  }

  async #writeScreenshot(name: string): Promise<void> {
    const before = await this.#recording.readScreenshot(name)
    const after = this.#transform.redactScreenshot(before)
    const entry = `screenshots/${name}`
    const newEntry = after ? await this.#writer.addScreenshot(name, after) : null
    // A picture of another name is another document: the one that was sealed is gone.
    for (const seal of this.#seals)
      await seal.moveEntry(entry, { before, after: newEntry === entry ? after : null, entry })
    await this.#flush()
  }

  /** A report quotes the other parts, so it is made anew. */
  async #writeReport(facts: ManifestFacts, sign: SignRoots | null): Promise<void> {
    const { zip } = this.#recording
    const size = zip.entries.get(REPORT_ENTRY)?.size ?? null
    const before = size === null || size > MAX_COMPARED_BYTES ? null : await zip.readWhole(REPORT_ENTRY, size)
    const after = await this.#writer.addReport(facts, sign)
    if (before)
      for (const seal of this.#seals) await seal.moveEntry(REPORT_ENTRY, { before, after, entry: REPORT_ENTRY })
    await this.#flush()
  }

  /** The manifest that was sealed stays beside its seal, because the redaction writes its own. */
  async #finishSeal(seal: SealRewriter): Promise<void> {
    const entry = seal.findManifest()
    if (entry !== null) {
      const before = await this.#recording.zip.readWhole(entry, MAX_MANIFEST_BYTES)
      const { data } = recordingManifestSchema.safeParse(JSON.parse(before.toString()))
      const after = data ? Buffer.from(formatManifest(this.#transform.redactManifest(data))) : null
      const target = `${getSealDir(seal.number)}/${MANIFEST_ENTRY}`
      await seal.moveEntry(entry, { before, after, entry: target })
      if (after) await this.#zip.add(target, after, true)
    }
    await seal.finish()
  }

  #describe(): ManifestFacts {
    const { manifest } = this.#recording
    const { format, version, requiredParts, parts, ...facts } = this.#transform.redactManifest(manifest)
    void [format, version, requiredParts, parts]
    const dropped: LeftOut[] =
      this.#droppedEntries === 0 ? [] : [{ what: 'other', count: this.#droppedEntries, why: 'redacted' }]
    return {
      ...facts,
      leftOut: combineLeftOut(manifest.leftOut, [...this.#transform.listLeftOut(), ...dropped]),
      redaction: combineRedactions(manifest.redaction, this.#policy),
    }
  }

  async #flush(): Promise<void> {
    for (const seal of this.#seals) await seal.flush()
  }

  #checkSignal(): void {
    if (this.#signal?.aborted === true) throw createCancelledError()
  }
}
