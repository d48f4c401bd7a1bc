import { createHash } from 'node:crypto'
import { assertNotCancelled } from '../../shared/errors.ts'
import {
  combineLeftOut,
  combineRedactions,
  formatBodyName,
  getPartOfEntry,
  getSegmentName,
  listLeftOut,
  lineParts,
  type LeftOut,
  type LinePart,
  type ManifestFacts,
  type RecordedExchange,
  type RecordedLine,
  type RecordingManifest,
  type RedactionPolicy,
} from '../../shared/recordings/recording.ts'
import { readLines } from './line-reader.ts'
import { toPieces, type EntryContent } from './pieces.ts'
import type { RecordingFile } from './recording-file.ts'
import { isKnownPart, parseLine } from './recording-reader.ts'
import { isPicturedPart, PartWriter, type WriteOptions } from './recording-writer.ts'
import { carrySeal } from './seal.ts'
import { readSeals } from './seal-reader.ts'
import { ZipWriter } from './zip-writer.ts'

/** A smaller body is in memory while it is redacted and compared; a larger one is read again. */
const MAX_HELD_BYTES = 4_194_304
const NOTHING_REPLACED: ReadonlySet<number> = new Set()

/** Loads a body of the recording that is redacted. Its bytes have other readers. */
export type LoadOldBody = (name: string) => Promise<EntryContent>

/** Rewrites the lines and bodies of one recording. */
export interface RecordingTransform {
  /** Called before anything is rewritten. */
  learn(
    openExchanges: () => AsyncIterable<RecordedExchange>,
    load: LoadOldBody,
    openLines: <Part extends LinePart>(part: Part) => AsyncIterable<RecordedLine<Part>>,
  ): Promise<void>
  /** The returned exchange names the new bodies by their SHA-256. */
  redactExchange(exchange: RecordedExchange, load: LoadOldBody): Promise<RecordedExchange>
  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part>
  /** Returns a body by its new name; null if there is none. */
  loadBody(name: string, load: LoadOldBody): Promise<EntryContent | null>
  /** @returns null to drop it */
  redactScreenshot(bytes: Uint8Array): Uint8Array | null
  redactManifest(manifest: RecordingManifest): RecordingManifest
  listLeftOut(): readonly LeftOut[]
}

/**
 * Writes a further recording with less in it. The seals of the first one stay valid: whoever reads
 * the second one sees what was removed, and that the rest is as it was sealed. The manifest states
 * the policy.
 * @throws CANCELLED, SAVE_FAILED, and the errors of reading the recording; then nothing is written
 */
export function redactRecording(
  recording: RecordingFile,
  file: string,
  transform: RecordingTransform,
  { policy, signal, onProgress, sign = null, temporaryDir }: WriteOptions & { readonly policy: RedactionPolicy },
): Promise<RecordingManifest> {
  return ZipWriter.write(file, new Date(), temporaryDir, async (zip) => {
    const seals = await readSeals(recording.zip)
    const writer = new PartWriter(zip, seals.length + 1, signal, onProgress)
    const redaction = new Redaction(recording, transform, writer, signal)
    await redaction.writeParts()
    const facts = redaction.describe(policy)
    // A report quotes the other parts, so it is made anew.
    await writer.addReport(facts, sign)
    for (const seal of seals) await carrySeal(recording.zip, seal, redaction.rewritten, zip)
    const digests = seals.map(({ digest }) => digest)
    return writer.finish(facts, digests, sign)
  })
}

class Redaction {
  readonly #recording: RecordingFile
  readonly #transform: RecordingTransform
  readonly #writer: PartWriter
  readonly #signal: AbortSignal | undefined
  readonly rewritten = new Map<string, ReadonlySet<number>>()
  /** Names in the new file, by the old name and the hash of the new body. */
  readonly #bodyNames = new Map<string, string | null>()
  readonly #writtenBodies = new Set<string>()
  /** Bodies of the exchange that is redacted. */
  readonly #oldBodies = new Map<string, Uint8Array>()
  #lastBodyNumber = 0

  constructor(
    recording: RecordingFile,
    transform: RecordingTransform,
    writer: PartWriter,
    signal: AbortSignal | undefined,
  ) {
    this.#recording = recording
    this.#transform = transform
    this.#writer = writer
    this.#signal = signal
  }

