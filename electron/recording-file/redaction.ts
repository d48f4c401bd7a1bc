import { hash } from 'node:crypto'
import { createCancelledError } from '../../shared/errors.ts'
import {
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
import { parseLine, type RecordingFile } from './recording-file.ts'
import { formatManifest, PartWriter, type ManifestFacts, type WriteOptions } from './recording-writer.ts'
import { getSealDir, type SignRoots } from './seal.ts'
import { listSeals } from './seal-reader.ts'
import { SealRewriter } from './seal-rewriter.ts'
import { hashRoots } from './seal-writer.ts'
import { ZipWriter } from './zip-writer.ts'

/** A larger body cannot be looked into, so that it is dropped. */
const MAX_REDACTED_BODY_BYTES = 268_435_456
const MAX_MANIFEST_BYTES = 16_777_216

/** The body that stands in place of an old one. */
export interface TransformedBody {
  readonly bytes: Uint8Array
  /** Null if it is that of the old body. */
  readonly mediaType: string | null
}

/** What an exchange says about its body after a redaction. */
export interface NewBody {
  /** Null if it was dropped, or there was none. */
  readonly name: string | null
  readonly bytes: number
  readonly isChanged: boolean
  readonly mediaType: string | null
}

export interface BodyPlace {
  readonly exchange: RecordedExchange
  readonly side: 'request' | 'response'
}

/** Rewrites the documents of one recording. */
export interface RecordingTransform {
  readonly policy: RedactionPolicy
  /** Called with every exchange before the first one is rewritten. */
  learnExchange(exchange: RecordedExchange, loadRequestBody: () => Promise<Uint8Array | null>): Promise<void> | void
  /** @returns null to drop the body */
  transformBody(bytes: Uint8Array, place: BodyPlace): Promise<TransformedBody | null> | TransformedBody | null
  transformExchange(exchange: RecordedExchange, request: NewBody, response: NewBody): RecordedExchange
  transformLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part>
  transformManifest(manifest: RecordingManifest): RecordingManifest
  /** @returns null to drop it */
  transformScreenshot(bytes: Uint8Array): Promise<Uint8Array | null> | Uint8Array | null
  /** @returns null to drop it */
  transformReport(text: string): string | null
  /** What was dropped or replaced so far. */
  listLeftOut(): readonly LeftOut[]
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
  { signal, onProgress, sign }: WriteOptions = {},
): Promise<RecordingManifest> =>
  ZipWriter.write(file, new Date(), async (zip) => {
    const numbers = listSeals(recording.zip)
    const seals: SealRewriter[] = []
    for (const number of numbers) seals.push(await SealRewriter.load(recording.zip, number, zip))
    const writer = new PartWriter(zip, (numbers.at(-1) ?? 0) + 1, signal, onProgress)
    return new Redaction(recording, transform, zip, writer, seals, signal).write(sign ?? null)
  })

class Redaction {
  readonly #recording: RecordingFile
  readonly #transform: RecordingTransform
  readonly #zip: ZipWriter
  readonly #writer: PartWriter
  readonly #seals: readonly SealRewriter[]
  readonly #signal: AbortSignal | undefined
  readonly #bodies = new Map<string, NewBody>()
  #otherEntries = 0

  constructor(
    recording: RecordingFile,
    transform: RecordingTransform,
    zip: ZipWriter,
    writer: PartWriter,
    seals: readonly SealRewriter[],
    signal: AbortSignal | undefined,
  ) {
    this.#recording = recording
    this.#transform = transform
    this.#zip = zip
    this.#writer = writer
    this.#seals = seals
    this.#signal = signal
  }

  async write(sign: SignRoots | null): Promise<RecordingManifest> {
    const recording = this.#recording
    for await (const exchange of recording.readExchanges()) {
      this.#checkSignal()
      const { requestBody } = exchange
      await this.#transform.learnExchange(exchange, async () =>
        requestBody !== null && recording.hasBody(requestBody) ? recording.readBody(requestBody) : null,
      )
    }
    for (const part of lineParts) await this.#writeLines(part)
    for (const name of recording.screenshots) await this.#writeScreenshot(`screenshots/${name}`, name)
    const report = await recording.readReport()
    if (report !== null) await this.#writeReport(report)
    for await (const { name } of recording.readOtherEntries()) if (name !== '') this.#otherEntries += 1
    for (const seal of this.#seals) await this.#finishSeal(seal)
    return this.#writer.finish(
      this.#describe(),
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
        const text = JSON.stringify(changed)
        // A line that did not change keeps its bytes, whoever wrote them.
        const isSame = text === JSON.stringify(value)
        texts.push(isSame ? before.toString() : text)
        for (const seal of this.#seals) seal.moveLine(entry, line, before, isSame ? before : Buffer.from(text))
      }
      await this.#writer.addSegment(part, texts)
      await this.#flush()
    }
  }

  async #transformLine<Part extends LinePart>(part: Part, value: RecordedLine<Part>): Promise<object> {
    if (part !== 'exchanges')
      return this.#transform.transformLine(
        part as Exclude<LinePart, 'exchanges'>,
        value as RecordedLine<Exclude<LinePart, 'exchanges'>>,
      )
    const exchange = value as RecordedExchange
    const request = await this.#rewriteBody(exchange.requestBody, { exchange, side: 'request' })
    const response = await this.#rewriteBody(exchange.responseBody, { exchange, side: 'response' })
    const changed = this.#transform.transformExchange(exchange, request, response)
    return { ...changed, requestBody: request.name, responseBody: response.name }
  }

  async #rewriteBody(name: string | null, place: BodyPlace): Promise<NewBody> {
    if (name === null) return { name: null, bytes: 0, isChanged: false, mediaType: null }
    const { row, [place.side]: info } = place.exchange
    // The same bytes may mean something else in another response.
    const key = [name, place.side, row.endpoint ?? row.template, info.mediaType].join(' ')
    const earlier = this.#bodies.get(key)
    if (earlier) return earlier
    const entry = `bodies/${name}`
    const size = this.#recording.zip.entries.get(entry)?.size
    const before = size === undefined || size > MAX_REDACTED_BODY_BYTES ? null : await this.#recording.readBody(name)
    const after = before === null ? null : await this.#transform.transformBody(before, place)
    const newName = after === null ? null : hash('sha256', after.bytes, 'hex')
    const body = {
      name: newName,
      bytes: after?.bytes.length ?? 0,
      isChanged: newName !== name,
      mediaType: after?.mediaType ?? null,
    }
    this.#bodies.set(key, body)
    if (before)
      for (const seal of this.#seals)
        seal.moveBody(entry, { before, after: after?.bytes ?? null, entry: `bodies/${newName}` })
    if (after && newName !== null) await this.#writer.addBody(newName, () => Promise.resolve(after.bytes))
    await this.#flush()
    return body
  }

  async #writeScreenshot(entry: string, name: string): Promise<void> {
    const before = await this.#recording.readScreenshot(name)
    const after = await this.#transform.transformScreenshot(before)
    for (const seal of this.#seals) seal.moveEntry(entry, { before, after, entry })
    if (after) await this.#writer.addEntry('screenshots', entry, after)
    await this.#flush()
  }

  async #writeReport(report: string): Promise<void> {
    const text = this.#transform.transformReport(report)
    const after = text === null ? null : Buffer.from(text)
    for (const seal of this.#seals)
      seal.moveEntry(REPORT_ENTRY, { before: Buffer.from(report), after, entry: REPORT_ENTRY })
    if (after) await this.#writer.addEntry('report', REPORT_ENTRY, after)
  }

  /** The manifest that was sealed stays beside its seal, because the redaction writes its own. */
  async #finishSeal(seal: SealRewriter): Promise<void> {
    const entry = seal.findManifest()
    if (entry !== null) {
      const before = await this.#recording.zip.readWhole(entry, MAX_MANIFEST_BYTES)
      const { data } = recordingManifestSchema.safeParse(JSON.parse(before.toString()))
      const after = data ? Buffer.from(formatManifest(this.#transform.transformManifest(data))) : null
      const target = `${getSealDir(seal.number)}/${MANIFEST_ENTRY}`
      seal.moveEntry(entry, { before, after, entry: target })
      if (after) await this.#zip.add(target, [after], true)
    }
    await seal.finish()
  }

  #describe(): ManifestFacts {
    const { manifest } = this.#recording
    const { format, version, requiredParts, parts, ...facts } = this.#transform.transformManifest(manifest)
    void [format, version, requiredParts, parts]
    const others: LeftOut[] =
      this.#otherEntries === 0 ? [] : [{ what: 'other', count: this.#otherEntries, why: 'redacted' }]
    return {
      ...facts,
      leftOut: [...manifest.leftOut, ...this.#transform.listLeftOut(), ...others],
      redaction: this.#transform.policy,
    }
  }

  async #flush(): Promise<void> {
    for (const seal of this.#seals) await seal.flush()
  }

  #checkSignal(): void {
    if (this.#signal?.aborted === true) throw createCancelledError()
  }
}
