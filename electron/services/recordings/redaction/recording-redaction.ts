// Redaction of what is saved: its lines, bodies and screenshots. What stays and what goes is
// decided in electron/core/redaction. Read this file first.

import type {
  LeftOut,
  LinePart,
  RecordedExchange,
  RecordedLine,
  SnapshotLine,
  RedactionPolicy,
} from '../../../../shared/recordings/recording.ts'
import { combineLeftOut, listLeftOut } from '../../../../shared/recordings/recording.ts'
import { BoundedMap } from '../../../core/protocol/rule-state.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { maskHostTokens } from '../../../core/redaction/host-tokens.ts'
import { RecordingRedactor, type RedactedBody } from '../../../core/redaction/redaction.ts'
import { getMember } from '../../../../shared/json/object.ts'
import type { RedactionPreview } from '../../../../shared/recordings/redaction/redaction-tally.ts'
import { readContent, type EntryContent } from '../../../recording-file/pieces.ts'
import type { RecordingSource, Screenshots } from '../../../recording-file/recording-writer.ts'
import { TokenMask } from '../../mask/mask.ts'
import { createGreyPicture, removeMetadata } from './pictures.ts'
import { RedactedBodies, type BodyPlace, type LoadBody } from './redacted-bodies.ts'

interface Options {
  readonly policy: RedactionPolicy
  /** All tokens that are known: those of every profile. */
  readonly tokens: readonly string[]
  /** Unless a source is redacted. Returns null for a body that is gone. */
  readonly loadBody?: LoadBody
  /** The person wrote the steps, and took the pictures, for whoever gets the recording. */
  readonly keepsSteps?: boolean
}

/** A longer request, or error, is not searched for ids, credentials and messages. */
const MAX_LEARNED_BYTES = 1_048_576
const MAX_REMEMBERED_CARDS = 20_000
/** Other responses have credentials only if they are short, as those of RFC 6749 are. */
const MAX_LEARNED_RESPONSE_BYTES = 16_384
const FIRST_ERROR_STATUS = 400
const PARTIAL_CONTENT = 206

/**
 * Redacts one recording, and is thrown away with its key. A preview may come from the same object
 * that redacts afterwards: then its samples are what will be written. `redactSource` redacts what
 * is saved; the other methods are for a file that is written anew, document by document.
 */
export class RecordingRedaction {
  readonly policy: RedactionPolicy
  readonly #redactor: RecordingRedactor
  readonly #bodies: RedactedBodies
  readonly #tokens: readonly string[]
  #mask: TokenMask
  readonly #load: LoadBody
  readonly #keepsSteps: boolean
  #droppedScreenshots = 0

  constructor({ policy, tokens, loadBody = () => Promise.resolve(null), keepsSteps = false }: Options) {
    this.#load = loadBody
    this.#keepsSteps = keepsSteps
    this.policy = policy
    this.#tokens = tokens
    this.#mask = TokenMask.forTokens(tokens)
    this.#redactor = new RecordingRedactor(policy, keepsSteps)
    this.#bodies = new RedactedBodies(this.#redactor, () => this.#mask)
  }

  /**
   * Call this before anything is redacted, so that ids are ids everywhere, credentials are masked
   * wherever they stand again, and messages lose the texts that they quote.
   * @param openLines opens the lines of other parts that can be read more than once
   */
  async learn(
    openExchanges: () => AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>,
    load = this.#load,
    openLines: OpenLines = () => [],
  ): Promise<void> {
    for await (const exchange of openExchanges()) {
      this.#redactor.learnExchange(exchange)
      for (const side of bodySides) {
        const name = exchange[`${side}Body`]
        if (name === null || !isLearned(exchange, side)) continue
        const content = await load(name)
        if (content) this.#redactor.learnBody(toBodyPlace(exchange, side), await readContent(content))
      }
    }
    for await (const { text, file, original } of openLines('console'))
      this.#redactor.noteMessages([text, file, original?.file])
    for await (const { events } of openLines('operations')) this.#redactor.noteMessages(events.flatMap(listMessages))
    if (this.#redactor.needsTexts) {
      await this.#showTexts(openExchanges(), load)
      for await (const operation of openLines('operations')) this.#redactor.showOperation(operation)
      for await (const card of openLines('snapshots')) this.#redactor.showValue(card)
    }
    this.#mask = TokenMask.forTokens([...this.#tokens, ...this.#redactor.credentials])
    this.#redactor.tally.reset()
  }

