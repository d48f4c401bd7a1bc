import { createHash } from 'node:crypto'
import { readContent } from '../../../electron/recording-file/pieces.ts'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import { DEFAULT_REDACTION, type RecordedExchange, type RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { createExchange } from '../../unit/recordings/recorded-lines.ts'

export interface ExchangeFacts {
  readonly method?: string
  readonly path: string
  readonly endpoint?: string | null
  readonly status?: number
  readonly request?: string | Uint8Array | null
  readonly response?: string | Uint8Array
  readonly requestType?: string
  readonly responseType?: string
  readonly requestHeaders?: RecordedExchange['requestHeaders']
  readonly responseHeaders?: RecordedExchange['responseHeaders']
  readonly row?: Partial<RecordedExchange['row']>
}

export interface BuiltExchanges {
  readonly exchanges: readonly RecordedExchange[]
  readonly bodies: ReadonlyMap<string, Uint8Array>
}

/** Builds recorded exchanges with their bodies. */
export function buildExchanges(list: readonly ExchangeFacts[]): BuiltExchanges {
  const bodies = new Map<string, Uint8Array>()
  const addBody = (text: string | Uint8Array | null): string | null => {
    if (text === null) return null
    const name = createHash('sha256').update(text).digest('hex')
    bodies.set(name, toBytes(text))
    return name
  }
  const exchanges = list.map((facts, index) => {
    const { method = 'GET', path, endpoint = null, status = 200, request = null, response = '{}' } = facts
    const { requestType = 'application/json', responseType = 'application/json' } = facts
    return createExchange(index + 1, {
      row: {
        method,
        path,
        endpoint,
        status,
        template: path.split('?', 1)[0] ?? '',
        mediaType: responseType,
        ...facts.row,
      },
      requestHeaders: facts.requestHeaders ?? [],
      responseHeaders: facts.responseHeaders ?? [],
      ...(request === null ? {} : { request: { mediaType: requestType, bytes: toBytes(request) } }),
      response: { mediaType: responseType, bytes: toBytes(response) },
      requestBody: addBody(request),
      responseBody: addBody(response),
    })
  })
  return { exchanges, bodies }
}

const toBytes = (text: string | Uint8Array): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.byteLength)

/** Redacts exchanges as they are when they are saved. */
export async function redactExchanges(
  { exchanges, bodies }: BuiltExchanges,
  policy: RedactionPolicy = DEFAULT_REDACTION,
): Promise<BuiltExchanges & { readonly redaction: RecordingRedaction }> {
  const redaction = new RecordingRedaction({ policy, tokens: [], loadBody: async (name) => bodies.get(name) ?? null })
  await redaction.learn(() => exchanges)
  const redactedBodies = new Map<string, Uint8Array>()
  const redacted: RecordedExchange[] = []
  for (const exchange of exchanges) {
    const changed = await redaction.redactExchange(exchange)
    for (const name of [changed.requestBody, changed.responseBody]) {
      const content = name === null ? null : await redaction.loadBody(name)
      if (name !== null && content !== null) redactedBodies.set(name, await readContent(content))
    }
    redacted.push(changed)
  }
  return { exchanges: redacted, bodies: redactedBodies, redaction }
}

/** All that a redacted recording says of its exchanges. */
export const readAllText = ({ exchanges, bodies }: BuiltExchanges): string =>
  [JSON.stringify(exchanges), ...[...bodies.values()].map((bytes) => Buffer.from(bytes).toString())].join('\n')

export const readBodyText = ({ bodies }: BuiltExchanges, name: string | null | undefined): string =>
  Buffer.from(bodies.get(name ?? '') ?? []).toString()
