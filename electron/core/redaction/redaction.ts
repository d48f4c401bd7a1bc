// Redaction of recordings: what the contract says that it is no text of a library stays, everything
// else is replaced or dropped. It works by parsing and by an allow-list (member-kinds.ts), never by
// search in texts. Read this file first, then value-rules.ts.

import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import type {
  LinePart,
  RecordedExchange,
  RecordedLine,
  RecordingManifest,
  RedactionPolicy,
} from '../../../shared/recordings/recording.ts'
import type { StringKind } from './member-kinds.ts'
import type { RedactionTally } from '../../../shared/recordings/redaction/redaction-tally.ts'
import { isLooseId } from './string-shapes.ts'
import { getBodyRule, UNKNOWN_VALUE, type ValueRule } from './value-rules.ts'
import { mapInitiatorTexts } from '../../../shared/traffic/call-initiator.ts'
import { listParameters, listQueryValues, listRequestIds, redactAddress, redactQuery } from './addresses.ts'
import { BODY_START_BYTES, type BodyTreatment } from './body-treatment.ts'
import { nameUtf8 } from '../../../shared/traffic/body-text.ts'
import { Credentials } from './credentials.ts'
import { redactHeaders, redactMediaType, type RedactedBodySize } from './headers.ts'
import { JsonRewriter, type JsonStrings } from './json-rewriter.ts'
import { createJsonRewriter, redactJsonText } from './json-values.ts'
import { LineRedactor } from './lines.ts'
import { redactShape } from './shapes.ts'
import { isGrant, StringRedactor } from './string-redactor.ts'
import { findEncoding, TextRewriter, TranscodingRewriter, type BodyRewriter } from './text-rewriter.ts'

export interface BodyContext {
  readonly side: 'request' | 'response'
  /** Id in the endpoint table; null if none fits. */
  readonly endpoint: string | null
  readonly mediaType: string
}

export interface RedactedBody {
  /** Name of the new body; null if there is none. */
  readonly name: string | null
  readonly bytes: number
  readonly isChanged: boolean
  /** The new media type; null if it is that of the old body. */
  readonly mediaType: string | null
}

export const NO_BODY: RedactedBody = { name: null, bytes: 0, isChanged: false, mediaType: null }

/**
 * Redacts one recording. Everything that belongs together must pass through the same redactor:
 * equal texts and ids get equal stand-ins only there. Let it learn all exchanges before the first
 * one is redacted.
 */
export class RecordingRedactor {
  readonly policy: RedactionPolicy
  readonly #strings: StringRedactor
  readonly #lines: LineRedactor
  readonly #credentials = new Credentials()

  /** @param keepsSteps the person wrote the steps for whoever gets the recording */
  constructor(policy: RedactionPolicy, keepsSteps = false) {
    this.policy = policy
    this.#strings = new StringRedactor(policy)
    this.#lines = new LineRedactor(this.#strings, keepsSteps)
  }

  get tally(): RedactionTally {
    return this.#strings.tally
  }

  /** The values of credentials that were learned. */
  get credentials(): readonly string[] {
    return this.#credentials.values
  }

  /** Messages may quote texts, so all texts have to be shown before the first line. */
  get needsTexts(): boolean {
    return this.policy.texts !== 'keep' && this.#strings.quoted.hasMessages
  }