  async #showTexts(
    exchanges: AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>,
    load: LoadBody,
  ): Promise<void> {
    const shownBodies = new Set<string>()
    for await (const exchange of exchanges) {
      this.#redactor.showAddress(exchange.row.path)
      for (const side of bodySides) {
        const name = exchange[`${side}Body`]
        if (name === null || shownBodies.has(name)) continue
        shownBodies.add(name)
        const content = await load(name)
        if (content) await this.#bodies.showTexts(content, toBodyPlace(exchange, side))
      }
    }
  }

  async redactExchange(exchange: RecordedExchange, load = this.#load): Promise<RecordedExchange> {
    this.#redactor.startExchange(exchange)
    const redactBody = (side: BodyPlace['side']): Promise<RedactedBody> =>
      this.#bodies.redactBody(exchange[`${side}Body`], toBodyPlace(exchange, side), load)
    const [request, response] = [await redactBody('request'), await redactBody('response')]
    return this.#maskLine(this.#redactor.redactExchange(exchange, request, response))
  }

  redactLine<Part extends OtherPart>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    return this.#maskLine(this.#redactor.redactLine(part, line))
  }

  /** Returns the bytes of a body by the name that a redacted exchange has for it. */
  loadBody(name: string, load = this.#load): Promise<EntryContent | null> {
    return this.#bodies.loadBody(name, load)
  }

  /** Removes metadata, which may have tokens; null unless texts stay or a person added it. */
  redactScreenshot(bytes: Uint8Array): Uint8Array | null {
    const { texts, pictures } = this.policy
    const isKept = pictures === 'keep' && (texts === 'keep' || this.#keepsSteps)
    const stripped = isKept ? removeMetadata(bytes) : null
    if (stripped) return stripped
    const grey = pictures === 'drop' ? null : createGreyPicture(bytes)
    this.#droppedScreenshots += grey === null ? 1 : 0
    return grey
  }

  redactManifest<Facts extends Parameters<RecordingRedactor['redactManifest']>[0]>(facts: Facts): Facts {
    return this.#maskLine(this.#redactor.redactManifest(facts))
  }

  /** Lists the parts that were dropped so far, for the manifest. */
  listLeftOut(): LeftOut[] {
    const { bodies, tokens } = this.getPreview()
    const counts = {
      pictures: bodies.pictures.dropped,
      documents: bodies.documents.dropped,
      screenshots: this.#droppedScreenshots,
      tokens,
    }
    return listLeftOut('redacted', counts)
  }

  /** Counts and samples of all that was redacted so far. */
  getPreview(): RedactionPreview {
    return this.#redactor.tally.getPreview()
  }

  /** A token may stand where texts are kept, or be spread over several strings. */
  #maskLine<Line>(line: Line): Line {
    const text = JSON.stringify(line)
    const masked = this.#maskJson(text)
    if (masked === text) return line
    this.#redactor.tally.countToken()
    return JSON.parse(masked) as Line
  }

  /** Masks tokens in words of the person. */
  maskText(text: string): string {
    return JSON.parse(this.#maskJson(JSON.stringify(text))) as string
  }

  #maskJson(text: string): string {
    const bytes = Buffer.from(text)
    return maskHostTokens(this.#mask.maskInPlace(bytes, true) === 0 ? text : bytes.toString())
  }

  /** Before writing, `openExchanges` reads the exchanges of the source once more. */
  async redactSource(
    source: RecordingSource,
    openExchanges: () => AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>,
  ): Promise<RecordingSource> {
    const { exchanges = [], ...others } = source.lines
    const { snapshots = [] } = others
    // A moment without its picture says nothing.
    if (this.policy.pictures === 'drop') others.moments = []
    await this.learn(openExchanges, source.loadBody, <Part extends OtherPart>(part: Part) => {
      const lines = others[part] as Iterable<RecordedLine<Part>> | undefined
      // Lines that can be read only once cannot be searched for what messages quote.
      return lines === undefined || isReadOnce(lines) ? [] : lines
    })
    const lines = Object.entries(others).map(([part, list]) => [
      part,
      this.#redactLines(part as OtherPart, list as Iterable<RecordedLine<OtherPart>>),
    ])
    return {
      describe: () => {
        const facts = this.redactManifest(source.describe())
        return { ...facts, leftOut: combineLeftOut(facts.leftOut, this.listLeftOut()), redaction: this.policy }
      },
      lines: {
        ...Object.fromEntries(lines),
        snapshots: this.#redactCards(snapshots),
        exchanges: this.#redactExchanges(exchanges, source.loadBody),
      },
      loadBody: (name) => this.loadBody(name, source.loadBody),
      ...(source.screenshots ? { screenshots: this.#redactScreenshots(source.screenshots) } : {}),
    }
  }

  async *#redactExchanges(
    exchanges: AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>,
    load: LoadBody,
  ): AsyncGenerator<RecordedExchange> {
    for await (const exchange of exchanges) yield this.redactExchange(exchange, load)
  }

  async *#redactLines(
    part: OtherPart,
    lines: AsyncIterable<RecordedLine<OtherPart>> | Iterable<RecordedLine<OtherPart>>,
  ): AsyncGenerator<RecordedLine<OtherPart>> {
    for await (const line of lines) yield this.redactLine(part, line)
  }

  /** Most cards of a snapshot stand likewise in the one before. */
  async *#redactCards(lines: AsyncIterable<SnapshotLine> | Iterable<SnapshotLine>): AsyncGenerator<SnapshotLine> {
    const redactedCards = new BoundedMap<SnapshotLine>(MAX_REMEMBERED_CARDS)
    for await (const line of lines) {
      const text = JSON.stringify(line)
      const earlier = redactedCards.get(text)
      if (earlier) {
        yield earlier
        continue
      }
      const { tokens } = this.getPreview()
      const redacted = this.redactLine('snapshots', line)
      // A token is counted wherever it stands.
      if (this.getPreview().tokens === tokens) redactedCards.set(text, redacted)
      yield redacted
    }
  }

  #redactScreenshots(screenshots: Screenshots): Screenshots {
    const redact = async (load: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> => {
      const bytes = await load()
      return bytes && this.redactScreenshot(bytes)
    }
    return new Map([...screenshots].map(([name, load]) => [name, () => redact(load)]))
  }
}

