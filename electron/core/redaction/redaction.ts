// Redaction of recordings: what the contract says that it is no text of a library stays, everything
// else is replaced or dropped. It works by parsing and by an allow-list (member-kinds.ts), never by
// search in texts. Read this file first, then value-rules.ts.

import type {
  LinePart,
  RecordedExchange,
  RecordedLine,
  RecordingManifest,
  RedactionPolicy,
} from '../../../shared/recordings/recording.ts'
import { AddressRedactor } from './address-redactor.ts'
import type { BodyTreatment } from './body-treatment.ts'
import { ExchangeRedactor, type RedactedBody } from './exchange-redactor.ts'
import { HeaderRedactor } from './header-redactor.ts'
import { JsonRedactor } from './json-redactor.ts'
import { JsonRewriter } from './json-rewriter.ts'
import { LineRedactor } from './line-redactor.ts'
import { RedactionTally, type RedactionPreview } from '../../../shared/recordings/redaction/redaction-tally.ts'
import { createStandInKey, StandIns } from './stand-ins.ts'
import { StringRedactor, type TokenMasker } from './string-redactor.ts'
import { findEncoding, TextRewriter, TranscodingRewriter, type BodyRewriter } from './text-rewriter.ts'
import { getBodyRule } from '../../../shared/recordings/redaction/value-rules.ts'

export interface RedactionOptions {
  readonly policy: RedactionPolicy
  /**
   * Masks tokens in a text that is kept. The bytes that come out must be masked once more: a token
   * may be spread over several strings.
   */
  readonly maskTokens: TokenMasker
  /** The person wrote the steps for whoever gets the recording. */
  readonly keepsSteps?: boolean
}

/** Where a body comes from. */
export interface BodyContext {
  readonly side: 'request' | 'response'
  /** Id in the endpoint table; null if none fits. */
  readonly endpoint: string | null
  readonly mediaType: string
}

/**
 * Redacts one recording. Everything that belongs together must pass through the same redactor:
 * equal texts and ids get equal stand-ins only there. Let it learn all exchanges before the first
 * one is redacted.
 */
export class RecordingRedactor {
  readonly policy: RedactionPolicy
  readonly #tally = new RedactionTally()
  readonly #strings: StringRedactor
  readonly #addresses: AddressRedactor
  readonly #json: JsonRedactor
  readonly #exchanges: ExchangeRedactor
  readonly #lines: LineRedactor

  constructor({ policy, maskTokens, keepsSteps = false }: RedactionOptions) {
    this.policy = policy
    this.#strings = new StringRedactor(policy, new StandIns(createStandInKey()), maskTokens, this.#tally)
    this.#addresses = new AddressRedactor(this.#strings)
    this.#json = new JsonRedactor(this.#strings, this.#addresses)
    const parts = {
      strings: this.#strings,
      addresses: this.#addresses,
      headers: new HeaderRedactor(this.#strings, this.#addresses),
      json: this.#json,
    }
    this.#exchanges = new ExchangeRedactor(parts)
    this.#lines = new LineRedactor({ ...parts, exchanges: this.#exchanges }, keepsSteps)
  }

  /** What was redacted so far. */
  get tally(): RedactionTally {
    return this.#tally
  }

  getPreview(): RedactionPreview {
    return this.#tally.getPreview()
  }

  /**
   * Notes the ids of a request, which stay ids wherever a response has them.
   * @param body the request's body as text; null if there is none or it is no JSON
   */
  learnExchange({ row }: Pick<RecordedExchange, 'row'>, body: string | null): void {
    for (const id of this.#addresses.listIds(row.method, row.path)) this.#strings.registerId(id)
    if (body === null) return
    const learner = new JsonRewriter(getBodyRule(row.endpoint, 'request'), this.#strings, (text, rule) => {
      if (rule.kind === 'id') this.#strings.registerId(text)
      return text
    })
    learner.push(new TextEncoder().encode(body))
  }

  /** Whether the redaction leaves what a request asks for. */
  leavesRequest({ row }: Pick<RecordedExchange, 'row'>, body: string | null): boolean {
    const rule = getBodyRule(row.endpoint, 'request')
    return this.#exchanges.redactPath(row) === row.path && (body === null || this.#json.redactText(body, rule) === body)
  }

  /** Call this before the bodies of an exchange are redacted, so that samples name their place. */
  startExchange({ row }: Pick<RecordedExchange, 'row'>): void {
    this.#tally.place = `${row.method} ${row.endpoint === null ? '' : row.template}`
  }

  redactExchange(exchange: RecordedExchange, request: RedactedBody, response: RedactedBody): RecordedExchange {
    this.startExchange(exchange)
    return this.#exchanges.redactExchange(exchange, request, response)
  }

  redactLine<Part extends Exclude<LinePart, 'exchanges'>>(part: Part, line: RecordedLine<Part>): RecordedLine<Part> {
    return this.#lines.redactLine(part, line)
  }

  /**
   * The title and the names in a manifest. Its counts are those of the redacted recording. Call
   * this when all findings were redacted.
   */
  redactManifest<Facts extends Pick<RecordingManifest, 'title' | 'host' | 'selection'>>(facts: Facts): Facts {
    const { host, selection } = facts
    const strings = this.#strings
    strings.tally.place = 'manifest'
    return {
      ...facts,
      title: this.#redactTitle(facts.title),
      host: {
        baseUrl: host.baseUrl === null ? null : this.#addresses.redactAddress(host.baseUrl),
        name: host.name === null ? null : strings.redact(host.name, { kind: 'program', name: 'host' }),
        version: host.version === null ? null : strings.redact(host.version, { kind: 'opaque', name: 'version' }),
      },
      selection: this.#redactSelection(selection),
    }
  }

  #redactTitle(title: string): string {
    return this.#strings.redactText(title, { textKind: 'titles', name: 'title' })
  }

