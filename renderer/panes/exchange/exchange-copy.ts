import { type SnippetSource, toCurlCommand, toFetchCall, toHostApiCall } from '../../model/traffic/request-snippets.ts'
import { decodeStrictly } from '../../../shared/traffic/body-text.ts'
import { toHarEntry, createHarLog } from '../../../shared/traffic/har.ts'
import type { RecordedCall, ResponseProblem } from '../../model/traffic/session-test.ts'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { isValidJsonText } from '../../../shared/json/inspection.ts'
import type { ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { readExchange, readExchangeBody } from '../../stores/exchange.ts'
import { readResolvedValue } from '../../stores/panel.ts'

/** A test does not repeat longer bodies. */
const MAX_TEST_BODY_BYTES = 1_000_000

export const copyFormats = ['curl', 'fetch', 'hostApi', 'har', 'panel'] as const
export type CopyFormat = (typeof copyFormats)[number]

/** Reads a request's body; null if there is none, or no text. @throws AppError if not readable */
export async function readRequestText(detail: ExchangeDetail): Promise<string | null> {
  if (detail.request.kept === 0) return null
  return decodeStrictly(await readExchangeBody(detail.row.seq, 'request'))
}

/** Reads a recorded call for a test. @throws EXCHANGE_UNKNOWN */
export async function readRecordedCall(seq: number, signal: AbortSignal): Promise<RecordedCall> {
  const detail = await readExchange({ seq }, signal)
  const { row } = detail
  const problem = findResponseProblem(detail)
  const text = problem === null ? decodeStrictly(await readExchangeBody(seq, 'response', { signal })) : null
  const responseJson = text !== null && isValidJsonText(text) ? text : null
  return {
    method: row.method,
    path: getHostApiPath(row),
    startedAt: row.startedAt,
    isRead: classifyRequest(row.method, row.path).access === 'read',
    status: row.status,
    requestBody: detail.request.missing === null ? await readRequestText(detail) : null,
    responseJson,
    responseProblem: problem ?? (responseJson === null ? 'not-json' : null),
    caller: row.origin.caller ?? null,
  }
}

function findResponseProblem({ row, response }: ExchangeDetail): ResponseProblem | null {
  if (row.status === null) return 'no-response'
  if (response.missing !== null) return 'incomplete'
  if (response.kept === 0) return 'empty'
  return response.kept > MAX_TEST_BODY_BYTES ? 'too-long' : null
}

/** Formats commands, calls or one archive, which names `version`. @throws AppError */
export async function formatExchangeCopies(
  kind: CopyFormat,
  details: readonly ExchangeDetail[],
  version: string,
): Promise<string> {
  if (kind === 'har') {
    const entries = []
    for (const detail of details) {
      const readBody = async (side: 'request' | 'response'): Promise<Uint8Array | null> =>
        detail[side].kept === 0 ? null : new Uint8Array(await readExchangeBody(detail.row.seq, side))
      entries.push(toHarEntry(detail, await readBody('request'), await readBody('response')))
    }
    return JSON.stringify(createHarLog(entries, version), null, 2)
  }
  const texts = []
  for (const detail of details) texts.push(await formatExchangeCopy(kind, detail))
  return texts.join('\n')
}

async function formatExchangeCopy(kind: Exclude<CopyFormat, 'har'>, detail: ExchangeDetail): Promise<string> {
  if (kind === 'panel') return (await readResolvedValue(detail.row.id)).text
  const copied: SnippetSource = { detail, body: await readRequestText(detail) }
  return { curl: toCurlCommand, fetch: toFetchCall, hostApi: toHostApiCall }[kind](copied)
}