type OtherPart = Exclude<LinePart, 'exchanges'>
export type OpenLines = <Part extends 'console' | 'operations' | 'snapshots'>(
  part: Part,
) => AsyncIterable<RecordedLine<Part>> | Iterable<RecordedLine<Part>>

/** An iterator that returns itself begins only once. */
const isReadOnce = (lines: object): boolean => 'next' in lines

const bodySides = ['request', 'response'] as const

function isLearned({ row, request, response }: RecordedExchange, side: BodyPlace['side']): boolean {
  if (side === 'request') return request.kept <= MAX_LEARNED_BYTES
  const isError = (row.status ?? 0) >= FIRST_ERROR_STATUS
  return response.kept <= (isError ? MAX_LEARNED_BYTES : MAX_LEARNED_RESPONSE_BYTES)
}

const listMessages = (event: RecordedLine<'operations'>['events'][number]): string[] =>
  [getMember(event, 'error'), getMember(getMember(event, 'body'), 'error')]
    .map((error) => getMember(error, 'message'))
    .filter((message) => typeof message === 'string')

const toBodyPlace = (exchange: RecordedExchange, side: BodyPlace['side']): BodyPlace => ({
  side,
  endpoint: exchange.row.endpoint,
  mediaType: exchange[side].mediaType,
  isRange: side === 'response' && exchange.row.status === PARTIAL_CONTENT,
  showsText: showsText(exchange.row.endpoint),
})

/** A picture of a whole card shows its texts. */
function showsText(endpoint: string | null): boolean {
  const response = endpoint === null ? undefined : findEndpointById(endpoint)?.response
  return response?.kind === 'binary' && response.isComposed === true
}
