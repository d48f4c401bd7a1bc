import type { RecordedExchange } from '../../../shared/recordings/recording.ts'

export const TOPIC_ID = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
export const NOTE_ID = '2F434250-51B5-49D9-8607-E9C650C67873'

interface ExchangeFacts extends Partial<Omit<RecordedExchange, 'row' | 'request' | 'response'>> {
  readonly row?: Partial<RecordedExchange['row']>
  readonly request?: { readonly mediaType: string; readonly bytes: Uint8Array }
  readonly response?: { readonly mediaType: string; readonly bytes: Uint8Array }
}

/** An exchange as in a recording; members that are not given are those of a plain read. */
export function createExchange(seq: number, { row, request, response, ...facts }: ExchangeFacts): RecordedExchange {
  const toInfo = (body: ExchangeFacts['request']): RecordedExchange['request'] => ({
    ...{ total: body?.bytes.length ?? 0, kept: body?.bytes.length ?? 0, missing: null },
    mediaType: body?.mediaType ?? '',
  })
  return {
    row: {
      ...{
        seq,
        id: `exchange-${seq}`,
        startedAt: 1_700_000_000_000 + seq,
        durationMs: 3,
        method: 'GET',
        path: '/status',
      },
      timing: { queued: 0, connected: 0, sent: 1, firstByte: 2, lastByte: 3 },
      ...{
        endpoint: null,
        template: '/status',
        origin: { kind: 'place', label: null },
        state: 'answered',
        status: 200,
      },
      ...{ errorCode: null, attempt: 1, group: `exchange-${seq}`, epoch: 1, instance: null },
      ...{ host: 'http://127.0.0.1:42340/bridge/v1', requestBytes: request?.bytes.length ?? 0, wireBytes: null },
      ...{ bytes: response?.bytes.length ?? 0, mediaType: '', pinned: false, rule: null },
      ...row,
    },
    ...{ requestHeaders: [], responseHeaders: [], error: null, attempts: [], before: null, names: [], masked: 0 },
    ...{ requestBody: null, responseBody: null },
    request: toInfo(request),
    response: toInfo(response),
    ...facts,
  }
}
