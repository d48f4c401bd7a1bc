import { createHash, type Hash } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { BODY_START_BYTES, chooseBodyTreatment, type BodyTreatment } from '../../../core/redaction/body-treatment.ts'
import { TranscodingRewriter } from '../../../core/redaction/text-rewriter.ts'
import { HostTokenStream } from '../../../core/redaction/host-tokens.ts'
import {
  NO_BODY,
  type BodyContext,
  type RecordingRedactor,
  type RedactedBody,
} from '../../../core/redaction/redaction.ts'
import { passPieces, PieceReader, type EntryContent } from '../../../recording-file/pieces.ts'
import type { TokenMask } from '../../mask/mask.ts'
import { createGreyPicture, removeMetadata } from './pictures.ts'

export type LoadBody = (name: string) => Promise<EntryContent | null>

/** Other work gets its turn after as many bytes. */
const SLICE_BYTES = 65_536
/** The size of a picture stands within its first bytes, if it is not behind a large thumbnail. */
const PICTURE_START_BYTES = 1_048_576
/** A larger picture is replaced, because its metadata cannot be removed piece by piece. */
const MAX_PICTURE_BYTES = 67_108_864
/** New bodies wait in memory until they are written; of a larger one, it is made once more. */
const MAX_HELD_BYTES = 4_194_304
/** Those of the request and the response of one exchange. */
const MAX_HELD_BODIES = 2

export interface BodyPlace extends BodyContext {
  readonly isRange: boolean
  readonly showsText: boolean
  /** Nothing has to be replaced in a text that could not be written in its encoding again. */
  readonly staysEncoded?: true
}

/** The old body of a new one, from which it can be made again when it is written. */
interface Origin {
  readonly name: string
  readonly place: BodyPlace
}

/**
 * Redacts the bodies of a recording. A large one is read twice: first to find its new name, by
 * which the exchange refers to it, and then when it is written, so that none has to be stored in
 * between.
 */
export class RedactedBodies {
  readonly #redactor: RecordingRedactor
  readonly #getMask: () => TokenMask
  readonly #bodies = new Map<string, RedactedBody>()
  readonly #origins = new Map<string, Origin>()
  readonly #heldBodies = new Map<string, Buffer>()

  constructor(redactor: RecordingRedactor, getMask: () => TokenMask) {
    this.#redactor = redactor
    this.#getMask = getMask
  }

  /** @param name the old name; null if there is no body */
  async redactBody(name: string | null, place: BodyPlace, load: LoadBody): Promise<RedactedBody> {
    if (name === null) return NO_BODY
    const { side, endpoint, mediaType, isRange } = place
    const key = [name, side, endpoint ?? '', mediaType, isRange].join(' ')
    const cached = this.#bodies.get(key)
    if (cached) return cached
    const body = await this.#examineBody(name, place, load)
    this.#bodies.set(key, body)
    return body
  }

  /** Returns the bytes of a new body; null if it is gone. */
  async loadBody(name: string, load: LoadBody): Promise<EntryContent | null> {
    const origin = this.#origins.get(name)
    if (!origin) return null
    const bytes = this.#heldBodies.get(name)
    this.#heldBodies.delete(name)
    if (bytes) return bytes
    const content = await load(origin.name)
    return content && this.#rewrite(content, origin.place, createEffect())
  }

