// Redaction of what is saved: its lines, bodies and screenshots. What stays and what goes is
// decided in shared/recordings/redaction. Read this file first.

import { randomBytes } from 'node:crypto'
import type {
  LeftOut,
  LinePart,
  RecordedExchange,
  RecordedLine,
  RedactionPolicy,
} from '../../../../shared/recordings/recording.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { HASH_KEY_BYTES } from '../../../../shared/recordings/redaction/keyed-hash.ts'
import { RecordingRedactor } from '../../../../shared/recordings/redaction/redaction.ts'
import type { RedactionPreview } from '../../../../shared/recordings/redaction/redaction-tally.ts'
import { TokenMask } from '../../mask/mask.ts'
import { createGreyPicture } from './pictures.ts'
import { RedactedBodies, type BodyContent, type BodyPlace, type LoadBody } from './redacted-bodies.ts'

interface Options {
  readonly policy: RedactionPolicy
  /** All tokens that are known: those of every profile. */
  readonly tokens: readonly string[]
  /** Returns null for a body that is gone. */
  readonly loadBody: LoadBody
  /** The person wrote the steps for whoever gets the recording. */
  readonly keepsSteps?: boolean
}

/** A longer request body is not searched for ids. */
const MAX_LEARNED_BYTES = 1_048_576
const PARTIAL_CONTENT = 206
/** A token without a profile is recognised by its beginning. */
const HOST_TOKEN = /mnb0\.[\w.~+/=%-]+/gi

/**
 * Redacts one recording, and is thrown away with its key. A preview may come from the same object
 * that redacts afterwards: then its samples are what will be written.
 */
export class RecordingRedaction {
  readonly #redactor: RecordingRedactor
  readonly #bodies: RedactedBodies
  readonly #mask: TokenMask
  readonly #loadBody: LoadBody
  #droppedScreenshots = 0

  constructor({ policy, tokens, loadBody, keepsSteps = false }: Options) {
    this.#mask = TokenMask.forTokens(tokens)
    this.#loadBody = loadBody
    this.#redactor = new RecordingRedactor({
      ...{ policy, keepsSteps, key: randomBytes(HASH_KEY_BYTES) },
      maskTokens: (text) => text.replace(HOST_TOKEN, (token) => '*'.repeat(token.length)),
    })
    this.#bodies = new RedactedBodies(this.#redactor, this.#mask, loadBody)
  }

  /** Call this before anything is redacted, so that ids are ids in all of the recording. */
  async learn(exchanges: AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>): Promise<void> {
    for await (const exchange of exchanges) this.#redactor.learnExchange(exchange, await this.#readJson(exchange))
    this.#redactor.tally.reset()
  }

  async redactExchange(exchange: RecordedExchange): Promise<RecordedExchange> {
    const { row, requestBody, responseBody } = exchange
    const isPartial = row.status === PARTIAL_CONTENT
    const toPlace = (side: BodyPlace['side']): BodyPlace => ({
      ...{ side, endpoint: row.endpoint, mediaType: exchange[side].mediaType },
      isRange: side === 'response' && isPartial,
      showsText: showsText(row.endpoint),
    })
    const request = await this.#bodies.redactBody(requestBody, toPlace('request'))
    const response = await this.#bodies.redactBody(responseBody, toPlace('response'))
    return this.#maskLine(this.#redactor.redactExchange(exchange, request, response))
  }

  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    return this.#maskLine(this.#redactor.redactLine(part, line))
  }

  /** Returns the bytes of a body by the name that a redacted exchange has for it. */
  loadBody(name: string): Promise<BodyContent | null> {
    return this.#bodies.loadBody(name)
  }

  /** A screenshot shows texts, so it stays only if these stay. @returns null if it is dropped */
  redactScreenshot(bytes: Uint8Array): Uint8Array | null {
    const { texts, pictures } = this.#redactor.policy
    if (texts === 'keep' && pictures === 'keep') return bytes
    const grey = pictures === 'drop' ? null : createGreyPicture(bytes)
    this.#droppedScreenshots += grey === null ? 1 : 0
    return grey
  }

  redactManifest<Facts extends Parameters<RecordingRedactor['redactManifest']>[0]>(facts: Facts): Facts {
    return this.#maskLine(this.#redactor.redactManifest(facts))
  }

  /** What was dropped so far, as the manifest says it. */
  listLeftOut(): LeftOut[] {
    const { bodies, tokens } = this.getPreview()
    const counts = {
      pictures: bodies.pictures.dropped,
      documents: bodies.documents.dropped,
      screenshots: this.#droppedScreenshots,
      tokens,
    }
    return Object.entries(counts).flatMap(([kind, count]) =>
      count > 0 ? [{ what: kind, count, why: 'redacted' as const }] : [],
    )
  }

  /** Counts and samples of all that was redacted so far. */
  getPreview(): RedactionPreview {
    return this.#redactor.getPreview()
  }

  /** A token may stand where texts are kept, or be spread over several strings. */
  #maskLine<Line>(line: Line): Line {
    const bytes = Buffer.from(JSON.stringify(line))
    return this.#mask.maskInPlace(bytes, true) === 0 ? line : (JSON.parse(bytes.toString()) as Line)
  }

  async #readJson({ requestBody, request }: RecordedExchange): Promise<string | null> {
    if (requestBody === null || request.kept > MAX_LEARNED_BYTES) return null
    const content = await this.#loadBody(requestBody)
    if (content === null) return null
    const pieces: Uint8Array[] = []
    if (content instanceof Uint8Array) pieces.push(content)
    else for await (const piece of content) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    return /^\s*[[{]/.test(text) ? text : null
  }
}

/** A picture of a whole card shows its texts. */
function showsText(endpoint: string | null): boolean {
  const response = endpoint === null ? undefined : findEndpointById(endpoint)?.response
  return response?.kind === 'binary' && response.isComposed === true
}