  async writeParts(): Promise<void> {
    const recording = this.#recording
    for (const name of recording.zip.entries.keys())
      if (getPartOfEntry(name) === 'bodies')
        this.#lastBodyNumber = Math.max(this.#lastBodyNumber, Number(name.slice('bodies/'.length)))
    await this.#transform.learn(
      () => recording.readExchanges(),
      (name) => this.#openOldBody(name),
      (part) => recording.readLines(part),
    )
    for (const part of lineParts) {
      if (part === 'steps') for (const name of recording.screenshots) await this.#writeScreenshot(name)
      await this.#writeLines(part)
    }
  }

  async #writeLines(part: LinePart): Promise<void> {
    for (let index = 0; index < (this.#recording.manifest.parts[part]?.entries ?? 0); index += 1) {
      const entry = getSegmentName(part, index)
      const texts: string[] = []
      const replaced = new Set<number>()
      for await (const before of readLines(this.#recording.zip.read(entry), entry)) {
        assertNotCancelled(this.#signal)
        const value = parseLine(part, entry, texts.length + 1, before)
        const changed = await this.#transformLine(part, value)
        this.#writer.report.addLine(part, changed as RecordedLine<LinePart>)
        const text = JSON.stringify(changed)
        // A line that did not change keeps its bytes, whoever wrote them.
        const isSame = text === JSON.stringify(value)
        if (!isSame) replaced.add(texts.length)
        texts.push(isSame ? before.toString() : text)
      }
      this.rewritten.set(entry, replaced)
      await this.#writer.addSegment(part, texts)
    }
  }

  async #transformLine<Part extends LinePart>(part: Part, value: RecordedLine<Part>): Promise<object> {
    if (isPicturedPart(part))
      return this.#writer.nameScreenshot(
        this.#transform.redactLine<'steps' | 'moments'>(part, value as RecordedLine<'steps' | 'moments'>),
      )
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
    const content = this.#oldBodies.get(name) ?? (await this.#openOldBody(name))
    if (content instanceof Uint8Array) this.#oldBodies.set(name, content)
    return content
  }

  async #openOldBody(name: string): Promise<EntryContent> {
    const size = this.#recording.zip.entries.get(`bodies/${name}`)?.size ?? 0
    return size > MAX_HELD_BYTES ? this.#recording.openBody(name) : this.#recording.readBody(name)
  }

  /**
   * Writes the new body under the name of the old one, so that lines that name it stay as they are;
   * a second one that comes from the same body gets a further name.
   * @returns null if the body is gone
   */
  async #moveBody(oldName: string | null, newHash: string | null): Promise<string | null> {
    if (oldName === null || newHash === null) return null
    const key = `${oldName} ${newHash}`
    const earlierName = this.#bodyNames.get(key)
    if (earlierName !== undefined) return earlierName
    const content = await this.#transform.loadBody(newHash, this.#loadOldBody)
    const name = content && this.#nameBody(oldName)
    this.#bodyNames.set(key, name)
    if (content === null || name === null) return null
    if (name === oldName && (await isSameContent(await this.#loadOldBody(oldName), content, newHash)))
      this.rewritten.set(`bodies/${name}`, NOTHING_REPLACED)
    await this.#writer.writeBody(name, content)
    return name
  }

  #nameBody(oldName: string): string {
    const isFree = !this.#writtenBodies.has(oldName)
    this.#writtenBodies.add(oldName)
    if (isFree) return oldName
    this.#lastBodyNumber += 1
    return formatBodyName(this.#lastBodyNumber)
  }

  async #writeScreenshot(name: string): Promise<void> {
    const before = await this.#recording.readScreenshot(name)
    const after = this.#transform.redactScreenshot(before)
    if (!after) return
    const entry = await this.#writer.addScreenshot(name, after)
    if (Buffer.compare(before, after) === 0) this.rewritten.set(entry, NOTHING_REPLACED)
  }

  describe(policy: RedactionPolicy): ManifestFacts {
    const { manifest, zip } = this.#recording
    const { format, version, requiredParts, parts, ...facts } = this.#transform.redactManifest(manifest)
    void [format, version, requiredParts, parts]
    // Parts that are unknown cannot be looked into.
    const droppedCount = [...zip.entries.keys()].filter((name) => !isKnownPart(getPartOfEntry(name))).length
    const dropped = listLeftOut('redacted', { other: droppedCount })
    return {
      ...facts,
      leftOut: combineLeftOut(manifest.leftOut, [...this.#transform.listLeftOut(), ...dropped]),
      redaction: combineRedactions(manifest.redaction, policy),
    }
  }
}

/** @param newHash SHA-256 of the new content, which can be read only once if it comes in pieces */
async function isSameContent(before: EntryContent, after: EntryContent, newHash: string): Promise<boolean> {
  if (before instanceof Uint8Array && after instanceof Uint8Array) return Buffer.compare(before, after) === 0
  const sum = createHash('sha256')
  for await (const piece of toPieces(before)) sum.update(piece)
  return sum.digest('hex') === newHash
}