  /** Shows the texts of a body to the messages that may quote them. */
  async showTexts(content: EntryContent, place: BodyPlace): Promise<void> {
    const reader = new PieceReader(content)
    const start = await reader.readStart(BODY_START_BYTES)
    const treatment = chooseBodyTreatment({ ...place, start }, this.#redactor.policy)
    if (treatment !== 'json' && treatment !== 'text' && treatment !== 'form') return
    const finder = this.#redactor.createTextFinder(treatment, place, start)
    for await (const piece of reader.readAll()) finder.push(piece)
    finder.end()
  }

  async #examineBody(name: string, place: BodyPlace, load: LoadBody): Promise<RedactedBody> {
    const content = await load(name)
    if (content === null) return { ...NO_BODY, isChanged: true }
    const isWhole = content instanceof Uint8Array
    const oldHash = createHash('sha256')
    const newHash = createHash('sha256')
    let bytes = 0
    let heldPieces: Uint8Array[] = []
    const pieces = isWhole ? content : passPieces(content, (piece) => void oldHash.update(piece))
    const effect = createEffect()
    for await (const piece of this.#rewrite(pieces, place, effect)) {
      newHash.update(piece)
      bytes += piece.length
      if (bytes <= MAX_HELD_BYTES) heldPieces.push(piece)
      else heldPieces = []
    }
    if (effect.isDropped) return { ...NO_BODY, isChanged: true }
    if (effect.isUnchangedText) return this.#examineBody(name, { ...place, staysEncoded: true }, load)
    // Names of bodies in a file say nothing about their bytes.
    const newName = newHash.digest('hex')
    const isHeld = bytes <= MAX_HELD_BYTES
    const newBytes = Buffer.concat(heldPieces)
    if (isHeld) this.#hold(newName, newBytes)
    if (!this.#origins.has(newName)) this.#origins.set(newName, { name, place })
    const isSame = isWhole && isHeld ? newBytes.equals(content) : newName === hashContent(content, oldHash)
    const textType = effect.isUtf8 ? this.#redactor.toUtf8Type(place.mediaType) : null
    return { name: newName, bytes, isChanged: !isSame, mediaType: effect.isGrey ? 'image/png' : textType }
  }

  #hold(name: string, bytes: Buffer): void {
    this.#heldBodies.set(name, bytes)
    const [oldest] = this.#heldBodies.keys()
    if (this.#heldBodies.size > MAX_HELD_BODIES && oldest !== undefined) this.#heldBodies.delete(oldest)
  }

  /** @param effect known once all pieces were read */
  async *#rewrite(content: EntryContent, place: BodyPlace, effect: Effect): AsyncGenerator<Uint8Array> {
    const reader = new PieceReader(content)
    const start = await reader.readStart(BODY_START_BYTES)
    const treatment = place.staysEncoded ? 'keep' : chooseBodyTreatment({ ...place, start }, this.#redactor.policy)
    const isPicture = treatment === 'grey' || treatment === 'keepPicture'
    if (isPicture || treatment === 'drop' || treatment === 'dropPicture') {
      const picture = isPicture ? await this.#redactPicture(reader, treatment) : null
      effect.isGrey = picture?.isGrey === true
      effect.isDropped = picture === null
      this.#countDropped(treatment, picture)
      if (picture) yield picture.bytes
      return
    }
    const rewriter = this.#redactor.createBodyRewriter(treatment, place, start)
    yield* this.#rewriteText(reader, rewriter, effect)
  }

  async *#rewriteText(
    reader: PieceReader,
    rewriter: ReturnType<RecordingRedactor['createBodyRewriter']>,
    effect: Effect,
  ): AsyncGenerator<Uint8Array> {
    const mask = this.#getMask().createStream()
    const hostTokens = new HostTokenStream()
    let unpausedBytes = 0
    for await (const piece of reader.readAll()) {
      for (let offset = 0; offset < piece.length; offset += SLICE_BYTES) {
        const slice = piece.subarray(offset, offset + SLICE_BYTES)
        yield hostTokens.push(mask.push(Buffer.from(rewriter ? rewriter.push(slice) : slice)))
        unpausedBytes += slice.length
        if (unpausedBytes < SLICE_BYTES) continue
        unpausedBytes = 0
        await yieldToOthers()
      }
    }
    if (rewriter) yield hostTokens.push(mask.push(Buffer.from(rewriter.end())))
    yield hostTokens.push(mask.end())
    const maskedCount = mask.maskedCount + hostTokens.maskedCount
    if (rewriter instanceof TranscodingRewriter && rewriter.writesUtf8) {
      effect.isUtf8 = true
      effect.isUnchangedText = maskedCount === 0 && rewriter.isUnchanged()
    }
    for (let masked = 0; masked < maskedCount; masked += 1) this.#redactor.tally.countToken()
  }

  async #redactPicture(reader: PieceReader, treatment: BodyTreatment): Promise<RedactedPicture | null> {
    if (treatment === 'keepPicture') {
      const bytes = await reader.readStart(MAX_PICTURE_BYTES)
      // Tokens in metadata would have to be masked, and then its checksums would be wrong.
      const isPlain = bytes.length < MAX_PICTURE_BYTES
      const stripped = isPlain ? removeMetadata(bytes) : null
      if (stripped) return { bytes: stripped, isGrey: false }
    }
    const grey = createGreyPicture(await reader.readStart(PICTURE_START_BYTES))
    return grey && { bytes: grey, isGrey: true }
  }

  #countDropped(treatment: BodyTreatment, picture: RedactedPicture | null): void {
    const { tally } = this.#redactor
    if (treatment === 'drop') tally.countDocument('dropped')
    else tally.countPicture(picture === null ? 'dropped' : picture.isGrey ? 'grey' : 'kept')
  }
}

interface RedactedPicture {
  readonly bytes: Buffer
  readonly isGrey: boolean
}

interface Effect {
  isDropped: boolean
  isGrey: boolean
  /** The body is a text in UTF-8 now, and was not before. */
  isUtf8: boolean
  /** All that this text says has stayed. */
  isUnchangedText: boolean
}

const createEffect = (): Effect => ({ isDropped: false, isGrey: false, isUtf8: false, isUnchangedText: false })

/** @param hash that of the pieces, which were read already unless the content is whole */
const hashContent = (content: EntryContent, hash: Hash): string =>
  (content instanceof Uint8Array ? hash.update(content) : hash).digest('hex')
