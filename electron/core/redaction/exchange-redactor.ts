import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { BY_HAND_MARK, HELD_MARK } from '../../../shared/panel/breakpoints.ts'
import { mapInitiatorTexts } from '../../../shared/traffic/call-initiator.ts'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'
import { wireErrorSchema } from '../../../shared/errors.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { AddressRedactor } from './address-redactor.ts'
import type { HeaderRedactor } from './header-redactor.ts'
import type { JsonRedactor } from './json-redactor.ts'
import { contractWords, getKindOfMember, type StringKind } from '../../../shared/recordings/redaction/member-kinds.ts'
import { isUuid } from '../../../shared/recordings/redaction/string-shapes.ts'
import type { StringRedactor } from './string-redactor.ts'
import { createObjectRule } from '../../../shared/recordings/redaction/value-rules.ts'

/** What became of a body. */
export interface RedactedBody {
  /** Name of the new body; null if there is none. */
  readonly name: string | null
  /** Bytes of the new body. */
  readonly bytes: number
  readonly isChanged: boolean
  /** The new media type; null if it is that of the old body. */
  readonly mediaType: string | null
}

export const NO_BODY: RedactedBody = { name: null, bytes: 0, isChanged: false, mediaType: null }

/** Members that a schema of this program has, with strings that it wrote itself. */
export const toOwnMembers = (names: readonly string[]): Record<string, StringKind> =>
  Object.fromEntries(names.map((name) => [name, 'own']))

export const wireErrorRule = createObjectRule('error', {
  ...toOwnMembers(Object.keys(wireErrorSchema.shape)),
  ...{ code: 'code', message: 'text' },
  ...{ params: createObjectRule('params', {}), details: createObjectRule('details', {}) },
})

const LISTED_PREFIX = 'listed '
const ownRules: ReadonlySet<string> = new Set([...panelCallDecisions, HELD_MARK, BY_HAND_MARK])

interface ExchangeParts {
  readonly strings: StringRedactor
  readonly addresses: AddressRedactor
  readonly headers: HeaderRedactor
  readonly json: JsonRedactor
}

/** What redacts the parts of a line. */
export interface LineParts extends ExchangeParts {
  readonly exchanges: ExchangeRedactor
}

/** Redacts the lines of exchanges. */
export class ExchangeRedactor {
  readonly #parts: ExchangeParts

  constructor(parts: ExchangeParts) {
    this.#parts = parts
  }

  redactExchange(exchange: RecordedExchange, request: RedactedBody, response: RedactedBody): RecordedExchange {
    const { strings, addresses, headers } = this.#parts
    const { row } = exchange
    // The response to HEAD says how long a body is that is not there.
    const isHeadChanged = row.method === 'HEAD' && !strings.keepsAll
    const responseMediaType = response.mediaType ?? headers.redactMediaType(exchange.response.mediaType)
    return {
      ...exchange,
      row: {
        ...row,
        method: strings.redact(row.method, { kind: 'word', name: 'method', isRequired: true }),
        path: this.redactPath(row),
        endpoint: row.endpoint === null ? null : this.redactEndpoint(row.endpoint),
        template: addresses.redactAddress(row.template, row.method),
        origin: this.redactOrigin(row.origin),
        errorCode: this.redactCode(row.errorCode),
        instance: row.instance === null ? null : strings.redact(row.instance, { kind: 'id', name: 'instanceNonce' }),
        host: addresses.redactAddress(row.host),
        requestBytes: request.isChanged ? request.bytes : row.requestBytes,
        bytes: response.isChanged && response.name !== null ? response.bytes : row.bytes,
        mediaType: (response.mediaType ?? headers.redactMediaType(row.mediaType)).split(';', 1)[0] ?? '',
        rule:
          row.rule === null || ownRules.has(row.rule)
            ? row.rule
            : strings.redactText(row.rule, { name: 'rule', isRequired: true }),
      },
      requestHeaders: headers.redactHeaders(exchange.requestHeaders, toSize(request)),
      responseHeaders: headers.redactHeaders(
        exchange.responseHeaders,
        toSize(isHeadChanged ? { ...NO_BODY, isChanged: true } : response),
      ),
      error:
        exchange.error && (this.#parts.json.redactValue(exchange.error, wireErrorRule) as RecordedExchange['error']),
      request: toBodyInfo(exchange.request, request, headers.redactMediaType(exchange.request.mediaType)),
      response: toBodyInfo(exchange.response, response, responseMediaType),
      requestBody: request.name,
      responseBody: response.name,
      ...(exchange.initiator === undefined ? {} : { initiator: this.#redactInitiator(exchange.initiator) }),
      names: exchange.names.map(({ member, id }) => ({
        member: strings.redact(member, { kind: 'word', name: member, isRequired: true }),
        id: strings.redact(id, { kind: toIdKind(member), name: member, isRequired: true }),
      })),
    }
  }

  /** The names of a plugin's own code say nothing about the library. */
  #redactInitiator(initiator: NonNullable<RecordedExchange['initiator']>): RecordedExchange['initiator'] {
    const { strings } = this.#parts
    return mapInitiatorTexts(initiator, {
      toFile: (file) => strings.redactSourceFile(file),
      toFunctionName: (name) => strings.redactFunctionName(name),
    })
  }

  /** A host may serve an endpoint at a path of its own. */
  redactPath({ path, method, endpoint }: RecordedExchange['row']): string {
    return this.#parts.addresses.redactAddress(path, method, findEndpointById(endpoint ?? '') ?? null)
  }

  redactOrigin(origin: Origin): Origin {
    const { strings } = this.#parts
    const { label, caller } = origin
    const isOwn = label === null || isUuid(label) || contractWords.has(label)
    return {
      ...origin,
      label: isOwn ? label : strings.redactText(label, { name: 'label', isRequired: true }),
      ...(caller === undefined
        ? {}
        : { caller: strings.redact(caller, { kind: 'looseId', name: 'caller', isRequired: true }) }),
    }
  }

  /** The id of a route that only the host lists contains the route. */
  redactEndpoint(endpoint: string): string {
    if (findEndpointById(endpoint)) return endpoint
    const { strings, addresses } = this.#parts
    if (!endpoint.startsWith(LISTED_PREFIX)) return strings.redactText(endpoint, { isRequired: true })
    const [method = '', path = ''] = endpoint.slice(LISTED_PREFIX.length).split(/ (.*)/s)
    return `${LISTED_PREFIX}${strings.redact(method, { kind: 'word', name: '' })} ${addresses.redactAddress(path, method)}`
  }

  redactCode(code: string | null): string | null {
    return code === null ? null : this.#parts.strings.redact(code, { kind: 'code', name: 'code', isRequired: true })
  }
}

const toSize = ({ name, bytes, isChanged, mediaType }: RedactedBody) => ({
  ...{ isChanged, mediaType },
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

/** The list of ids may name members that are none by the contract. */
const toIdKind = (member: string): StringKind => (getKindOfMember(member, '') === 'id' ? 'id' : 'looseId')