  /** @returns null for a body that is not rewritten but kept, replaced or dropped */
  createBodyRewriter(treatment: BodyTreatment, context: BodyContext, start: Uint8Array): BodyRewriter | null {
    const inner = this.#createRewriter(treatment, context)
    if (inner === null) return null
    const encoding = findEncoding(start, context.mediaType)
    if (treatment === 'json' && encoding === 'latin1') return inner
    return encoding === 'utf-8' ? inner : new TranscodingRewriter(inner, encoding)
  }

  #createRewriter(treatment: BodyTreatment, context: BodyContext): BodyRewriter | null {
    const isRequired = context.side === 'request'
    switch (treatment) {
      case 'json':
        this.#tally.countBody('json')
        return this.#json.createRewriter(getBodyRule(context.endpoint, context.side), isRequired)
      case 'text':
        this.#tally.countBody('text')
        return new TextRewriter(this.#strings, { kind: 'text', name: 'body', isRequired })
      case 'form':
        this.#tally.countBody('text')
        return new FormRewriter(this.#addresses)
      default:
        return null
    }
  }

  #redactSelection(selection: RecordingManifest['selection']): RecordingManifest['selection'] {
    const strings = this.#strings
    switch (selection.kind) {
      case 'origin':
        return { ...selection, origin: this.#exchanges.redactOrigin(selection.origin) }
      case 'load':
        return {
          ...selection,
          caller: strings.redact(selection.caller, { kind: 'looseId', name: 'caller', isRequired: true }),
        }
      case 'finding':
        return { ...selection, id: this.#lines.redactGroupId(selection.id) }
      case 'reduction': {
        const { title, finding } = selection
        return {
          ...selection,
          title: this.#redactTitle(title),
          finding: finding === null ? null : this.#lines.redactGroupId(finding),
        }
      }
      case 'operation':
        return { ...selection, id: strings.redact(selection.id, { kind: 'looseId', name: 'id', isRequired: true }) }
      default:
        return selection
    }
  }
}

/** Forms of a host are short, so they are held as a whole. */
class FormRewriter implements BodyRewriter {
  readonly #addresses: AddressRedactor
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #text = ''

  constructor(addresses: AddressRedactor) {
    this.#addresses = addresses
  }

  push(piece: Uint8Array): Uint8Array {
    this.#text += this.#decoder.decode(piece, { stream: true })
    return new Uint8Array(0)
  }

  end(): Uint8Array {
    return new TextEncoder().encode(this.#addresses.redactQuery(this.#text))
  }
}