  /**
   * Notes the ids of a request, which stay ids wherever a response has them, credentials, whose
   * values may stand again anywhere, and messages, which may quote texts.
   */
  learnExchange({ row, requestHeaders, responseHeaders, error, initiator }: RecordedExchange): void {
    for (const id of listRequestIds(row.method, row.path)) this.#strings.registerId(id)
    this.#credentials.addParameters(listParameters(row.path))
    for (const [name, value] of [...requestHeaders, ...responseHeaders]) {
      this.#credentials.addHeader(name, value)
      if (/^(?:location|referer)$/i.test(name)) this.#credentials.addParameters(listParameters(value))
    }
    this.noteMessages([row.origin.label, error?.message])
    if (initiator) mapInitiatorTexts(initiator, { toFile: this.#noteMessage, toFunctionName: (name) => name })
  }

  learnBody({ side, endpoint, mediaType }: BodyContext, body: Uint8Array): void {
    const isJson = JSON_START.test(Buffer.from(body.subarray(0, BODY_START_BYTES)).toString('latin1'))
    const encoding = findEncoding(body.subarray(0, BODY_START_BYTES), mediaType, isJson)
    const text = new TextDecoder(encoding).decode(body)
    if (/x-www-form-urlencoded/.test(mediaType)) this.#credentials.addParameters(listQueryValues(text))
    if (!JSON_START.test(text)) return
    const learner = new JsonRewriter(getBodyRule(endpoint, side), UNCHANGED, (value, { kind }) => {
      if (kind === 'id' && side === 'request') this.#strings.registerId(value)
      else if (kind === 'secret' || (kind === 'grant' && (side === 'request' || isGrant(value))))
        this.#credentials.add(value)
      else if (kind === 'message') this.#noteMessage(value)
      return value
    })
    learner.push(Buffer.from(text))
  }

  noteMessages(messages: readonly (string | null | undefined)[]): void {
    for (const message of messages) if (message) this.#noteMessage(message)
  }

  readonly #noteMessage = (message: string): string => {
    if (this.policy.texts !== 'keep') this.#strings.quoted.noteMessage(message)
    return message
  }

  showAddress(address: string): void {
    for (const part of address.split(/[/?#&=]/)) this.#showText(decodePercent(part.replace(/\+/g, ' ')))
  }

  showOperation({ summary, body, events, changes, since }: RecordedLine<'operations'>): void {
    this.showValue([{ title: summary.cardTitle }, events, changes, since])
    if (body !== null) this.#showJson(body)
  }

  showValue(value: unknown): void {
    this.#showJson(JSON.stringify(value))
  }

  #showJson(text: string): void {
    this.#createJsonFinder(UNKNOWN_VALUE).push(Buffer.from(text))
  }

  #createJsonFinder(rule: ValueRule): JsonRewriter {
    return new JsonRewriter(rule, { ...UNCHANGED, redactName: this.#showText }, (text, { kind }) =>
      shownKinds.has(kind) ? this.#showText(text) : text,
    )
  }

  readonly #showText = (text: string): string => {
    if (!isLooseId(text) && !this.#strings.isKnownId(text)) this.#strings.quoted.showText(text)
    return text
  }

  /** Creates a rewriter that shows the texts of a body and changes nothing. */
  createTextFinder(
    treatment: BodyTreatment,
    { side, endpoint, mediaType }: BodyContext,
    start: Uint8Array,
  ): BodyRewriter {
    const showParts = (text: string): string => {
      for (const part of text.split(/[\r\n&=]+/)) this.#showText(decodePercent(part))
      return text
    }
    const finder =
      treatment === 'json' ? this.#createJsonFinder(getBodyRule(endpoint, side)) : new TextRewriter(showParts)
    const encoding = findEncoding(start, mediaType, treatment === 'json')
    return encoding === 'utf-8' ? finder : new TranscodingRewriter(finder, encoding)
  }

  /** Returns the redacted media type of a text that was written in UTF-8. */
  toUtf8Type(mediaType: string): string {
    return nameUtf8(redactMediaType(this.#strings, mediaType))
  }

  leavesRequest({ row }: Pick<RecordedExchange, 'row'>, body: string | null): boolean {
    const rule = getBodyRule(row.endpoint, 'request')
    const isLeft = body === null || redactJsonText(this.#strings, body, rule) === body
    return isLeft && this.#lines.redactPath(row) === row.path
  }

  /** Call this before the bodies of an exchange are redacted, so that samples name their place. */
  startExchange({ row }: Pick<RecordedExchange, 'row'>): void {
    this.tally.place = `${row.method} ${row.endpoint === null ? '' : row.template}`
  }

  redactExchange(exchange: RecordedExchange, request: RedactedBody, response: RedactedBody): RecordedExchange {
    this.startExchange(exchange)
    const strings = this.#strings
    const redacted = this.#lines.redactExchange(exchange)
    const toMediaType = (body: RedactedBody, mediaType: string): string =>
      body.mediaType ?? redactMediaType(strings, mediaType)
    // The response to HEAD says how long a body is that is not there.
    const isHeadChanged = exchange.row.method === 'HEAD' && !strings.keepsAll
    return {
      ...redacted,
      row: {
        ...redacted.row,
        requestBytes: request.isChanged ? request.bytes : exchange.row.requestBytes,
        bytes: response.isChanged && response.name !== null ? response.bytes : exchange.row.bytes,
        mediaType: toMediaType(response, exchange.row.mediaType).split(';', 1)[0] ?? '',
      },
      requestHeaders: redactHeaders(strings, exchange.requestHeaders, toSize(request)),
      responseHeaders: redactHeaders(
        strings,
        exchange.responseHeaders,
        toSize(isHeadChanged ? { ...NO_BODY, isChanged: true } : response),
      ),
      request: toBodyInfo(exchange.request, request, toMediaType(request, exchange.request.mediaType)),
      response: toBodyInfo(exchange.response, response, toMediaType(response, exchange.response.mediaType)),
      requestBody: request.name,
      responseBody: response.name,
    }
  }

  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    return this.#lines.redactLine(part, line)
  }

  /** Its counts are those of the redacted recording: call this after all findings are redacted. */
  redactManifest<Facts extends Pick<RecordingManifest, 'title' | 'host' | 'selection'>>(facts: Facts): Facts {
    this.tally.place = 'manifest'
    const lines = this.#lines
    const redactTitle = (title: string): string =>
      this.#strings.redactText(title, { textKind: 'titles', name: 'title' })
    const redactGroupId = (id: string): string => lines.redactGroupId(id)
    const { kind } = facts.selection
    return redactShape(facts, {
      title: redactTitle,
      host: {
        baseUrl: (url: string) => redactAddress(this.#strings, url),
        name: lines.as('program', 'host'),
        version: lines.as('opaque', 'version'),
      },
      selection: {
        origin: lines.originShape,
        caller: lines.as('looseId', 'caller'),
        id: kind === 'finding' ? redactGroupId : lines.as('looseId', 'id'),
        title: redactTitle,
        finding: redactGroupId,
      },
    })
  }

  /** @returns null for a body that is not rewritten but kept, replaced or dropped */
  createBodyRewriter(
    treatment: BodyTreatment,
    context: BodyContext,
    start: Uint8Array,
  ): BodyRewriter | TranscodingRewriter | null {
    const inner = this.#createRewriter(treatment, context)
    if (inner === null) return null
    const encoding = findEncoding(start, context.mediaType, treatment === 'json')
    return encoding === 'utf-8' ? inner : new TranscodingRewriter(inner, encoding)
  }

  #createRewriter(treatment: BodyTreatment, { side, endpoint }: BodyContext): BodyRewriter | null {
    if (treatment !== 'json' && treatment !== 'text' && treatment !== 'form') return null
    this.tally.countBody(treatment === 'json' ? 'json' : 'text')
    const isRequest = side === 'request'
    if (treatment === 'json') return createJsonRewriter(this.#strings, getBodyRule(endpoint, side), isRequest)
    return treatment === 'form'
      ? new FormRewriter(this.#strings)
      : new TextRewriter((text) => this.#strings.redact(text, { kind: 'text', name: 'body', isRequired: isRequest }))
  }
}

const JSON_START = /^\s*[[{]/

/** Kinds of strings that are texts of a library. */
const shownKinds: ReadonlySet<StringKind> = new Set<StringKind>(['text', 'looseId', 'file', 'word'])

/** Keeps the names of members and numbers. */
const UNCHANGED: JsonStrings = {
  keepsAll: true,
  mapsIds: false,
  redactName: (name) => name,
  redactId: (id) => id,
  passUuid: () => true,
}

const toSize = ({ isChanged, bytes, mediaType, name }: RedactedBody): RedactedBodySize => ({
  isChanged,
  mediaType,
  bytes: name === null ? null : bytes,
})

function toBodyInfo(
  info: RecordedExchange['response'],
  { name, bytes, isChanged }: RedactedBody,
  mediaType: string,
): RecordedExchange['response'] {
  if (!isChanged) return { ...info, mediaType }
  if (name === null) return { ...info, kept: 0, mediaType, missing: 'redacted' }
  return { ...info, kept: bytes, total: info.missing === null ? bytes : info.total, mediaType }
}

/** Forms of a host are short, so they are held as a whole. */
class FormRewriter implements BodyRewriter {
  readonly #strings: StringRedactor
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #text = ''

  constructor(strings: StringRedactor) {
    this.#strings = strings
  }

  push(piece: Uint8Array): Uint8Array {
    this.#text += this.#decoder.decode(piece, { stream: true })
    return new Uint8Array(0)
  }

  end(): Uint8Array {
    return new TextEncoder().encode(redactQuery(this.#strings, this.#text))
  }
}
